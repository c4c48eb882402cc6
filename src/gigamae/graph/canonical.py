"""Canonical form: what edges, features, ids and labels are checked against and put into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError

Features: TypeAlias = "np.ndarray | sp.csr_matrix"


def checked_edges(edges: np.ndarray | Sequence, name: str) -> np.ndarray:
    """(M, 2) int64 pairs."""
    edges = np.asarray(edges)
    if edges.size == 0:
        edges = np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise InputError(
            f"{name}: edges must have shape (M, 2), one pair a row; got {edges.shape}."
        )
    if not np.issubdtype(edges.dtype, np.integer):
        raise InputError(f"{name}: edges must be whole numbers 0..N-1; got dtype {edges.dtype}.")
    return edges.astype(np.int64, copy=False)


def count_nodes(
    edges: np.ndarray,
    x: Features | None,
    num_nodes: int | None,
    y: np.ndarray | None,
    node_ids: np.ndarray | None,
    name: str,
) -> int:
    """N: as told, else the rows of features, labels or ids, else the largest number plus one."""
    told = [v.shape[0] if sp.issparse(v) else len(v) for v in (x, y, node_ids) if v is not None]
    n = num_nodes if num_nodes is not None else (told[0] if told else None)
    if edges.size and edges.min() < 0:
        row = int(np.argmax((edges < 0).any(axis=1)))
        raise InputError(
            f"{name}: edge {row} names node {edges[row].min()}; node numbers start at 0."
        )
    if n is None:
        n = int(edges.max()) + 1 if edges.size else 0
    if edges.size and edges.max() >= n:
        row = int(np.argmax((edges >= n).any(axis=1)))
        raise InputError(
            f"{name}: edge {row} names node {edges[row].max()}, but there are only {n} nodes "
            f"(numbered 0..{n - 1}). Give num_nodes, or features for every node."
        )
    if n == 0:
        raise InputError(
            f"{name}: the graph is empty (no nodes). Give at least one edge or one feature row."
        )
    return n


def canonical_rows(
    edges: np.ndarray, weights: np.ndarray | None, n: int, name: str, notes: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Both directions, no loops, no duplicates, sorted rows and columns.

    Returns ``(indptr, indices, weights)``; what was changed is appended to ``notes``.
    """
    if weights is not None:
        weights = checked_weights(weights, len(edges), name)
        if (weights == 0).any():
            notes.append(f"{int((weights == 0).sum())} edges of weight zero were dropped.")
            edges, weights = edges[weights > 0], weights[weights > 0]
    loops = edges[:, 0] == edges[:, 1]
    if loops.any():
        notes.append(f"{int(loops.sum())} self-loops were dropped (encoders add their own).")
        edges = edges[~loops]
        weights = None if weights is None else weights[~loops]
    low, high = edges.min(axis=1, initial=n), edges.max(axis=1, initial=0)
    key = low * n + high  # N < 3e9 keeps this inside int64
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[1:] != key[:-1]
    starts = np.flatnonzero(first)
    if len(starts) < len(key):
        # A pair given once in each direction is no repetition; more than that is.
        forward = np.add.reduceat((edges[order, 0] < edges[order, 1]).astype(np.int64), starts)
        backward = np.diff(starts, append=len(key)) - forward
        repeated = int(np.maximum(forward - 1, 0).sum() + np.maximum(backward - 1, 0).sum())
        if repeated:
            notes.append(f"{repeated} repeated edges were counted once.")
    if weights is not None and len(starts):
        weights = np.maximum.reduceat(weights[order], starts)
    key = key[starts]
    u, v = key // n, key % n
    upper = sp.csr_matrix(
        (np.arange(1, len(u) + 1, dtype=np.int64), (u, v)), shape=(n, n), dtype=np.int64
    )
    full = (upper + upper.T).tocsr()  # each entry holds 1 + the number of its undirected edge
    full.sort_indices()
    both = None if weights is None else weights[full.data - 1]
    return full.indptr.astype(np.int64), full.indices.astype(np.int64), both


def checked_weights(weights: np.ndarray, num_edges: int, name: str) -> np.ndarray:
    """(M,) float32, finite and not negative."""
    weights = np.asarray(weights, dtype=np.float32).reshape(-1)
    if len(weights) != num_edges:
        raise InputError(f"{name}: {num_edges} edges but {len(weights)} weights.")
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"{name}: edge {row} has weight {weights[row]}; "
            "weights must be finite and not negative."
        )
    return weights


def checked_features(x: Features, n: int, name: str) -> Features:
    """(n, D) float32, dense or CSR without duplicates; the caller's matrix stays as it is."""
    if sp.issparse(x):
        x = sp.csr_matrix(x, dtype=np.float32)
        if not x.has_canonical_format:
            x = x.copy()  # csr_matrix() shares its arrays with the caller's matrix
            x.sum_duplicates()
        values = x.data
    else:
        x = np.asarray(x)
        if x.dtype.kind not in "fiub":
            raise InputError(f"{name}: features must be numbers; got dtype {x.dtype}.")
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes inf: told below
            x = np.ascontiguousarray(x, dtype=np.float32)
        if x.ndim != 2:
            raise InputError(f"{name}: features must have shape (N, D); got {x.shape}.")
        values = x
    if x.shape[0] != n:
        raise InputError(
            f"{name}: features have {x.shape[0]} rows for {n} nodes; give one row a node."
        )
    if x.shape[1] == 0:
        raise InputError(
            f"{name}: features have no columns; leave them out to have structural ones made."
        )
    if not np.isfinite(values).all():
        row = first_bad_row(x)
        raise InputError(
            f"{name}: features of node {row} hold NaN or infinity; fill or drop such values first."
        )
    return x


def first_bad_row(x: Features) -> int:
    """The first row of ``x`` with a value that is not finite."""
    if isinstance(x, np.ndarray):
        return int(np.argmax(~np.isfinite(x).all(axis=1)))
    entry = int(np.argmax(~np.isfinite(x.data)))
    return int(np.searchsorted(x.indptr, entry, "right")) - 1


def checked_labels(y: np.ndarray | None, n: int, name: str) -> np.ndarray | None:
    """(n,) int64 from 0, -1 where unknown."""
    if y is None:
        return None
    y = np.asarray(y)
    if y.shape != (n,):
        raise InputError(f"{name}: labels must have shape ({n},), one a node; got {y.shape}.")
    if not np.issubdtype(y.dtype, np.integer):
        raise InputError(
            f"{name}: labels must be whole numbers from 0 (-1 unknown); got {y.dtype}."
        )
    if y.size and int(y.min()) < -1:
        raise InputError(f"{name}: label {int(y.min())}; labels start at 0, and -1 means unknown.")
    if y.size and int(y.max()) + 1 > n:
        raise InputError(
            f"{name}: {int(y.max()) + 1} classes for {n} nodes; are these ids and not labels?"
        )
    return y.astype(np.int64)


def checked_ids(node_ids: np.ndarray | None, n: int, name: str) -> np.ndarray | None:
    """(n,) ids, whatever they are."""
    if node_ids is None:
        return None
    node_ids = np.asarray(node_ids)
    if node_ids.shape != (n,):
        raise InputError(f"{name}: {node_ids.shape} ids for {n} nodes; give one id a node.")
    return node_ids


def checked_names(names: Sequence[str] | None, d: int, name: str) -> tuple[str, ...] | None:
    """d column names as plain strings."""
    if names is None:
        return None
    names = tuple(map(str, names))
    if len(names) != d:
        raise InputError(f"{name}: {len(names)} feature names for {d} feature columns.")
    return names
