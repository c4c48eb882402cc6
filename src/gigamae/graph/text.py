"""Text tables: delimiter and header found by looking, cells read by Arrow, errors with their line."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gigamae.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

HEAD_BYTES, MOST_BYTES = 1 << 16, 1 << 26
SAMPLE = 100  # records looked at before deciding on delimiter, header and types
DELIMITERS = ("\t", ",", ";", "|", " ")

# Decides from the first record and those after it whether the first is a header.
GuessHeader = Callable[[Sequence[str], Sequence[Sequence[str]]], bool]


@dataclass(frozen=True)
class TextLayout:
    """How a text table is written; a delimiter of one space stands for any run of white space."""

    path: Path
    delimiter: str
    skip: int  # comment and blank lines before the first record
    header: tuple[str, ...] | None
    width: int
    quoted: bool
    sample: list[list[str]]  # the first records after the header

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """(line, cells) of every record after the header, slowly: to find what is wrong."""
        with _open_text(self.path) as file:
            for _ in range(self.skip):
                next(file)
            seen = 0
            for line, cells in _split(file, self.delimiter):
                if not cells:
                    continue
                seen += 1
                if seen > 1 or self.header is None:
                    yield self.skip + line, cells

    def line(self, row: int) -> str:
        """Where data row ``row`` stands: "line 7"."""
        for i, (line, _) in enumerate(self.records()):
            if i == row:
                return f"line {line}"
        return f"data row {row}"


def sniff(path: Path, header: bool | None, guess_header: GuessHeader) -> TextLayout:
    """Look at the beginning of a text table.

    Raises:
        InputError: the file is empty, or is not text in UTF-8.
    """
    lines, skip = _head(path)
    delimiter = "\t" if ".tsv" in path.suffixes else _best_delimiter(lines)
    records = [cells for _, cells in _split(iter(lines), delimiter) if cells][: SAMPLE + 1]
    first = [cell.strip() for cell in records[0]]
    has_header = guess_header(first, records[1:]) if header is None else header
    if has_header:
        twice = sorted({name for name in first if name and first.count(name) > 1})
        if twice:
            raise InputError(f"{path}: two columns are named {twice[0]!r}; rename one.")
    return TextLayout(
        path=path,
        delimiter=delimiter,
        skip=skip,
        header=tuple(first) if has_header else None,
        width=len(first),
        quoted=any('"' in line for line in lines),
        sample=records[1:] if has_header else records,
    )


def read_text(layout: TextLayout, types: Sequence[str]) -> list[pa.ChunkedArray]:
    """The columns of a text table, each as one of the types "string", "double" or "bool".

    Raises:
        InputError: a record with too many or too few cells, a cell that is no number in a
            column of numbers; with its line.
    """
    import pyarrow as pa
    import pyarrow.csv as pacsv

    ragged: list[Any] = []

    def note_ragged(row: Any) -> str:
        ragged.append(row)
        return "skip"

    names = [f"c{j}" for j in range(layout.width)]
    spaces = layout.delimiter == " "
    try:
        with _open_arrow(layout) as stream:
            table = pacsv.read_csv(
                stream,
                read_options=pacsv.ReadOptions(
                    column_names=names, skip_rows=layout.skip + (layout.header is not None)
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter="\t" if spaces else layout.delimiter,
                    newlines_in_values=layout.quoted,
                    invalid_row_handler=note_ragged,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types={
                        n: {"string": pa.string(), "double": pa.float64(), "bool": pa.bool_()}[t]
                        for n, t in zip(names, types, strict=True)
                    },
                    strings_can_be_null=False,
                ),
            )
    except (pa.ArrowInvalid, OSError, EOFError) as error:
        if "Empty CSV" in str(error):
            return [pa.chunked_array([], pa.string()) for _ in names]
        with contextlib.suppress(OSError, EOFError):  # cut off: there is no line to name
            _raise_for_cell(layout, types)
        raise InputError(f"{layout.path} cannot be read as a text table: {error}.") from error
    if ragged:
        _raise_for_width(layout)
    return table.columns


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number (NaN and infinity included)."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # float() takes 1_000


def _raise_for_cell(layout: TextLayout, types: Sequence[str]) -> None:
    with _open_bytes(layout.path) as file:
        _decoded(layout.path, file.read())
    _raise_for_width(layout)
    for line, cells in layout.records():
        for j, cell in enumerate(cells):
            plain = cell.strip()
            fits = {
                "string": True,
                "double": not plain or is_number(plain),
                "bool": plain.lower() in ("true", "false", ""),
            }
            if not fits[types[j]]:
                name = repr(layout.header[j]) if layout.header else str(j + 1)
                raise InputError(f"{layout.path}, line {line}, column {name}: {plain!r} is not a number like "
                                 "the cells above it. Encode text as 0/1 columns (one-hot) or drop the "
                                 "column.")  # fmt: skip


def _raise_for_width(layout: TextLayout) -> None:
    for line, cells in layout.records():
        if len(cells) != layout.width:
            raise InputError(
                f"{layout.path}, line {line}: {len(cells)} cells where {layout.width} are "
                "expected. Every line needs the same columns; put cells that hold the delimiter "
                f"({layout.delimiter!r}) in quotes."
            )


def _head(path: Path) -> tuple[list[str], int]:
    """The first lines of records, and how many comment and blank lines precede them."""
    try:
        with _open_bytes(path) as file:
            raw = file.read(HEAD_BYTES)
            while raw.count(b"\n") < 3 and (more := file.read(16 * HEAD_BYTES)):  # wide tables
                raw += more
                if len(raw) > MOST_BYTES:
                    break
            cut = bool(file.read(1))
    except (OSError, EOFError) as error:
        raise InputError(f"{path} cannot be opened: {error}.") from error
    if not raw:
        raise InputError(f"{path} is empty (0 bytes); write it again.")
    if b"\0" in raw or raw[:4] in (b"PAR1", b"PK\x03\x04"):
        raise InputError(f"{path} is not a text file though it is named like one. If it is Parquet, .npy or "
                         ".npz, name it so; else save it as CSV in UTF-8.")  # fmt: skip
    if cut and b"\n" in raw:
        raw = raw[: raw.rindex(b"\n") + 1]
    lines = _decoded(path, raw).splitlines(keepends=True)
    skip = 0
    while skip < len(lines) and (not lines[skip].strip() or lines[skip].lstrip()[0] in "#%"):
        skip += 1
    if skip == len(lines):
        raise InputError(f"{path} has no records (blank lines and comments only).")
    return lines[skip : skip + 2 * SAMPLE], skip


def _decoded(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not UTF-8; save the file as UTF-8.") from error


def _best_delimiter(lines: Sequence[str]) -> str:
    """The first that gives every line the same number of cells, else the one that splits most."""
    widths = {}
    for delimiter in DELIMITERS:
        counts = [len(cells) for _, cells in _split(iter(lines), delimiter) if cells]
        if min(counts) == max(counts) > 1:
            return delimiter
        widths[delimiter] = sum(count > 1 for count in counts)
    best = max(DELIMITERS, key=lambda d: widths[d])
    return best if widths[best] else ","


def _split(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of every record; blank lines have no cells."""
    if delimiter == " ":
        for number, line in enumerate(lines, 1):
            yield number, line.split()
        return
    reader = csv.reader(lines, delimiter=delimiter)
    start = 1
    for cells in reader:
        yield start, cells
        start = reader.line_num + 1


def _open_bytes(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore


def _open_text(path: Path) -> IO[str]:
    return io.TextIOWrapper(_open_bytes(path), encoding="utf-8-sig", newline="", errors="replace")


def _open_arrow(layout: TextLayout) -> Any:
    import pyarrow as pa

    if layout.delimiter == " ":
        with _open_bytes(layout.path) as file:
            content = re.sub(rb"[ \t]+(?=\r?$)|^[ \t]+", b"", file.read(), flags=re.MULTILINE)
        return pa.BufferReader(re.sub(rb"[ \t]+", b"\t", content))
    return pa.input_stream(str(layout.path), compression="detect")
