"""Edge lists: a table with a column of sources, one of targets and perhaps one of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.ids import encode
from gigamae.graph.parts import Edges, Ids, Parts
from gigamae.graph.tables import Table
from gigamae.graph.text import is_number

SOURCE_NAMES = ("source", "src", "from", "u", "head", "node1", "node_1", "start", "source_id",
                "id_1", "id1", "fromnodeid", "from_node", "citing")  # fmt: skip
TARGET_NAMES = ("target", "dst", "to", "v", "tail", "node2", "node_2", "end", "target_id", "dest",
                "destination", "id_2", "id2", "tonodeid", "to_node", "cited")  # fmt: skip
WEIGHT_NAMES = ("weight", "weights", "w", "edge_weight", "edge_weights")


@dataclass(frozen=True)
class EdgeColumns:
    """Which columns to read, by name or number from 0; None finds them.

    ``weight`` may also be False: no weights, whatever the table has.
    """

    source: str | int | None = None
    target: str | int | None = None
    weight: str | int | bool | None = None

    @property
    def by_name(self) -> bool:
        return any(map(names_a_column, (self.source, self.target, self.weight)))


def names_a_column(told: object) -> bool:
    """Whether a column is told by its name (text that is a number is none)."""
    return isinstance(told, str) and told != "" and not told.isdecimal()


def edge_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether the first record of an edge list names columns.

    It does if two of its cells are usual names (and no node is called like them), or if a
    column that holds numbers below does not begin with one.
    """
    names = [cell.lower() for cell in first]
    if any(n in SOURCE_NAMES for n in names) and any(n in TARGET_NAMES for n in names):
        below = {cell.strip() for cells in rest for cell in cells}
        return not below & set(first[:2])
    return column_of_numbers_has_title(first, rest)


def column_of_numbers_has_title(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether some column holds numbers below, but text in the first record."""
    for j, cell in enumerate(first):
        below = [cells[j].strip() for cells in rest if len(cells) > j and cells[j].strip()]
        if below and not is_number(cell.strip()) and all(map(is_number, below)):
            return True
    return False


def edges_from_table(table: Table, columns: EdgeColumns, directed: bool | None) -> Parts:
    """The edges of a table, with what was taken for what in the notes.

    Raises:
        InputError: a column that is missing, a weight that is negative or no number.
    """
    notes: list[str] = []
    if len(table.names) < 2:
        raise InputError(
            f"{table.where} has one column ({table.names[0]!r}); an edge list needs two, source "
            "and target, separated by comma, tab, semicolon or space."
        )
    source = _endpoint(table, columns.source, SOURCE_NAMES, "source")
    target = _endpoint(table, columns.target, TARGET_NAMES, "target")
    if source is None or target is None:
        free = [j for j in range(len(table.names)) if j not in (source, target)]
        source = free.pop(0) if source is None else source
        target = free.pop(0) if target is None else target
    if source == target:
        raise InputError(
            f"{table.where}: source and target are the same column {table.names[source]!r}."
        )
    weight = _weight(table, columns.weight, (source, target), notes)
    weights = None if weight is None else _weights(table, weight)
    ids, codes = encode(*_same_kind(table.ids(source), table.ids(target)))
    edges = Edges(
        source=codes[0],
        target=codes[1],
        ids=ids,
        weights=weights,
        where=table.where,
        locate=table.locate,
        directed=directed,
    )
    return Parts(edges, notes=notes)


def _endpoint(
    table: Table, told: str | int | None, usual: Sequence[str], what: str
) -> int | None:
    return table.named(usual) if told is None else table.find(told, f"the {what} column")


def _weight(
    table: Table, told: str | int | bool | None, ends: tuple[int, int], notes: list[str]
) -> int | None:
    if told is False or told == "":
        return None
    if told is not None and told is not True:
        return table.find(told, "the weight column")
    found = table.named(WEIGHT_NAMES)
    if found is None and not table.header and len(table.names) == 3:
        third = ({0, 1, 2} - set(ends)).pop()
        cells = table.values(third)[:1000]
        if all(is_number(str(cell)) for cell in cells):
            notes.append("The third column was read as edge weights.")
            return third
    others = [n for j, n in enumerate(table.names) if n and j not in (*ends, found)]
    if others and found is None:
        notes.append(f"Edge columns not used: {', '.join(others[:8])}.")
    return found


def _weights(table: Table, column: int) -> np.ndarray:
    weights = table.numbers(column, "weights")
    if len(weights) and weights.min() < 0:
        row = int(np.argmax(weights < 0))
        raise InputError(
            f"{table.where}, {table.locate(row)}: weight {weights[row]:g} is negative. Weights "
            "say how strong an edge is; drop such edges, shift them, or leave the column out."
        )
    return weights


def _same_kind(source: Ids, target: Ids) -> tuple[Ids, Ids]:
    if source.kind == target.kind:
        return source, target
    return tuple(  # type: ignore[return-value]
        Ids(ids.values.astype(str).astype(object), "str") if ids.kind == "int" else ids
        for ids in (source, target)
    )
