"""Node tables: features and labels, by id or in the order of the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.edgelists import column_of_numbers_has_title, names_a_column
from gigamae.graph.ids import positions, settle
from gigamae.graph.parts import Ids, NodeTable
from gigamae.graph.tables import Table, is_string
from gigamae.graph.text import GuessHeader, is_number

ID_NAMES = ("id", "node", "node_id", "nodeid", "node_ids", "ids")
LABEL_NAMES = ("label", "labels", "class", "y", "node_label", "node_class")


@dataclass(frozen=True)
class NodeColumns:
    """Which columns hold ids and labels, by name or number from 0; None finds them."""

    id: str | int | None = None
    label: str | int | None = None

    @property
    def by_name(self) -> bool:
        return names_a_column(self.id) or names_a_column(self.label)


def node_header(edge_ids: Ids) -> GuessHeader:
    """A guess whether a node table's first record names columns, knowing the edges' ids."""
    known = set(edge_ids.values.astype(str).tolist())

    def guess(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
        usual = any(cell.lower() in (*ID_NAMES, *LABEL_NAMES) for cell in first)
        if usual and first[0] not in known:
            return True
        if list(first) == [str(j) for j in range(len(first))] and len(first) > 2:
            return True  # what a data frame without names writes
        if column_of_numbers_has_title(first, rest):
            return True
        # Nothing but text: then a first cell that is no id, above one that is, is a title.
        return (
            not any(map(is_number, first))
            and first[0] not in known
            and bool(rest and rest[0] and rest[0][0].strip() in known)
        )

    return guess


def features_from_table(table: Table, columns: NodeColumns, edge_ids: Ids) -> NodeTable:
    """Every column but ids and labels as features.

    Raises:
        InputError: no usable id column where one was named, a column of text, a value missing.
    """
    ids, id_column = _find_ids(table, columns.id, edge_ids)
    label = None
    if columns.label is not None:
        label = table.find(columns.label, "the label column")
    elif table.header:
        label = table.named(LABEL_NAMES)
        if label is not None and _has_fractions(table, label):
            label = None  # x and y of a place, say: classes are whole numbers or text
    chosen = [j for j in range(len(table.names)) if j not in (id_column, label, table.index_column)]
    notes = []
    if label is not None and columns.label is None:
        notes.append(
            f"Column {table.names[label]!r} was taken as labels, not as a feature; rename it if it is one."
        )
    x, names = _matrix(table, chosen) if chosen else (None, None)
    return NodeTable(
        where=table.where,
        num_rows=table.num_rows,
        ids=ids,
        x=x,
        names=names,
        labels=None if label is None else table.values(label),
        locate=table.locate,
        notes=notes,
    )


def labels_from_table(table: Table, columns: NodeColumns, edge_ids: Ids) -> NodeTable:
    """The column of labels, by id where the table has ids.

    Raises:
        InputError: it is not clear which column holds the labels.
    """
    id_told, alone = columns.id, len(table.names) == 1
    unnamed = id_told is None and table.named(ID_NAMES) is None and table.index is None
    if len(table.names) == 2 and unnamed:
        id_told = 1 if table.named(LABEL_NAMES) == 0 or columns.label == 0 else 0
    ids, id_column = _find_ids(table, id_told, edge_ids, alone)
    if columns.label is not None:
        label = table.find(columns.label, "the label column")
    else:
        found = table.named(LABEL_NAMES)
        others = [j for j in range(len(table.names)) if j != id_column]
        if found is None and len(others) != 1:
            raise InputError(
                f"{table.where}: which column holds the labels? It has "
                f"{', '.join(table.names[:12])}. Name it with label_column."
            )
        label = others[0] if found is None else found
    return NodeTable(
        where=table.where,
        num_rows=table.num_rows,
        ids=ids,
        labels=table.values(label),
        locate=table.locate,
    )


def _find_ids(
    table: Table, told: str | int | None, edge_ids: Ids, alone: bool = False
) -> tuple[Ids | None, int | None]:
    """The ids and their column: as told, as usually named, or the first if it looks the part."""
    column = table.named(ID_NAMES) if told is None else table.find(told, "the id column")
    if column is None and table.index is not None:
        ids, column = table.index.ids(0), table.index_column
    else:
        if column is None and not alone:
            column = _first_like_ids(table, edge_ids)
        if column is None:
            return None, None
        ids = table.ids(column)
    unique, first = np.unique(ids.values.astype(str), return_index=True)
    if len(unique) < len(ids):
        twice = np.setdiff1d(np.arange(len(ids)), first)[0]
        raise InputError(
            f"{table.where}, {table.locate(int(twice))}: id {ids.values[twice]!r} is there twice; "
            "each node needs one row."
        )
    return ids, column


def _first_like_ids(table: Table, edge_ids: Ids) -> int | None:
    """The first column if it looks like the edges' ids, else a column of text that does."""
    columns = [0, *(j for j in range(1, len(table.names)) if is_string(table.columns[j].type))]
    return next((j for j in columns if _looks_like_ids(table, j, edge_ids)), None)


def _looks_like_ids(table: Table, column: int, edge_ids: Ids) -> bool:
    """Whether a column has no value twice, and about half its values or more are ids."""
    import pyarrow as pa

    if pa.types.is_floating(table.columns[column].type) or not table.num_rows:
        return False
    try:
        ids = table.ids(column)
    except InputError:
        return False
    if len(edge_ids) == 0 or len(np.unique(ids.values)) < len(ids):
        return False
    edges, own = settle(edge_ids, ids)
    hits = int((positions(edges.values, own.values) >= 0).sum())
    return 2 * hits >= min(len(edges), len(own))


def _has_fractions(table: Table, column: int) -> bool:
    """Whether every value of a column is a number, and some are not whole."""
    try:
        values = table.numbers(column, "labels", dtype=np.float64)
    except InputError:
        return False
    return bool((values != np.round(values)).any())


def _matrix(table: Table, chosen: Sequence[int]) -> tuple[np.ndarray, tuple[str, ...]]:
    """(N, D) float32 from the chosen columns; a column of equally long lists is several."""
    parts: list[np.ndarray] = []
    names: list[str] = []
    for j in chosen:
        name = table.names[j]
        vectors = _vectors(table, j)
        if vectors is None:
            parts.append(table.numbers(j, "features")[:, None])
            names.append(name)
        else:
            parts.append(vectors)
            names += [f"{name}_{k}" for k in range(vectors.shape[1])]
    return np.concatenate(parts, axis=1), tuple(names)


def _vectors(table: Table, column: int) -> np.ndarray | None:
    """A column of lists of numbers, all of one length, as (N, length); None if it is no such."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values: Any = table.columns[column].combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # how some versions give back an empty column
        return None
    kinds = pa.types
    if not (
        kinds.is_list(values.type)
        or kinds.is_large_list(values.type)
        or kinds.is_fixed_size_list(values.type)
    ):
        return None
    where, name = table.where, table.names[column]
    lengths = pc.fill_null(pc.list_value_length(values), -1).to_numpy(zero_copy_only=False)
    if not len(lengths):
        return None
    if (lengths != lengths[0]).any() or lengths[0] < 1:
        row = int(np.argmax((lengths != lengths[0]) | (lengths < 1)))
        raise InputError(
            f"{where}, {table.locate(row)}, column {name!r}: every row needs a list of the same "
            f"length; this one has {max(lengths[row], 0)}, the first {max(lengths[0], 0)}."
        )
    flat = Table(where, [pa.chunked_array([values.flatten()])], (name,), True)
    flat.locate = lambda i: table.locate(i // int(lengths[0]))
    return flat.numbers(0, "features").reshape(len(values), int(lengths[0]))
