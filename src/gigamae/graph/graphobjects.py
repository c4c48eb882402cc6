"""NetworkX and igraph: edges, weights and what their nodes carry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.edgelists import EdgeColumns
from gigamae.graph.ids import from_objects
from gigamae.graph.matrices import checked_weights, features_from_array
from gigamae.graph.nodetables import LABEL_NAMES
from gigamae.graph.parts import Edges, NodeTable, Parts, numbered_ids

FEATURE_ATTRIBUTES = ("x", "feat", "features", "feature", "attr")


def from_networkx(
    graph: Any, columns: EdgeColumns, label: str | int | None, directed: bool | None
) -> Parts:
    where, notes = "the NetworkX graph", list[str]()
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    ends = [(place[u], place[v]) for u, v in graph.edges()]
    told = columns.weight
    key = "weight" if told is None or told is True else told
    weights = [] if told is False else [d.get(key) for *_, d in graph.edges(data=True)]
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    edges = Edges(
        pairs[:, 0],
        pairs[:, 1],
        from_objects(nodes, where, notes),
        _given_weights(weights, key, where),
        where,
        directed=graph.is_directed() if directed is None else directed,
        complete=True,
    )
    about = [graph.nodes[node] for node in nodes]
    return Parts(edges, *_about_nodes(about, label, where), None, notes)


def from_igraph(
    graph: Any, columns: EdgeColumns, label: str | int | None, directed: bool | None
) -> Parts:
    where, notes = "the igraph graph", list[str]()
    told, attributes = columns.weight, graph.es.attributes()
    key = "weight" if told is None or told is True else told
    weights = graph.es[key] if told is not False and key in attributes else []
    if told is not None and told is not True and told is not False and key not in attributes:
        raise InputError(f"{where}: edges have no attribute {key!r}; they have {attributes}.")
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    named = "name" in graph.vs.attributes()
    ids = numbered_ids(graph.vcount())
    if named:
        ids = from_objects(graph.vs["name"], where, notes)
        if len(set(graph.vs["name"])) < graph.vcount():
            raise InputError(f"{where}: two vertices have the same name; make names different.")
    edges = Edges(
        pairs[:, 0],
        pairs[:, 1],
        ids,
        _given_weights(weights, key, where),
        where,
        directed=graph.is_directed() if directed is None else directed,
        complete=True,
        numbered=not named,
    )
    about = [v.attributes() for v in graph.vs]
    return Parts(edges, *_about_nodes(about, label, where), None, notes)


def _given_weights(weights: Iterable[Any], key: object, where: str) -> np.ndarray | None:
    """Weights of all edges, or None where no edge has one."""
    weights = list(weights)
    if all(w is None for w in weights):
        if key not in ("weight", None) and weights:
            raise InputError(f"{where}: no edge has the attribute {key!r}.")
        return None
    if any(w is None for w in weights):
        at = next(i for i, w in enumerate(weights) if w is None)
        raise InputError(f"{where}: edge {at} (counted from 0) has no {key!r}; others have one.")
    return checked_weights(np.array(weights, dtype=np.float64), where)


def _about_nodes(
    about: list[dict], label: str | int | None, where: str
) -> tuple[NodeTable | None, NodeTable | None]:
    """Features and labels from the attributes of nodes.

    Features are the vectors called x, feat or features, else all attributes that are a number
    for every node.
    """
    names = set().union(*about) if about else set()
    features = labels = None
    usual = next((k for k in LABEL_NAMES if k in names), None)
    chosen = usual if label is None else label
    key = next((k for k in FEATURE_ATTRIBUTES if k in names and k != chosen), None)
    if key is not None:
        features = features_from_array(_vectors(about, key, where), where)
    else:
        numeric = [k for k in about[0] if k != chosen and _all_numbers(about, k)] if about else []
        if numeric:
            x = np.array([[float(d[k]) for k in numeric] for d in about])
            features = features_from_array(x, where)
            features.names = tuple(map(str, numeric))
    if label is not None and label not in names:
        raise InputError(f"{where}: no node has the attribute {label!r} (the label column).")
    if chosen is not None:
        labels = NodeTable(where, len(about))
        labels.labels = np.array([d.get(chosen) for d in about], dtype=object)
    return features, labels


def _all_numbers(about: list[dict], key: str) -> bool:
    return all(isinstance(d.get(key), (int, float, np.integer, np.floating)) for d in about)


def _vectors(about: list[dict], key: str, where: str) -> np.ndarray:
    rows = [np.atleast_1d(np.asarray(d.get(key, ()), dtype=object)) for d in about]
    for i, row in enumerate(rows):
        if row.ndim != 1 or not row.size or row.shape != rows[0].shape:
            raise InputError(
                f"{where}: node {i} (counted from 0) has {key!r} of shape {row.shape}, the first "
                f"{rows[0].shape}; every node needs a vector of the same length."
            )
    try:
        return np.stack(rows).astype(np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{where}: {key!r} must hold numbers: {error}.") from error
