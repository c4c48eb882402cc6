"""Assembly: edges, features and labels, each with ids of its own, become one Graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.canonical import Features, first_bad_row
from gigamae.graph.graph import Graph
from gigamae.graph.ids import encode, positions, settle, some
from gigamae.graph.labels import check_class_count, encode_labels
from gigamae.graph.parts import Edges, Ids, NodeTable, Parts

DIRECTED = "Directed edges were read as undirected."


def assemble(parts: Parts, name: str) -> Graph:
    """The graph of some parts, checked.

    Nodes come in the order of a source that has one (a matrix, a NetworkX graph), else sorted
    by id. Nodes that only the features (or, without features, the labels) name are isolated.

    Raises:
        InputError: ids with edges and no feature row, or with a label and no node; rows without
            ids that cannot be matched; values that are not finite; more classes than nodes.
    """
    edges, features, labels = parts.edges, parts.features, parts.labels
    notes = list(parts.notes)
    for table in (features, labels):
        notes += [] if table is None else table.notes
    if features is not None and features.labels is not None and labels is None:
        labels = replace(features, x=None)
    if features is not None and features.x is None:
        features = None
    if (
        features is not None
        and features.ids is not None
        and labels is not None
        and labels.ids is None
        and labels.num_rows == features.num_rows
    ):
        labels = replace(labels, ids=features.ids)  # labels without ids follow the feature rows
    nodes, place = _nodes(edges, features, labels, notes)
    if edges.directed:
        notes.append(DIRECTED)
    weights = edges.weights
    if weights is not None and len(weights) and (weights == 1).all():
        weights = None  # an unweighted graph, whether it is written with ones or not
    y, class_names = None, parts.class_names
    if labels is not None and labels.labels is not None:
        y, found = _labels(labels, nodes)
        if class_names is not None and all(c.isdigit() and int(c) < len(class_names) for c in found):
            class_names = [class_names[int(c)] for c in found]  # numbers that name classes
        else:
            class_names = list(found)
    plain = edges.numbered and np.array_equal(nodes.values, np.arange(len(nodes)))
    graph = Graph.from_edges(
        np.stack([place[edges.source], place[edges.target]], axis=1),
        None if features is None else _features(features, nodes),
        num_nodes=len(nodes),
        weights=weights,
        y=y,
        node_ids=None if plain else _id_array(nodes, edges.where),
        feature_names=None if features is None else features.names,
        class_names=class_names,
        name=name,
    )
    return replace(graph, notes=(*notes, *graph.notes))


def _nodes(
    edges: Edges, features: NodeTable | None, labels: NodeTable | None, notes: list[str]
) -> tuple[Ids, np.ndarray]:
    """All nodes in order, and where each of the edges' ids stands among them.

    The ids of ``features`` and ``labels`` are changed in place to the kind of the nodes'.
    """
    tables = [t for t in (features, labels) if t is not None and t.ids is not None]
    own, *others = settle(edges.ids, *(t.ids for t in tables if t.ids is not None))
    for table, ids in zip(tables, others, strict=True):
        table.ids = ids
    leading = features if features is not None else labels
    if leading is not None and leading.ids is None:
        return _nodes_by_row(edges, own, leading, notes)
    extra = np.empty(0, own.values.dtype)
    if leading is not None and leading.ids is not None:
        extra = leading.ids.values[positions(leading.ids.values, own.values) < 0]
    if len(extra):
        notes.append(f"{len(extra):,} nodes have no edge (isolated): {some(extra)}.")
    everyone = Ids(np.concatenate([own.values, extra]), own.kind)
    if not edges.complete:
        everyone = encode(everyone)[0]
    if features is not None and features.ids is not None:
        _refuse_without_row(everyone, features.ids, features.where, edges.where)
    return everyone, positions(own.values, everyone.values)


def _nodes_by_row(
    edges: Edges, own: Ids, table: NodeTable, notes: list[str]
) -> tuple[Ids, np.ndarray]:
    """Rows without ids: row i is node i, where nodes are in an order or numbered 0..N-1."""
    rows, count = table.num_rows, len(own)
    if edges.complete:
        if rows != count:
            raise InputError(
                f"{table.where} has {rows:,} rows for the {count:,} nodes of {edges.where}; give "
                "one row a node, or a table with an id column."
            )
        return own, np.arange(count)
    remedy = (
        f"Give {table.where} as a table (CSV, Parquet) with an id column, "
        "or as .npz with an array ids."
    )
    if own.kind != "int":
        raise InputError(
            f"{table.where} has rows without ids, but {edges.where} names nodes by text "
            f"({some(own.values, 3)}), so rows cannot be matched to nodes. {remedy}"
        )
    if count and (own.values.min() < 0 or own.values.max() >= rows):
        low, high = own.values.min(), own.values.max()
        if rows >= count:
            raise InputError(
                f"{table.where} has {rows:,} rows without ids, so edges must name nodes "
                f"0..{rows - 1}; {edges.where} names {low}..{high}. {remedy}"
            )
        raise InputError(
            f"{table.where} has {rows:,} rows for {count:,} nodes in {edges.where} (numbered "
            f"{low}..{high}); give one row a node. {remedy}"
        )
    if rows > count:
        notes.append(f"{rows - count:,} nodes have no edge (isolated).")
    return Ids(np.arange(rows), "int"), own.values


def _refuse_without_row(nodes: Ids, told: Ids, where: str, edges_where: str) -> None:
    missing = nodes.values[positions(nodes.values, told.values) < 0]
    if len(missing):
        raise InputError(
            f"{edges_where} names {len(missing):,} nodes without a row in {where}: "
            f"{some(missing)}. Add their rows, or drop their edges (if the first line of "
            f"{edges_where} is a header, say so: header=True)."
        )


def _features(table: NodeTable, nodes: Ids) -> Features:
    """Features in the order of the nodes."""
    x = table.x
    assert x is not None, "the caller has looked"
    values = x if isinstance(x, np.ndarray) else x.data
    if values.dtype.kind not in "fiub":
        raise InputError(
            f"{table.where}: features must be numbers; these are {values.dtype}. Encode text as "
            "0/1 columns (one-hot)."
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = first_bad_row(x)
        raise InputError(
            f"{table.where}, {table.locate(row)}: features hold NaN or infinity. Fill or drop "
            "such values first."
        )
    if table.ids is None:
        return x
    order = positions(nodes.values, table.ids.values)
    return sp.csr_matrix(x)[order] if sp.issparse(x) else x[order]


def _labels(table: NodeTable, nodes: Ids) -> tuple[np.ndarray, tuple[str, ...]]:
    """Class numbers in the order of the nodes."""
    assert table.labels is not None, "the caller has looked"
    y, names = encode_labels(table.labels, table.where)
    check_class_count(len(names), len(nodes), table.where)
    if table.ids is None:
        if len(y) != len(nodes):
            raise InputError(
                f"{table.where} has {len(y):,} labels for {len(nodes):,} nodes; give one a node, "
                "or a table with an id column."
            )
        return y, names
    place = positions(table.ids.values, nodes.values)
    if (place < 0).any():
        unknown = table.ids.values[place < 0]
        row = int(np.argmax(place < 0))
        raise InputError(
            f"{table.where}, {table.locate(row)}: {len(unknown):,} labelled ids are no nodes of "
            f"the graph: {some(unknown)}. Drop them, or add their feature rows."
        )
    full = np.full(len(nodes), -1, dtype=np.int64)
    full[place] = y
    return full, names


def _id_array(nodes: Ids, where: str) -> np.ndarray:
    if nodes.kind == "int":
        return nodes.values
    cut = next((v for v in nodes.values if v.endswith("\0")), None)
    if cut is not None:  # NumPy's text loses it, and two ids may become one
        raise InputError(f"{where}: the id {cut!r} ends in a NUL character; remove it.")
    return nodes.values.astype(str)
