"""Graph: edges, features and what is known of the nodes, checked once and then left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError

Features: TypeAlias = "np.ndarray | sp.csr_matrix"


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected attributed graph in compressed rows: each edge is stored in both directions.

    Make one with :meth:`from_edges` (or a reader in :mod:`gigamae.graph.readers`), which puts
    the edges into canonical form: no self-loops, no duplicates, rows and columns sorted.

    Attributes:
        indptr: (N + 1,) int64, row starts.
        indices: (2M,) int64, the neighbours of node i are ``indices[indptr[i]:indptr[i + 1]]``.
        x: (N, D) float32 features, dense or CSR.
        weights: (2M,) float32 edge weights in the order of ``indices``, or None.
        y: (N,) int64 labels, -1 where unknown, or None. Never seen by training.
        node_ids: (N,) the user's own ids, exactly as they came in, or None for 0..N-1.
        feature_names: D names, or None.
        class_names: the user's own labels in the order of ``y``'s numbers, or None.
        name: what messages call it.
        features_made: True where the graph came without features and structural ones were made.
        notes: what was changed on the way to canonical form, one plain sentence each.

    Example:
        >>> g = Graph.from_edges([[0, 1], [1, 2]], x=np.eye(3, dtype="float32"))
        >>> g.num_nodes, g.num_edges
        (3, 2)
    """

    indptr: np.ndarray
    indices: np.ndarray
    x: Features
    weights: np.ndarray | None = None
    y: np.ndarray | None = None
    node_ids: np.ndarray | None = None
    feature_names: tuple[str, ...] | None = None
    class_names: tuple[str, ...] | None = None
    name: str = "graph"
    features_made: bool = False
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def from_edges(
        cls,
        edges: np.ndarray | Sequence,
        x: Features | None = None,
        *,
        num_nodes: int | None = None,
        weights: np.ndarray | None = None,
        y: np.ndarray | None = None,
        node_ids: np.ndarray | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        name: str = "graph",
    ) -> Graph:
        """Build a graph from (M, 2) pairs of node numbers in 0..N-1, in any order and direction.

        Self-loops are dropped; a pair listed several times, in either direction, counts once
        with its largest weight; weights of zero mean no edge. Each change is told in ``notes``.

        Raises:
            InputError: numbers out of range, negative or non-finite weights, features with NaN
                or with another number of rows, labels that do not fit.
        """
        edges = np.asarray(edges)
        if edges.size == 0:
            edges = np.empty((0, 2), dtype=np.int64)
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise InputError(f"{name}: edges must have shape (M, 2), one pair a row; got {edges.shape}.")
        if not np.issubdtype(edges.dtype, np.integer):
            raise InputError(f"{name}: edges must be whole numbers 0..N-1; got dtype {edges.dtype}.")
        edges = edges.astype(np.int64, copy=False)
        n = _count_nodes(edges, x, num_nodes, y, node_ids, name)
        notes: list[str] = []
        indptr, indices, kept_weights = _canonical_rows(edges, weights, n, name, notes)
        made = x is None
        if x is None:
            from gigamae.graph.structural import structural_features

            x = structural_features(indptr, indices)
            notes.append("The graph has no features: structural ones (degree, core number, ...) were made.")
        return cls(
            indptr=indptr,
            indices=indices,
            x=_checked_features(x, n, name),
            weights=kept_weights,
            y=_checked_labels(y, n, name),
            node_ids=None if node_ids is None else np.asarray(node_ids),
            feature_names=None if feature_names is None else tuple(map(str, feature_names)),
            class_names=None if class_names is None else tuple(map(str, class_names)),
            name=name,
            features_made=made,
            notes=tuple(notes),
        )

    @property
    def num_nodes(self) -> int:
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Undirected edges, M."""
        return len(self.indices) // 2

    @property
    def num_features(self) -> int:
        return int(self.x.shape[1])

    @property
    def num_classes(self) -> int:
        """How many classes the known labels have; 0 without labels."""
        return 0 if self.y is None or len(self.y) == 0 else int(self.y.max()) + 1

    @cached_property
    def degree(self) -> np.ndarray:
        return np.diff(self.indptr)

    @cached_property
    def rows(self) -> np.ndarray:
        """(2M,) the row of each entry of ``indices``."""
        return np.repeat(np.arange(self.num_nodes, dtype=np.int64), self.degree)

    @property
    def edge_index(self) -> np.ndarray:
        """(2, 2M) both directions of every edge, sorted by row and then column."""
        return np.stack([self.rows, self.indices])

    @cached_property
    def edges(self) -> np.ndarray:
        """(M, 2) each undirected edge once, u < v."""
        upper = self.rows < self.indices
        return np.stack([self.rows[upper], self.indices[upper]], axis=1)

    @property
    def edge_weights(self) -> np.ndarray | None:
        """(M,) weights in the order of ``edges``, or None."""
        return None if self.weights is None else self.weights[self.rows < self.indices]

    @property
    def ids(self) -> np.ndarray:
        """(N,) the user's ids, or 0..N-1."""
        return np.arange(self.num_nodes) if self.node_ids is None else self.node_ids

    def adjacency(self) -> sp.csr_matrix:
        """(N, N) symmetric CSR matrix of the weights (ones without weights), float32."""
        data = np.ones(len(self.indices), np.float32) if self.weights is None else self.weights
        return sp.csr_matrix((data, self.indices, self.indptr), shape=(self.num_nodes,) * 2)

    def with_edges(self, edges: np.ndarray, weights: np.ndarray | None = None) -> Graph:
        """The same nodes with other edges. Made features are made anew from those edges alone."""
        return replace(
            Graph.from_edges(
                edges,
                None if self.features_made else self.x,
                num_nodes=self.num_nodes,
                weights=weights,
                y=self.y,
                node_ids=self.node_ids,
                name=self.name,
            ),
            feature_names=self.feature_names,
            class_names=self.class_names,
        )

    def fingerprint(self) -> str:
        """A hash of edges, weights and features (not of labels or ids): equal for equal graphs."""
        digest = hashlib.sha256()
        x = self.x
        parts = [self.indptr, self.indices, self.weights]
        parts += [x.data, x.indices, x.indptr] if sp.issparse(x) else [x]
        for part in parts:
            if part is None:
                digest.update(b"none")
                continue
            part = np.ascontiguousarray(part)
            kind = np.int64 if np.issubdtype(part.dtype, np.integer) else part.dtype
            part = part.astype(kind, copy=False)
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(memoryview(part).cast("B") if part.size else b"")
        return digest.hexdigest()[:32]

    def __repr__(self) -> str:
        kind = "sparse" if sp.issparse(self.x) else "dense"
        return (
            f"Graph({self.name!r}, nodes={self.num_nodes:,}, edges={self.num_edges:,}, "
            f"features={self.num_features:,} {kind}, classes={self.num_classes})"
        )


def _count_nodes(
    edges: np.ndarray,
    x: Features | None,
    num_nodes: int | None,
    y: np.ndarray | None,
    node_ids: np.ndarray | None,
    name: str,
) -> int:
    told = [len(v) if not sp.issparse(v) else v.shape[0] for v in (x, y, node_ids) if v is not None]
    n = num_nodes if num_nodes is not None else (told[0] if told else None)
    if edges.size and edges.min() < 0:
        row = int(np.argmax((edges < 0).any(axis=1)))
        raise InputError(f"{name}: edge {row} names node {edges[row].min()}; node numbers start at 0.")
    if n is None:
        n = int(edges.max()) + 1 if edges.size else 0
    if edges.size and edges.max() >= n:
        row = int(np.argmax((edges >= n).any(axis=1)))
        raise InputError(
            f"{name}: edge {row} names node {edges[row].max()}, but there are only {n} nodes "
            f"(numbered 0..{n - 1}). Give num_nodes, or features for every node."
        )
    if n == 0:
        raise InputError(f"{name}: the graph is empty (no nodes). Give at least one edge or one feature row.")
    return n


def _canonical_rows(
    edges: np.ndarray, weights: np.ndarray | None, n: int, name: str, notes: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Both directions, no loops, no duplicates, sorted rows and columns."""
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float32).reshape(-1)
        if len(weights) != len(edges):
            raise InputError(f"{name}: {len(edges)} edges but {len(weights)} weights.")
        bad = ~np.isfinite(weights) | (weights < 0)
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"{name}: edge {row} has weight {weights[row]}; weights must be finite and not negative."
            )
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


def _checked_features(x: Features, n: int, name: str) -> Features:
    if sp.issparse(x):
        x = sp.csr_matrix(x, dtype=np.float32)
        x.sum_duplicates()
        values = x.data
    else:
        x = np.asarray(x)
        if x.dtype == object or x.dtype.kind not in "fiub":
            raise InputError(f"{name}: features must be numbers; got dtype {x.dtype}.")
        x = np.ascontiguousarray(x, dtype=np.float32)
        if x.ndim != 2:
            raise InputError(f"{name}: features must have shape (N, D); got {x.shape}.")
        values = x
    if x.shape[0] != n:
        raise InputError(f"{name}: features have {x.shape[0]} rows for {n} nodes; give one row a node.")
    if x.shape[1] == 0:
        raise InputError(f"{name}: features have no columns; leave them out to have structural ones made.")
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(values))[0]
        row = int(np.searchsorted(x.indptr, where[0], "right") - 1) if sp.issparse(x) else int(where[0])
        raise InputError(
            f"{name}: features of node {row} hold NaN or infinity; fill or drop such values first."
        )
    return x


def _checked_labels(y: np.ndarray | None, n: int, name: str) -> np.ndarray | None:
    if y is None:
        return None
    y = np.asarray(y)
    if y.shape != (n,):
        raise InputError(f"{name}: labels must have shape ({n},), one a node; got {y.shape}.")
    if not np.issubdtype(y.dtype, np.integer):
        raise InputError(f"{name}: labels must be whole numbers from 0 (-1 unknown); got {y.dtype}.")
    if len(np.unique(y[y >= 0])) and int(y.max()) + 1 > n:
        raise InputError(f"{name}: {int(y.max()) + 1} classes for {n} nodes; are these ids and not labels?")
    return y.astype(np.int64)
