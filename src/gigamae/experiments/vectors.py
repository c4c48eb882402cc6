"""Embeddings as a file: Parquet, CSV, .npy or .npz, with the ids exactly as they came in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from gigamae.errors import InputError
from gigamae.experiments.places import try_writing


def write_vectors(path: str | Path, z: np.ndarray, ids: np.ndarray) -> Path:
    """Write (N, d) embeddings; what is written is decided by the file's ending.

    Args:
        path: ``.parquet`` and ``.csv`` get a column ``id`` and columns ``z0`` ... ``z{d-1}``;
            ``.npz`` the arrays ``ids`` and ``z``; ``.npy`` the matrix alone, rows in the graph's order.
        z: the embeddings.
        ids: the graph's ids, one a row.

    Raises:
        InputError: another ending, or ids that do not fit.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = write_vectors(f"{folder}/z.npz", np.ones((2, 3), "float32"), np.array(["a", "b"]))
        ...     np.load(path)["ids"].tolist()
        ['a', 'b']
    """
    path = Path(path)
    write = _writer(path)
    if len(ids) != len(z):
        raise InputError(f"{path}: {len(ids)} ids for {len(z)} embeddings.")
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, np.ascontiguousarray(z, dtype=np.float32), np.asarray(ids))
    return path


def check_output(path: str | Path) -> None:
    """Refuse, before any work is done, what :func:`write_vectors` could not write.

    Raises:
        InputError: an ending that is not known, or a place that cannot be written.
    """
    path = Path(path)
    _writer(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give another name for the file (-o).")
    try:
        try_writing(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); give another place (-o).") from error


def _writer(path: Path) -> Callable[[Path, np.ndarray, np.ndarray], None]:
    writers = {".parquet": _parquet, ".csv": _csv, ".npy": _npy, ".npz": _npz}
    if path.suffix.lower() not in writers:
        raise InputError(
            f"{path}: embeddings are written as {', '.join(writers)}; give a name that ends in one of these."
        )
    return writers[path.suffix.lower()]


def _table(z: np.ndarray, ids: np.ndarray):  # type: ignore[no-untyped-def]
    import pyarrow as pa

    names = [f"z{i}" for i in range(z.shape[1])]
    columns = [pa.array(ids.tolist() if ids.dtype.kind in "OU" else ids)]
    columns += [pa.array(column) for column in np.ascontiguousarray(z.T)]
    return pa.table(columns, names=["id", *names])


def _parquet(path: Path, z: np.ndarray, ids: np.ndarray) -> None:
    from pyarrow import parquet

    parquet.write_table(_table(z, ids), path)


def _csv(path: Path, z: np.ndarray, ids: np.ndarray) -> None:
    from pyarrow import csv

    csv.write_csv(_table(z, ids), path)


def _npy(path: Path, z: np.ndarray, ids: np.ndarray) -> None:
    np.save(path, z, allow_pickle=False)


def _npz(path: Path, z: np.ndarray, ids: np.ndarray) -> None:
    words = ids.astype(str) if ids.dtype.kind == "O" else ids  # objects would have to be pickled
    np.savez_compressed(path, z=z, ids=words)
