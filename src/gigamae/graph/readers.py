"""read_graph: whatever holds a graph, from a path or in memory, becomes a Graph."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gigamae.errors import InputError
from gigamae.graph.arrays import PICKLE_REFUSED, read_npy, read_npz
from gigamae.graph.assemble import assemble
from gigamae.graph.catalogue import canonical_name
from gigamae.graph.edgelists import EdgeColumns, edge_header, edges_from_table, names_a_column
from gigamae.graph.folder import files_in
from gigamae.graph.graph import Graph
from gigamae.graph.graphml import parts_from_graphml
from gigamae.graph.ids import from_objects
from gigamae.graph.matrices import edges_from_array, features_from_array, labels_from_array
from gigamae.graph.nodetables import (
    ID_NAMES,
    LABEL_NAMES,
    NodeColumns,
    features_from_table,
    labels_from_table,
    node_header,
)
from gigamae.graph.npzlayouts import features_from_file, labels_from_file, parts_from_npz
from gigamae.graph.objects import library_of, parts_from_object
from gigamae.graph.parts import Edges, Ids, NodeTable, Parts
from gigamae.graph.store import graph_from, is_saved_graph
from gigamae.graph.tablefiles import (
    FRAME_LIBRARIES,
    PARQUET_SUFFIXES,
    TEXT_SUFFIXES,
    frame_table,
    read_table,
)

PICKLE_SUFFIXES = frozenset((".pkl", ".pickle", ".pt", ".pth", ".gpickle", ".joblib"))


@dataclass(frozen=True)
class _Asked:
    """How the caller wants a source to be read."""

    edges: EdgeColumns
    nodes: NodeColumns
    header: bool | None
    directed: bool | None


def read_graph(
    source: Any,
    *,
    features: Any = None,
    labels: Any = None,
    directed: bool | None = None,
    header: bool | None = None,
    source_column: str | int | None = None,
    target_column: str | int | None = None,
    weight_column: str | int | bool | None = None,
    id_column: str | int | None = None,
    label_column: str | int | None = None,
    name: str | None = None,
) -> Graph:
    """Read a graph from files or from objects in memory.

    Args:
        source: the edges. A path: an edge list (.csv, .tsv, .txt, .parquet), .npy or .npz, a
            .graphml, or a folder with edges.*, features.* and labels.*. Or an object: a SciPy
            adjacency matrix, an array or list of pairs, a pandas or polars frame, a NetworkX,
            igraph or DGL graph, PyG ``Data``, a tuple (edge_index, x) or (edge_index, x, y).
        features: a path (.csv, .tsv, .parquet, .npy, .npz) or an array, a SciPy matrix, a
            tensor or a frame. Tables are matched by their id column; arrays have one row a
            node. None where the source has features itself or there are none; then structural
            ones are made.
        labels: one a node, of any values, given like features. Training never sees them.
        directed: True says that edges have a direction. They are read as undirected all the
            same, which is noted. None takes the source's word.
        header: whether text files begin with column names. None finds out.
        source_column, target_column, weight_column: columns of the edge list by name or number
            from 0. None takes the usual names, else the first two, and a third that is named
            like a weight (or is there, without a header). ``weight_column=False``: no weights.
        id_column: the column of ids in tables of features and labels. None takes ``id``,
            ``node`` or ``node_id``, else the first column if it holds the edges' ids.
        label_column: the column of labels, in the table of labels, else in that of features,
            or the node attribute of a GraphML, NetworkX or igraph graph.
        name: what messages call the graph.

    Returns:
        The graph; ``graph.notes`` tells what was changed or assumed.

    Raises:
        InputError: anything wrong with the input: what, where (file and row), what to do.

    Example:
        >>> g = read_graph([("ann", "bob"), ("bob", "cy")])
        >>> g.node_ids.tolist(), g.num_edges
        (['ann', 'bob', 'cy'], 2)
    """
    asked = _Asked(
        EdgeColumns(source_column, target_column, weight_column),
        NodeColumns(id_column, label_column),
        header,
        directed,
    )
    told_name = name
    if isinstance(source, Graph):
        if features is None and labels is None:
            return source if name is None else replace(source, name=name)
        parts: Parts | Graph = _parts_of(source)
        name = name or source.name
    elif isinstance(source, (str, Path)):
        path = existing(source)
        name = name or path.name.split(".")[0]
        if path.is_dir():
            path, own_features, own_labels = files_in(path)
            features = own_features if features is None else features
            labels = own_labels if labels is None else labels
        parts = _parts_from_file(path, asked)
    else:
        parts = parts_from_object(source, asked.edges, label_column, directed)
    if isinstance(parts, Graph):  # a saved one, which keeps its name
        return read_graph(parts, features=features, labels=labels, header=header,
                          id_column=id_column, label_column=label_column, name=told_name)  # fmt: skip
    edge_ids = parts.edges.ids
    if features is not None:
        parts.features = _features(features, edge_ids, asked)
    if labels is not None:
        parts.labels, parts.class_names = _labels(labels, edge_ids, asked), None
    elif label_column is not None and not _has_labels(parts):
        raise InputError(
            f"There is no column {label_column!r} to take labels from (label_column): give "
            "labels=, or features= with that column."
        )
    return assemble(parts, name or "graph")


def existing(path: str | Path) -> Path:
    """The path, or an error that names what lies near it."""
    if not str(path):
        raise InputError("The path is empty; give the name of a file or folder.")
    path = Path(path).expanduser()
    if path.exists():
        return path
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no such file, nor the folder {folder}.")
    near = difflib.get_close_matches(path.name, [p.name for p in folder.iterdir()], n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    if canonical_name(path.name) is not None:
        hint += f" The dataset of that name is read with load_dataset({path.name!r})."
    raise InputError(f"{path}: there is no such file.{hint}")


def _has_labels(parts: Parts) -> bool:
    in_features = parts.features is not None and parts.features.labels is not None
    return in_features or parts.labels is not None


def _suffix(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    return suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else path.suffix.lower()


def _parts_from_file(path: Path, asked: _Asked) -> Parts | Graph:
    suffix = _suffix(path)
    if suffix == ".graphml":
        return parts_from_graphml(path, asked.nodes.label, asked.edges.weight, asked.directed)
    if suffix == ".npy":
        return Parts(edges_from_array(read_npy(path), str(path), asked.directed))
    if suffix == ".npz":
        arrays = read_npz(path)
        if is_saved_graph(arrays):
            return graph_from(arrays, path)
        return parts_from_npz(path, asked.directed)
    _refuse_other(path, suffix, ".graphml")
    header = True if asked.edges.by_name else asked.header
    table = read_table(path, header, edge_header)
    return edges_from_table(table, asked.edges, asked.directed)


def _features(source: Any, edge_ids: Ids, asked: _Asked) -> NodeTable:
    if not isinstance(source, (str, Path)):
        if library_of(source) in FRAME_LIBRARIES:
            return features_from_table(_frame(source, "features"), asked.nodes, edge_ids)
        return features_from_array(source, "the features")
    path = existing(source)
    suffix = _suffix(path)
    if suffix in (".npy", ".npz"):
        return features_from_file(path)
    _refuse_other(path, suffix)
    header = True if asked.nodes.by_name else asked.header
    as_text: list[str | int] = [*ID_NAMES, *LABEL_NAMES]
    for column in (asked.nodes.id, asked.nodes.label):
        if column is not None:
            as_text.append(str(column).lower() if names_a_column(column) else int(column))
    table = read_table(path, header, node_header(edge_ids), as_text=as_text)
    return features_from_table(table, asked.nodes, edge_ids)


def _labels(source: Any, edge_ids: Ids, asked: _Asked) -> NodeTable:
    if not isinstance(source, (str, Path)):
        if library_of(source) in FRAME_LIBRARIES:
            return labels_from_table(_frame(source, "labels"), asked.nodes, edge_ids)
        return labels_from_array(source, "the labels")
    path = existing(source)
    suffix = _suffix(path)
    if suffix in (".npy", ".npz"):
        return labels_from_file(path)
    _refuse_other(path, suffix)
    header = True if asked.nodes.by_name else asked.header
    table = read_table(path, header, node_header(edge_ids))
    return labels_from_table(table, asked.nodes, edge_ids)


def _frame(source: Any, what: str) -> Any:
    if hasattr(source, "to_frame"):  # a series of pandas or polars is a frame of one column
        source = source.to_frame(name=str(source.name or what))
    return frame_table(source, f"the table of {what}")


def _refuse_other(path: Path, suffix: str, *more: str) -> None:
    if suffix in PICKLE_SUFFIXES:
        raise InputError(f"{path} {PICKLE_REFUSED}")
    known = TEXT_SUFFIXES | PARQUET_SUFFIXES
    if suffix not in known:
        raise InputError(
            f"{path}: files of type {suffix} are not read here. Give .csv, .tsv, .parquet, .npy "
            f"or .npz{''.join(f', {s}' for s in more)}."
        )


def _parts_of(graph: Graph) -> Parts:
    """A Graph taken apart, to be given other features or labels."""
    edges = graph.edges
    edges_part = Edges(
        edges[:, 0], edges[:, 1], from_objects(graph.ids.tolist(), graph.name, []),
        graph.edge_weights, graph.name, complete=True, numbered=graph.node_ids is None,
    )  # fmt: skip
    features = None
    if not graph.features_made:
        features = NodeTable(graph.name, graph.num_nodes, x=graph.x, names=graph.feature_names)
    labels = None if graph.y is None else NodeTable(graph.name, graph.num_nodes, labels=graph.y)
    names = None if graph.class_names is None else list(graph.class_names)
    return Parts(edges_part, features, labels, names)
