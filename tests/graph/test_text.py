"""Text tables: what was written comes back, whatever the delimiter, and an error knows its line."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph
from gigamae.graph.text import DELIMITERS, is_number, read_text, sniff

#: Anything people put into cells: delimiters, quotes, line breaks, other alphabets.
cells = st.text(st.sampled_from('ab0ä,;|\t"\n -.'), min_size=1, max_size=6)
tables = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=3, max_size=8)
)


def never(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    return False


def as_text(rows: list[list[str]], delimiter: str) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("delimiter", [d for d in DELIMITERS if d != " "])
@given(rows=tables)
def test_property_quoted_cells_come_back(
    delimiter: str, rows: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("text") / ("t.tsv" if delimiter == "\t" else "t.csv")
    path.write_text(as_text(rows, delimiter), encoding="utf-8", newline="")
    layout = sniff(path, False, never)
    if layout.delimiter != delimiter:  # a file may read as a table in two ways; the usual one is taken
        assert layout.width > 1
        assert DELIMITERS.index(layout.delimiter) < DELIMITERS.index(delimiter)
        return
    columns = read_text(layout, ["string"] * layout.width)
    assert [list(row) for row in zip(*(c.to_pylist() for c in columns), strict=True)] == rows
    assert [cells for _, cells in layout.records()] == rows


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_comments_blank_lines_and_gzip(ending: str, packed: bool, tmp_path: Path) -> None:
    text = ending.join(["# a note", "", "u v", "1   2", "  3 4  ", ""]).encode()
    path = tmp_path / ("t.txt.gz" if packed else "t.txt")
    path.write_bytes(gzip.compress(text) if packed else text)
    layout = sniff(path, None, lambda first, rest: first[0] == "u")
    assert (layout.delimiter, layout.header, layout.width) == (" ", ("u", "v"), 2)
    assert [c.to_pylist() for c in read_text(layout, ["double", "double"])] == [[1, 3], [2, 4]]
    assert [layout.line(0), layout.line(1)] == ["line 4", "line 5"]


def test_a_line_is_found_behind_a_cell_with_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"one\ntwo",1\nx,y,z\n')
    with pytest.raises(InputError, match=r"t\.csv, line 4: 3 cells where 2"):
        read_text(sniff(path, True, never), ["string", "string"])
    path.write_text('a,b\n"one\ntwo",1\nx,old\n')
    with pytest.raises(InputError, match=r"t\.csv, line 4, column 'b': 'old' is not a number"):
        read_text(sniff(path, True, never), ["string", "double"])


def test_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")
    assert [c.to_pylist() for c in read_text(sniff(path, True, never), ["string", "double"])] == [[], []]


def test_a_damaged_gzip_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 1000)[:30])
    with pytest.raises(InputError, match="cannot be opened"):
        sniff(path, None, never)


@pytest.mark.parametrize(("cell", "expected"), [("1", True), ("-1.5e3", True), ("nan", True), ("inf", True),
                                                ("1_000", False), ("", False), ("0x1", False)])  # fmt: skip
def test_numbers(cell: str, expected: bool) -> None:
    assert is_number(cell) is expected


def test_a_byte_that_is_no_utf8_is_told_with_its_line_wherever_it_stands(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_bytes(b"source,target\n" + b"a,b\n" * 40_000 + b"\xe5sa,b\n")
    with pytest.raises(InputError, match="line 40002: not UTF-8"):
        read_graph(path)


def test_a_packed_file_cut_off_in_the_middle(tmp_path):
    text = "".join(f"{i},{i * 7919 % 99991}\n" for i in range(60_000)).encode()
    (tmp_path / "edges.csv.gz").write_bytes(gzip.compress(text)[:200_000])
    with pytest.raises(InputError, match="cannot be read as a text table"):
        read_graph(tmp_path / "edges.csv.gz")
