"""The raw files of Planetoid: pickles, read by an unpickler that can run nothing."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.graph import Graph


class _PickledCsr:
    """Stands in for SciPy's matrix while unpickling: its state lands in ``__dict__``, no more."""

    def to_csr(self) -> sp.csr_matrix:
        state = vars(self)
        return sp.csr_matrix(
            (state["data"], state["indices"], state["indptr"]), shape=state["_shape"]
        )


def _blank_array(kind: type, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    if kind is not np.ndarray or shape != (0,):
        raise pickle.UnpicklingError("an array that NumPy did not write")
    return np.ndarray((0,), np.int8)  # its real state follows


def _bytes(text: str, encoding: str) -> bytes:
    return text.encode("latin1")  # how Python 3 writes bytes at protocol 2


# Everything these files may name; whatever else a pickle asks for is refused.
_ALLOWED: dict[tuple[str, str], Callable] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): _blank_array,
    ("numpy._core.multiarray", "_reconstruct"): _blank_array,
    ("scipy.sparse.csr", "csr_matrix"): _PickledCsr,
    ("scipy.sparse._csr", "csr_matrix"): _PickledCsr,
    ("_codecs", "encode"): _bytes,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
}


class RestrictedUnpickler(pickle.Unpickler):
    """Unpickles NumPy arrays, SciPy CSR matrices and plain containers; refuses all else."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}") from None


def read_pickle(path: Path) -> Any:
    """What a Planetoid file holds, with matrices as CSR.

    Raises:
        InputError: the file is damaged or asks for anything but arrays and plain containers.
    """
    with path.open("rb") as file:
        try:
            # The files were written by Python 2: byte strings hold the arrays' memory.
            value = RestrictedUnpickler(file, encoding="latin1").load()
            return value.to_csr() if isinstance(value, _PickledCsr) else value
        except Exception as error:  # a hostile pickle can raise anything
            raise InputError(
                f"{path} is not a Planetoid file: refused, since {error}. Fetch it again."
            ) from error


def read_planetoid(folder: Path, prefix: str) -> Graph:
    """The graph in ``ind.<prefix>.*``, with the features as they are in the files.

    Test nodes that no file lists (15 of CiteSeer's) get a row of zeros and class 0, as they do
    in PyTorch Geometric.
    """

    def part(name: str) -> Any:
        return read_pickle(folder / f"ind.{prefix}.{name}")

    try:
        test = np.loadtxt(folder / f"ind.{prefix}.test.index", dtype=np.int64, ndmin=1)
        first, last = int(test.min()), int(test.max())
        allx, ally = sp.csr_matrix(part("allx")), np.asarray(part("ally"))
        tx, ty = sp.csr_matrix(part("tx")), np.asarray(part("ty"))
        # Row i of tx belongs to node test[i]; nodes between first and last without a row stay zero.
        place = sp.csr_matrix(
            (np.ones(len(test), np.float32), (test - first, np.arange(len(test)))),
            shape=(last - first + 1, len(test)),
        )
        x = sp.vstack([allx[:first], place @ tx]).tocsr()
        y = np.concatenate([ally[:first], place @ ty]).argmax(axis=1)
        neighbours = {int(u): list(vs) for u, vs in part("graph").items()}
        sizes = [len(vs) for vs in neighbours.values()]
        sources = np.repeat(np.array(list(neighbours), dtype=np.int64), sizes)
        targets = np.array([v for vs in neighbours.values() for v in vs], dtype=np.int64)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{folder}: the files ind.{prefix}.* do not fit together: {error}. Fetch them again."
        ) from error
    return Graph.from_edges(np.stack([sources, targets], axis=1), x, y=y, name=prefix)
