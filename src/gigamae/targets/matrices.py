"""From what a user holds (array, tensor, frame, file) to one numeric matrix and, maybe, ids."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.arrays import read_scipy
from gigamae.graph.tablefiles import arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

ID_COLUMNS = ("id", "node_id", "node")
SUFFIXES = (".npy", ".npz", ".parquet", ".csv", ".tsv")
_MOST_DENSE = 2**31  # entries a sparse matrix may have once dense: 8 GiB in float32


class Matrix(NamedTuple):
    """Values (R, d) float32, and the id of each row where the source named them."""

    values: np.ndarray
    ids: np.ndarray | None = None


def read_matrix(source: Any, title: str, id_column: str | None = None) -> Matrix:
    """Read what is known how to read; ``title`` begins every message.

    Raises:
        InputError: unknown kind of object or file, unreadable file, columns that are not numbers.
    """
    if isinstance(source, (str, Path)):
        source = _from_file(Path(source), title, id_column)
    table = _as_table(source, title)
    if table is not None:
        return _from_table(table, title, id_column)
    if id_column is not None:
        raise InputError(f"{title} is an array and has no column {id_column!r}; leave id_column out.")
    return Matrix(_numbers(source, title))


def _numbers(source: Any, title: str) -> np.ndarray:
    if sp.issparse(source):
        if source.shape[0] * source.shape[1] > _MOST_DENSE:
            raise InputError(
                f"{title} is sparse and would take {4 * np.prod(source.shape, dtype=float) / 2**30:.0f} "
                "GiB as the dense target it must become; reduce its columns first (PCA, say)."
            )
        source = source.toarray()
    if hasattr(source, "detach"):  # a torch tensor, on any device, in any precision
        source = source.detach().cpu().float().numpy()
    try:
        values = np.asarray(source)
    except ValueError as error:
        raise InputError(f"{title} has rows of different lengths ({error}).") from error
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] == 0:
        raise InputError(f"{title} must have shape (N, d) with d at least 1; got {values.shape}.")
    if values.dtype.kind not in "fiub":
        raise InputError(f"{title} must hold numbers; got dtype {values.dtype}.")
    with np.errstate(over="ignore"):  # beyond float32's range becomes infinity, told by the caller
        return values.astype(np.float32)


def _from_file(path: Path, title: str, id_column: str | None) -> Any:
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{title}: cannot read {path.suffix or 'a file without suffix'}; "
                         f"give one of {', '.join(SUFFIXES)} (pickles are refused).")  # fmt: skip
    if not path.is_file():
        raise InputError(f"{title}: there is no such file.")
    try:
        if path.suffix.lower() in (".csv", ".tsv"):
            return _read_csv(path, {*ID_COLUMNS, id_column or "id"})
        return _READERS[path.suffix.lower()](path)
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        if "allow_pickle" in str(error) or "pickled" in str(error):
            raise InputError(
                f"{title}: the file holds Python objects (a pickle), which are refused; "
                "save a plain numeric array."
            ) from error
        raise InputError(f"{title}: the file cannot be read, it may be cut off ({error}).") from error


def _read_npy(path: Path) -> Any:
    with path.open("rb") as file:
        return np.load(file, allow_pickle=False)


def _read_npz(path: Path) -> Any:
    # Opened here, because numpy leaves a damaged archive open.
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        names = archive.files
        if "format" in names:  # as written by scipy.sparse.save_npz
            return read_scipy(path)
        if len(names) != 1:
            raise ValueError(f"one array is expected, {', '.join(names) or 'none'} found")
        return archive[names[0]]


def _read_csv(path: Path, ids: Iterable[str]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    as_written = csv.ConvertOptions(column_types={name: pa.string() for name in ids})  # 007 is not 7
    return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=separator), convert_options=as_written)


def _read_parquet(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path)


_READERS = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
}


def _as_table(source: Any, title: str) -> pa.Table | None:
    """Frames of every make as Arrow tables; None for what is no frame."""
    maker = type(source).__module__.split(".")[0]
    if maker not in ("pandas", "polars", "pyarrow"):
        return None
    import pyarrow as pa

    try:
        if maker == "pandas":
            if source.ndim == 1:
                source = source.to_frame()
            return pa.Table.from_pandas(source)
        if maker == "polars":
            return (source.to_frame() if hasattr(source, "to_frame") else source).to_arrow()
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise InputError(f"{title}: the frame cannot be read ({error}).") from error
    return source if isinstance(source, pa.Table) else None


def _from_table(table: pa.Table, title: str, id_column: str | None) -> Matrix:
    found = arrow_table(table, title)
    names = found.names
    if id_column is not None and id_column not in names:
        raise InputError(f"{title} has no column {id_column!r}; it has {', '.join(names[:8])}.")
    key = id_column or next((name for name in ID_COLUMNS if name in names), None)
    parts = [
        _column(found.columns[at].combine_chunks(), f"{title}, column {name!r},")
        for at, name in enumerate(names)
        if name != key and at != found.index_column
    ]
    if not parts:
        raise InputError(f"{title} has no columns of numbers{f' beside {key!r}' if key else ''}.")
    told = found.index.columns[0] if found.index is not None else None
    told = told if key is None else found.columns[names.index(key)]
    ids = None if told is None else np.array(told.to_pylist(), dtype=object)
    return Matrix(np.concatenate(parts, axis=1), ids)


def _column(column: pa.Array, title: str) -> np.ndarray:
    """(R, 1) for numbers, (R, w) for lists of w numbers; empty cells become NaN."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        widths = set(column.value_lengths().to_pylist())
        if len(widths) != 1 or None in widths:
            raise InputError(f"{title} has lists of different lengths or empty cells.")
        return _column(column.flatten(), title).reshape(len(column), -1)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise InputError(f"{title} holds {kind}, not numbers; leave it out or name it as id_column.")
    return column.cast(pa.float32(), safe=False).to_numpy(zero_copy_only=False)[:, None]
