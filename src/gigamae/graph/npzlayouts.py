"""The layouts in which .npz and .npy files hold graphs, features and labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.arrays import csr_from, read_npy, read_npz, read_scipy
from gigamae.graph.canonical import Features
from gigamae.graph.ids import from_numbers, from_objects
from gigamae.graph.matrices import (
    checked_weights,
    edges_from_array,
    edges_from_matrix,
    features_from_array,
    labels_from_array,
)
from gigamae.graph.parts import Edges, Ids, NodeTable, Parts, numbered_ids
from gigamae.graph.rawfiles import class_names

EDGE_KEYS = ("edge_index", "edges", "edge_list")
FEATURE_KEYS = ("x", "features", "node_features", "attr_matrix", "attr", "feat")
LABEL_KEYS = ("y", "labels", "label", "node_labels")
ID_KEYS = ("ids", "node_ids", "id")
WEIGHT_KEYS = ("edge_weight", "edge_weights", "weights", "weight")
_KEYS = (*EDGE_KEYS, *FEATURE_KEYS, *LABEL_KEYS, *ID_KEYS, *WEIGHT_KEYS)


def features_from_file(path: Path) -> NodeTable:
    """Features in an .npy, or in an .npz: dense, SciPy sparse, or with an array ``ids`` beside."""
    if _is_npy(path):
        return features_from_array(read_npy(path), str(path))
    arrays = read_npz(path, (*FEATURE_KEYS, *ID_KEYS))
    x = read_scipy(path) if "format" in arrays else _features_in(arrays, path)
    if x is None:
        numeric = [k for k, v in arrays.items() if v.ndim == 2 and v.dtype.kind in "iufb"]
        if len(numeric) != 1:
            raise InputError(
                f"{path}: no features found among its arrays {', '.join(arrays)}. Save them as "
                "'x', or a SciPy matrix by scipy.sparse.save_npz."
            )
        x = arrays[numeric[0]]
    table = features_from_array(x, str(path))
    table.ids = _ids_in(arrays, table.num_rows, path)
    return table


def labels_from_file(path: Path) -> NodeTable:
    """Labels in an .npy, or in an .npz under ``y`` or ``labels``, with ``ids`` beside or not."""
    if _is_npy(path):
        return labels_from_array(read_npy(path), str(path))
    arrays = read_npz(path, (*LABEL_KEYS, *ID_KEYS))
    key = next((k for k in LABEL_KEYS if k in arrays), None)
    if key is None and len(arrays) == 1:
        key = next(iter(arrays))
    if key is None:
        raise InputError(
            f"{path}: no labels found among its arrays {', '.join(arrays)}. Save them as 'y'."
        )
    table = labels_from_array(arrays[key], str(path))
    table.ids = _ids_in(arrays, table.num_rows, path)
    return table


def parts_from_npz(path: Path, directed: bool | None) -> Parts:
    """A graph in one .npz, in any of the layouts that are about.

    Edges as ``edge_index`` (2, E) or ``edges`` (E, 2), ``adj_*`` (gnn-benchmark), a SciPy matrix
    or one array; features as ``x``, ``x_*``, ``attr_*``, ``node_features``; labels as ``y``,
    ``labels``, ``node_labels``; ``class_names``, ``ids`` and ``edge_weight`` where they are.
    """
    arrays, where = read_npz(path, _KEYS), str(path)
    x = _features_in(arrays, path)
    label_key = next((k for k in LABEL_KEYS if k in arrays), None)
    ids = _ids_in(arrays, None if x is None else x.shape[0], path)
    edges = _edges_in(arrays, path, directed)
    if (x is not None and not edges.complete) or ids is not None:
        n = x.shape[0] if x is not None else len(ids) if ids is not None else 0
        named = edges.ids.values
        if len(named) and (edges.ids.kind != "int" or named.min() < 0 or named.max() >= n):
            raise InputError(
                f"{where}: its edges name node {max(named, key=int)}, but there are {n:,} "
                "feature rows or ids (nodes are numbered from 0)."
            )
        edges.source, edges.target = edges.ids.values[edges.source], edges.ids.values[edges.target]
        edges.ids = numbered_ids(n) if ids is None else ids
        edges.complete, edges.numbered = True, ids is None
    return Parts(
        edges,
        None if x is None else features_from_array(x, where),
        None if label_key is None else labels_from_array(arrays[label_key], where),
        class_names(arrays),
    )


def _edges_in(arrays: Mapping[str, np.ndarray], path: Path, directed: bool | None) -> Edges:
    where = str(path)
    adjacency = csr_from(arrays, "adj_", path)
    if adjacency is None and "format" in arrays:
        adjacency = read_scipy(path)
    if adjacency is not None:
        return edges_from_matrix(adjacency, where, directed)
    key = next((k for k in EDGE_KEYS if k in arrays), None)
    if key is None and len(arrays) == 1:
        key = next(iter(arrays))
    if key is None:
        raise InputError(
            f"{path}: no edges found among its arrays {', '.join(arrays)}. Save them as "
            "'edge_index' (2, E), or give the edges in a file of their own."
        )
    values = arrays[key]
    if key == "edge_index" and values.ndim == 2 and values.shape[0] == 2:
        values = values.T  # also where it is (2, 2) or (2, 3)
    weight_key = next((k for k in WEIGHT_KEYS if k in arrays), None)
    edges = edges_from_array(values, where, directed)
    if weight_key is not None and not edges.complete:
        weights = arrays[weight_key].reshape(-1)
        if len(weights) != len(edges.source):
            raise InputError(
                f"{path}: {len(weights):,} weights for {len(edges.source):,} edges; give one each."
            )
        edges.weights = checked_weights(weights, where)
    return edges


def _features_in(arrays: Mapping[str, np.ndarray], path: Path) -> Features | None:
    for prefix in ("x_", "attr_", "features_"):
        if (x := csr_from(arrays, prefix, path)) is not None:
            return x
    key = next((k for k in FEATURE_KEYS if k in arrays and arrays[k].ndim == 2), None)
    return None if key is None else arrays[key]


def _ids_in(arrays: Mapping[str, np.ndarray], rows: int | None, path: Path) -> Ids | None:
    """The ids beside ``rows`` rows, one each and none of them twice."""
    key = next((k for k in ID_KEYS if k in arrays), None)
    if key is None:
        return None
    values = arrays[key]
    if values.ndim != 1 or rows not in (None, len(values)):
        count = "one a node" if rows is None else f"one for each of the {rows:,} rows"
        raise InputError(f"{path}: its array {key!r} has shape {values.shape}; give ids, {count}.")
    ids = from_numbers(values) if values.dtype.kind in "iuf" else from_objects(_text(values), str(path), [])
    if ids is None:
        raise InputError(f"{path}: its array {key!r} holds no whole numbers; ids are whole numbers or text.")
    unique, first = np.unique(ids.values, return_index=True)
    if len(unique) < len(values):
        twice = int(np.setdiff1d(np.arange(len(values)), first)[0])
        raise InputError(f"{path}: its array {key!r} has {values[twice]} twice; each node needs one row.")
    return ids


def _text(values: np.ndarray) -> list[str]:
    return values.astype(str).tolist()  # type: ignore[no-any-return]


def _is_npy(path: Path) -> bool:
    return ".npy" in [suffix.lower() for suffix in path.suffixes[-2:]]
