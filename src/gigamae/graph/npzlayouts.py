"""The layouts in which .npz and .npy files hold graphs, features and labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.arrays import csr_from, read_npy, read_npz
from gigamae.graph.canonical import Features
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


def features_from_file(path: Path) -> NodeTable:
    """Features in an .npy, or in an .npz: dense, SciPy sparse, or with an array ``ids`` beside."""
    if path.suffix == ".npy":
        return features_from_array(read_npy(path), str(path))
    arrays = read_npz(path)
    x = _scipy_matrix(path) if "format" in arrays else _features_in(arrays, path)
    if x is None:
        numeric = [k for k, v in arrays.items() if v.ndim == 2 and v.dtype.kind in "iufb"]
        if len(numeric) != 1:
            raise InputError(
                f"{path}: no features found among its arrays {', '.join(arrays)}. Save them as "
                "'x', or a SciPy matrix by scipy.sparse.save_npz."
            )
        x = arrays[numeric[0]]
    table = features_from_array(x, str(path))
    table.ids = _ids_in(arrays)
    return table


def labels_from_file(path: Path) -> NodeTable:
    """Labels in an .npy, or in an .npz under ``y`` or ``labels``, with ``ids`` beside or not."""
    if path.suffix == ".npy":
        return labels_from_array(read_npy(path), str(path))
    arrays = read_npz(path)
    key = next((k for k in LABEL_KEYS if k in arrays), None)
    if key is None and len(arrays) == 1:
        key = next(iter(arrays))
    if key is None:
        raise InputError(
            f"{path}: no labels found among its arrays {', '.join(arrays)}. Save them as 'y'."
        )
    table = labels_from_array(arrays[key], str(path))
    table.ids = _ids_in(arrays)
    return table


def parts_from_npz(path: Path, directed: bool | None) -> Parts:
    """A graph in one .npz, in any of the layouts that are about.

    Edges as ``edge_index`` (2, E) or ``edges`` (E, 2), ``adj_*`` (gnn-benchmark), a SciPy matrix
    or one array; features as ``x``, ``x_*``, ``attr_*``, ``node_features``; labels as ``y``,
    ``labels``, ``node_labels``; ``class_names``, ``ids`` and ``edge_weight`` where they are.
    """
    arrays, where = read_npz(path), str(path)
    x = _features_in(arrays, path)
    label_key = next((k for k in LABEL_KEYS if k in arrays), None)
    ids = _ids_in(arrays)
    edges = _edges_in(arrays, path, directed)
    if (x is not None and not edges.complete) or ids is not None:
        n = x.shape[0] if x is not None else len(ids) if ids is not None else 0
        if len(edges.ids) and (edges.ids.values.min() < 0 or edges.ids.values.max() >= n):
            raise InputError(
                f"{where}: its edges name node {edges.ids.values.max()}, but there are {n:,} "
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
        adjacency = _scipy_matrix(path)
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


def _ids_in(arrays: Mapping[str, np.ndarray]) -> Ids | None:
    key = next((k for k in ID_KEYS if k in arrays), None)
    if key is None:
        return None
    values = arrays[key]
    if values.dtype.kind in "iu":
        return Ids(values.astype(np.int64), "int")
    return Ids(values.astype(str).astype(object), "str")


def _scipy_matrix(path: Path) -> sp.csr_matrix:
    try:
        return sp.csr_matrix(sp.load_npz(path))
    except (ValueError, KeyError, OSError) as error:
        raise InputError(f"{path}: not a SciPy sparse matrix: {error}.") from error
