"""Graph: edges, features and what is known of the nodes, checked once and then left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from gigamae.graph.canonical import (
    Features,
    canonical_rows,
    checked_edges,
    checked_features,
    checked_ids,
    checked_labels,
    checked_names,
    count_nodes,
)

__all__ = ["Features", "Graph"]


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
        edges = checked_edges(edges, name)
        n = count_nodes(edges, x, num_nodes, y, node_ids, name)
        notes: list[str] = []
        indptr, indices, kept_weights = canonical_rows(edges, weights, n, name, notes)
        made = x is None
        if x is None:
            from gigamae.graph.structural import STRUCTURAL_NAMES, structural_features

            x, feature_names = structural_features(indptr, indices), STRUCTURAL_NAMES
            notes.append("No features: structural ones (degree, core number, ...) were made.")
        x = checked_features(x, n, name)
        return cls(
            indptr=indptr,
            indices=indices,
            x=x,
            weights=kept_weights,
            y=checked_labels(y, n, name),
            node_ids=checked_ids(node_ids, n, name),
            feature_names=checked_names(feature_names, x.shape[1], name),
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
        parts: list[np.ndarray | None] = [self.indptr, self.indices, self.weights]
        parts += [x] if isinstance(x, np.ndarray) else [x.data, x.indices, x.indptr]
        for part in parts:
            if part is None:
                digest.update(b"none")
                continue
            part = np.ascontiguousarray(part)
            kind = np.int64 if np.issubdtype(part.dtype, np.integer) else part.dtype
            part = part.astype(kind, copy=False)
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(part.reshape(-1).view(np.uint8).data)
        return digest.hexdigest()[:32]

    def __repr__(self) -> str:
        kind = "sparse" if sp.issparse(self.x) else "dense"
        return (
            f"Graph({self.name!r}, nodes={self.num_nodes:,}, edges={self.num_edges:,}, "
            f"features={self.num_features:,} {kind}, classes={self.num_classes})"
        )
