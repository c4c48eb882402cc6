"""Array files: .npy and .npz, opened without ever unpickling."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError

PICKLE_REFUSED = (
    "holds pickled Python objects, which are refused because opening them can run code. "
    "Save plain numbers or text instead, for example "
    "np.save(path, np.asarray(values, dtype='float32'))."
)


def read_npy(path: Path) -> np.ndarray:
    """The array of an .npy file; never a pickle."""
    with path.open("rb") as file:
        array = _load(path, file)
        if not isinstance(array, np.ndarray):
            raise InputError(f"{path} is an .npz archive though its name says .npy; rename it.")
        return array


def read_npz(path: Path, wanted: Collection[str] = ()) -> dict[str, np.ndarray]:
    """All arrays of an .npz file by name, but those that are pickled, which are left out.

    Raises:
        InputError: the file is truncated, is not an .npz, or holds nothing but pickles, or one of
            the arrays in ``wanted`` is a pickle.
    """
    arrays: dict[str, np.ndarray] = {}
    pickled = []
    with path.open("rb") as file:
        archive = _load(path, file)
        if isinstance(archive, np.ndarray):
            raise InputError(f"{path} is an .npy array though its name says .npz; rename it.")
        for key in archive.files:
            try:
                arrays[key] = np.asarray(archive[key])
            except MemoryError as error:
                raise InputError(_too_large(path, error)) from error
            except _DAMAGE as error:
                if "allow_pickle" not in str(error):
                    raise InputError(_damaged(path, f"array {key!r}: {error}")) from error
                pickled.append(key)
    refused = sorted(set(pickled) & set(wanted))
    if refused:
        raise InputError(f"{path}: its array {refused[0]!r} {PICKLE_REFUSED}")
    if pickled and not arrays:
        raise InputError(f"{path} {PICKLE_REFUSED}")
    return arrays


def csr_from(arrays: Mapping[str, np.ndarray], prefix: str, where: object) -> sp.csr_matrix | None:
    """The CSR matrix stored as ``prefix`` + data / indices / indptr / shape, None if not there."""
    keys = [prefix + part for part in ("data", "indices", "indptr", "shape")]
    if not all(key in arrays for key in keys):
        return None
    data, indices, indptr, shape = (arrays[key] for key in keys)
    try:
        matrix = sp.csr_matrix((data, indices, indptr), shape=tuple(int(s) for s in shape))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise InputError(f"{where}: the sparse matrix {prefix}* is broken: {error}.") from error
    return matrix


def read_scipy(path: Path) -> sp.csr_matrix:
    """The matrix that scipy.sparse.save_npz wrote, in any of its formats.

    Raises:
        InputError: it is no such matrix, or its indices lead outside of it.
    """
    try:
        matrix = sp.load_npz(path)
        if hasattr(matrix, "check_format"):  # SciPy reads numbers of columns that are not there
            matrix.check_format(full_check=True)
        return sp.csr_matrix(matrix)
    except (*_DAMAGE, TypeError, AttributeError, NotImplementedError) as error:
        raise InputError(f"{path}: not an intact SciPy sparse matrix: {error}. Write it again.") from error


def _load(path: Path, file: IO[bytes]) -> np.ndarray | np.lib.npyio.NpzFile:
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); write it again.")
    start = file.read(6)
    file.seek(0)
    try:
        return np.load(file, allow_pickle=False)
    except MemoryError as error:
        raise InputError(_too_large(path, error)) from error
    except _DAMAGE as error:
        if start[:2] == _GZIP:
            raise InputError(f"{path} is packed by gzip; unpack it first (gunzip).") from error
        if "pickle" in str(error) and (start.startswith(_NPY) or start[:1] == _PICKLE):
            raise InputError(f"{path} {PICKLE_REFUSED}") from error
        if "pickle" in str(error):  # NumPy takes whatever it does not know for a pickle
            error = ValueError("it does not begin like one")
        raise InputError(_damaged(path, error)) from error


_NPY, _GZIP, _PICKLE = b"\x93NUMPY", b"\x1f\x8b", b"\x80"  # how such files begin

# What NumPy and zipfile raise when a file is cut short or is something else.
_DAMAGE = (ValueError, EOFError, OSError, KeyError, zipfile.BadZipFile, zlib.error)


def _too_large(path: Path, error: MemoryError) -> str:
    return f"{path} says that it holds more than fits into memory ({error}); if it is small, it is damaged."


def _damaged(path: Path, error: object) -> str:
    return (
        f"{path} cannot be read as a NumPy file ({error}): it is truncated or of another type. "
        "Copy or write it again."
    )
