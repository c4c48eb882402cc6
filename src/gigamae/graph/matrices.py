"""Matrices: edges, features and labels from NumPy, SciPy and torch arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.ids import encode, from_numbers
from gigamae.graph.parts import Edges, NodeTable, by_row, numbered_ids


def as_array(values: Any) -> np.ndarray | sp.csr_matrix | None:
    """NumPy arrays, SciPy matrices, torch tensors (sparse too) and lists as arrays, else None."""
    if sp.issparse(values):
        return sp.csr_matrix(values)
    if type(values).__module__.split(".")[0] == "torch" and hasattr(values, "detach"):
        values = values.detach().cpu()
        if str(values.layout) != "torch.strided":
            coo = values.to_sparse_coo().coalesce()
            at, data = coo.indices().numpy(), coo.values().numpy()
            return sp.csr_matrix((data, (at[0], at[1])), shape=tuple(coo.shape))
        return values.numpy()
    if isinstance(values, (list, tuple, np.ndarray)):
        try:
            return np.asarray(values)
        except ValueError:  # rows of unequal length
            return None
    return None


def edges_from_array(values: np.ndarray, where: str, directed: bool | None) -> Edges:
    """Pairs (M, 2), pairs with weights (M, 3), an edge index (2, M) or an adjacency matrix (N, N).

    Pairs name nodes by id; an adjacency matrix has a row for every node. A square array of
    more than two rows is an adjacency matrix.
    """
    if values.ndim != 2 or values.dtype.kind not in "iufb":
        raise InputError(
            f"{where}: an array of shape {values.shape} and type {values.dtype} holds no edges. "
            "Give whole numbers of shape (M, 2) or (2, M), or a square adjacency matrix."
        )
    rows, columns = values.shape
    if rows == columns and rows > 2:
        return edges_from_matrix(sp.csr_matrix(values), where, directed)
    if columns not in (2, 3) and rows == 2:
        values = values.T
    elif columns not in (2, 3):
        raise InputError(
            f"{where}: shape {values.shape} is neither (M, 2) nor (2, M) nor square; "
            "give one pair of nodes a row."
        )
    pairs, weights = values[:, :2], values[:, 2] if values.shape[1] == 3 else None
    told = from_numbers(pairs.reshape(-1))
    if told is None:
        row = next(i for i, pair in enumerate(pairs) if from_numbers(pair) is None)
        raise InputError(
            f"{where}, {by_row(row)}: {pairs[row]} are no whole numbers, or too large for real ones; "
            "edges are pairs of ids."
        )
    ids, (codes,) = encode(told)
    source, target = codes[0::2], codes[1::2]
    return Edges(
        source, target, ids, checked_weights(weights, where), where, directed=directed, numbered=True
    )


def edges_from_matrix(matrix: Any, where: str, directed: bool | None) -> Edges:
    """Edges of an adjacency matrix, whose entries are weights; all ones mean no weights."""
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"{where}: an adjacency matrix is square; this one is {matrix.shape}. "
            "Features are given apart, as features=."
        )
    entries = sp.coo_matrix(matrix)
    weights = checked_weights(entries.data.astype(np.float64), where)
    if directed is None:
        difference = abs(sp.csr_matrix(matrix, dtype=np.float64) - matrix.T)
        directed = bool(difference.nnz and difference.max() > 0) or None
    n = matrix.shape[0]
    return Edges(
        entries.row.astype(np.int64),
        entries.col.astype(np.int64),
        numbered_ids(n),
        weights,
        where,
        directed=directed,
        complete=True,
        numbered=True,
    )


def checked_weights(weights: np.ndarray | None, where: str) -> np.ndarray | None:
    """The weights, none of them negative or not finite."""
    if weights is None:
        return None
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{where}: edge {at} (counted from 0) has weight {weights[at]:g}; weights must be "
            "finite and not negative. Drop such edges or shift the weights."
        )
    return weights


def features_from_array(values: Any, where: str) -> NodeTable:
    """Rows of features in the order of the nodes."""
    x = as_array(values)
    if x is None:
        raise InputError(
            f"{where}: {type(values).__name__} is no matrix of features (rows of one length)."
        )
    if x.ndim == 1:
        x = x[:, None]
    if x.ndim != 2:
        raise InputError(f"{where}: features must have shape (N, D); got {x.shape}.")
    return NodeTable(where, x.shape[0], x=x)


def labels_from_array(values: Any, where: str) -> NodeTable:
    """One label a node, in the order of the nodes."""
    y = as_array(values)
    if y is None or sp.issparse(y):
        raise InputError(f"{where}: {type(values).__name__} is no list of labels.")
    return NodeTable(where, len(y), labels=y)
