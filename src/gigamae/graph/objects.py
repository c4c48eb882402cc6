"""Python objects as graphs: SciPy, NumPy, NetworkX, igraph, PyG, DGL, data frames, lists of pairs.

Other libraries are recognised by the name of an object's module, so none is imported here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.edgelists import EdgeColumns, edges_from_table
from gigamae.graph.graphobjects import FEATURE_ATTRIBUTES, from_igraph, from_networkx
from gigamae.graph.ids import encode, from_objects
from gigamae.graph.matrices import (
    as_array,
    checked_weights,
    edges_from_array,
    edges_from_matrix,
    features_from_array,
    labels_from_array,
)
from gigamae.graph.nodetables import LABEL_NAMES
from gigamae.graph.parts import Edges, Parts, numbered_ids
from gigamae.graph.tablefiles import FRAME_LIBRARIES, frame_table


def library_of(value: Any) -> str:
    """The package an object's class comes from."""
    return type(value).__module__.split(".")[0]


def parts_from_object(
    source: Any, columns: EdgeColumns, label: str | int | None, directed: bool | None
) -> Parts:
    """The parts of a graph held in memory, or an error that lists what is understood."""
    library = library_of(source)
    if library == "networkx" or (hasattr(source, "adjacency") and hasattr(source, "is_multigraph")):
        return from_networkx(source, columns, label, directed)
    if library == "igraph":
        return from_igraph(source, columns, label, directed)
    if library in FRAME_LIBRARIES:
        return edges_from_table(frame_table(source, "the edge table"), columns, directed)
    if hasattr(source, "ndata") and hasattr(source, "edata"):
        return _from_dgl(source, columns, directed)
    if hasattr(source, "edge_index") and not hasattr(source, "edge_index_dict"):
        return _from_pyg(source, directed)
    if isinstance(source, tuple) and len(source) in (2, 3):
        return _from_tuple(source, directed)
    if isinstance(source, list) and source and all(isinstance(p, (tuple, list)) for p in source):
        return _from_pairs(source, directed)
    array = as_array(source)
    if array is None or (isinstance(array, np.ndarray) and array.dtype.kind not in "iufb"):
        raise InputError(
            f"{type(source).__name__} is not understood as a graph. Give a path, a SciPy "
            "adjacency matrix, an array of pairs, a list of pairs, a pandas or polars frame, a "
            "NetworkX, igraph or DGL graph, or PyG Data (not HeteroData)."
        )
    if isinstance(array, np.ndarray):
        if library == "torch" and array.ndim == 2 and len(array) == 2:
            array = array.T  # an edge index, also where it is (2, 2) or (2, 3)
        return Parts(edges_from_array(array, "the edge array", directed))
    return Parts(edges_from_matrix(array, "the adjacency matrix", directed))


def _from_tuple(source: tuple, directed: bool | None) -> Parts:
    """(edge_index, x) or (edge_index, x, y): nodes are the rows of x."""
    edge_index = as_array(source[0])
    if edge_index is None:
        raise InputError("Of (edges, features) the edges are no array; give (2, M) or (M, 2).")
    features = None if source[1] is None else features_from_array(source[1], "the features")
    labels = None
    if len(source) == 3 and source[2] is not None:
        labels = labels_from_array(source[2], "the labels")
    if sp.issparse(edge_index):
        return Parts(edges_from_matrix(edge_index, "the edges", directed), features, labels)
    count = None if features is None else features.num_rows
    edges = _numbered_edges(edge_index, count, None, "the edges", directed)
    return Parts(edges, features, labels)


def _numbered_edges(
    edge_index: np.ndarray,
    count: int | None,
    weights: np.ndarray | None,
    where: str,
    directed: bool | None,
) -> Edges:
    """Edges between node numbers, as (2, M); (M, 2) is turned where it can be nothing else."""
    pairs = edge_index if edge_index.shape[0] == 2 else edge_index.T
    if pairs.ndim != 2 or len(pairs) != 2 or pairs.dtype.kind not in "iu":
        raise InputError(
            f"{where}: an edge index holds whole numbers of shape (2, M); this is "
            f"{edge_index.dtype} of shape {edge_index.shape}."
        )
    pairs = pairs.astype(np.int64)
    n = count if count is not None else int(pairs.max(initial=-1)) + 1
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
        raise InputError(
            f"{where}: it names node {pairs.min() if pairs.min() < 0 else pairs.max()}, but nodes "
            f"are numbered 0..{n - 1}."
        )
    if weights is not None and len(weights) != pairs.shape[1]:
        raise InputError(f"{where}: {len(weights)} weights for {pairs.shape[1]} edges.")
    if directed is None:
        forward = np.unique(pairs[0] * n + pairs[1])
        directed = not np.array_equal(forward, np.unique(pairs[1] * n + pairs[0])) or None
        if _each_once(pairs, n):
            directed = None  # a list of undirected edges, each written once
    return Edges(
        pairs[0],
        pairs[1],
        numbered_ids(n),
        checked_weights(weights, where),
        where,
        directed=directed,
        complete=True,
        numbered=True,
    )


def _each_once(pairs: np.ndarray, n: int) -> bool:
    key = np.minimum(pairs[0], pairs[1]) * n + np.maximum(pairs[0], pairs[1])
    return len(np.unique(key)) == len(key)


def _from_pairs(source: list, directed: bool | None) -> Parts:
    """[(u, v), ...] or [(u, v, weight), ...] with ids of any kind."""
    widths = {len(pair) for pair in source}
    if not widths <= {2, 3} or len(widths) > 1:
        odd = next(i for i, pair in enumerate(source) if len(pair) != len(source[0]))
        raise InputError(
            f"The list of edges, entry {odd}: every entry needs two ids, or two and a weight."
        )
    notes: list[str] = []
    ends = [pair[k] for k in (0, 1) for pair in source]
    ids, (codes,) = encode(from_objects(ends, "The list of edges", notes))
    weights = None
    if widths == {3}:
        weights = checked_weights(
            np.array([float(pair[2]) for pair in source]), "The list of edges"
        )
    source_codes, target_codes = codes[: len(source)], codes[len(source) :]
    edges = Edges(source_codes, target_codes, ids, weights, "the list of edges", directed=directed)
    return Parts(edges, notes=notes)


def _from_pyg(data: Any, directed: bool | None) -> Parts:
    where = "the PyG data"
    edge_index = as_array(data.edge_index)
    if not isinstance(edge_index, np.ndarray):
        raise InputError(f"{where} has no edge_index; undo ToSparseTensor or set data.edge_index.")
    x = getattr(data, "x", None)
    features = None if x is None else features_from_array(x, where)
    y = getattr(data, "y", None)
    labels = None if y is None else labels_from_array(y, where)
    weights = None
    for name in ("edge_weight", "edge_attr"):
        found = as_array(getattr(data, name, None))
        if isinstance(found, np.ndarray) and found.size == edge_index.shape[1]:
            weights = found.reshape(-1)
            break
    count = features.num_rows if features is not None else data.num_nodes
    return Parts(_numbered_edges(edge_index, count, weights, where, directed), features, labels)


def _from_dgl(graph: Any, columns: EdgeColumns, directed: bool | None) -> Parts:
    where = "the DGL graph"
    if not getattr(graph, "is_homogeneous", True):
        raise InputError(f"{where} has several types of nodes or edges; make it homogeneous.")
    ends = [as_array(end) for end in graph.edges()]
    told = columns.weight
    keys = ("weight", "w") if told is None or told is True else (told,)
    key = next((k for k in keys if told is not False and k in graph.edata), None)
    weights = None if key is None else np.asarray(as_array(graph.edata[key])).reshape(-1)
    edges = _numbered_edges(
        np.stack([np.asarray(end) for end in ends]), graph.num_nodes(), weights, where, directed
    )
    x = next((graph.ndata[k] for k in FEATURE_ATTRIBUTES if k in graph.ndata), None)
    y = next((graph.ndata[k] for k in LABEL_NAMES if k in graph.ndata), None)
    return Parts(
        edges,
        None if x is None else features_from_array(x, where),
        None if y is None else labels_from_array(y, where),
    )
