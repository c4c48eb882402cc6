"""Where tables come from: text files, Parquet files, pandas, polars and Arrow."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gigamae.errors import InputError
from gigamae.graph.tables import Table
from gigamae.graph.text import GuessHeader, TextLayout, is_number, read_text, sniff

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_SUFFIXES = frozenset(
    (".csv", ".tsv", ".txt", ".edges", ".edgelist", ".edge", ".dat", ".cites", ".content", "")
)
PARQUET_SUFFIXES = frozenset((".parquet", ".pq"))
FRAME_LIBRARIES = frozenset(("pandas", "polars", "pyarrow"))


def read_table(
    path: Path,
    header: bool | None,
    guess_header: GuessHeader,
    *,
    as_text: Collection[str | int] | None = None,
) -> Table:
    """A text or Parquet file.

    ``as_text`` are columns (names in lower case, or numbers) of a text file whose cells are
    kept as they are written, 007 as 007; None keeps all.
    """
    if path.suffix.lower() in PARQUET_SUFFIXES:
        return _read_parquet(path)
    layout = sniff(path, header, guess_header)
    columns = read_text(layout, _types(layout, as_text))
    names = layout.header or tuple(f"column {j + 1}" for j in range(layout.width))
    return Table(str(path), columns, names, layout.header is not None, True, layout.line)


def frame_table(frame: Any, where: str) -> Table:
    """A pandas or polars data frame, or an Arrow table."""
    import pyarrow as pa

    library = type(frame).__module__.split(".")[0]
    if library == "polars":
        frame = (frame.collect() if hasattr(frame, "collect") else frame).to_arrow()
    if library in ("polars", "pyarrow"):
        if isinstance(frame, pa.RecordBatch):
            frame = pa.Table.from_batches([frame])
        return Table(where, frame.columns, tuple(frame.column_names), True)
    columns = []
    for j, name in enumerate(frame.columns):
        try:
            values = pa.array(frame.iloc[:, j], from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise InputError(
                f"{where}, column {str(name)!r}: mixed or unknown types ({error}). Make it all "
                "numbers or all text."
            ) from error
        chunked = isinstance(values, pa.ChunkedArray)
        columns.append(values if chunked else pa.chunked_array([values]))
    table = Table(where, columns, tuple(map(str, frame.columns)), True)
    index = frame.index
    # pandas 3 keeps 20, 30, 40 as a range too: only 0, 1, 2, ... says nothing
    numbered = index.name is None and list(index[:2]) == [0, 1][: len(index)]
    numbered &= type(index).__name__ == "RangeIndex"
    if not numbered and getattr(index, "nlevels", 1) == 1:
        ids = pa.chunked_array([pa.array(index, from_pandas=True)])
        table.index = Table(where, [ids], ("index",), True)
    return table


def arrow_table(table: pa.Table, where: str) -> Table:
    """An Arrow table that may come from pandas, whose index is then one, and not a column of values."""
    import numpy as np
    import pyarrow as pa

    told = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    nameless = [name for name in told if str(name).startswith("__index_level_")]
    found = Table(where, table.columns, tuple(table.column_names), True)
    if len(told) == 1 and isinstance(told[0], dict):  # a range of row numbers, which no column holds
        rows = range(told[0]["start"], told[0]["stop"], told[0]["step"])
        if (rows.start, rows.step) != (0, 1) and len(rows) == found.num_rows:
            found.index = Table(where, [pa.chunked_array([np.array(rows)])], ("index",), True)
    elif len(told) == 1 and told[0] in found.names:
        found.index_column = found.names.index(told[0])
        found.index = Table(where, [found.columns[found.index_column]], (told[0],), True)
    if nameless:
        kept = table.drop_columns([name for name in nameless if name in table.column_names])
        found.columns, found.names, found.index_column = kept.columns, tuple(kept.column_names), None
    return found


def _read_parquet(path: Path) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); write it again.")
    try:
        table = pq.ParquetFile(path).read()
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        raise InputError(
            f"{path} cannot be read as Parquet ({error}): it is truncated or of another type. "
            "Write it again."
        ) from error
    return arrow_table(table, str(path))


def _types(layout: TextLayout, as_text: Collection[str | int] | None) -> list[str]:
    """What each column of a text file seems to hold; the first may be ids, so it stays text."""
    types = []
    for j in range(layout.width):
        name = layout.header[j].lower() if layout.header else j
        cells = [cells[j].strip() for cells in layout.sample if len(cells) > j]
        told = [cell for cell in cells if cell]
        if as_text is None or j == 0 or {name, j, j - layout.width} & set(as_text):
            types.append("string")
        elif told and all(map(is_number, told)):
            types.append("double")
        elif told and all(cell.lower() in ("true", "false") for cell in told):
            types.append("bool")
        else:
            types.append("string")
    return types
