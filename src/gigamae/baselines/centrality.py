"""Centrality: how much a node matters, in three measures, and what that makes of edges and columns."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gigamae.graph.graph import Features, Graph

CENTRALITIES = ("degree", "eigenvector", "pagerank")
#: Power iterations stop when no entry moves by more than this share of the largest, or after so many.
TOLERANCE, MOST_STEPS = 1e-9, 2000
#: Added to every centrality before the logarithm: the eigenvector is zero outside one component.
FLOOR = 1e-8


def node_centrality(graph: Graph, kind: str, damping: float = 0.85) -> np.ndarray:
    """(N,) float64, non-negative; edge weights count.

    Args:
        graph: the graph.
        kind: degree; eigenvector (of the largest eigenvalue, length 1); pagerank (sum 1).
        damping: of pagerank.

    Example:
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> node_centrality(path, "degree").tolist()
        [1.0, 2.0, 1.0]
    """
    a = graph.adjacency().astype(np.float64)
    degree = np.asarray(a.sum(axis=1)).ravel()
    n = graph.num_nodes
    if kind == "degree":
        return degree
    if kind == "eigenvector":
        # A + I has the same leading vector, and no eigenvalue as large with the other sign.
        return _iterate(lambda v: _unit(a @ v + v), _unit(np.ones(n)))
    inverse = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)

    def step(v: np.ndarray) -> np.ndarray:
        stranded = v[degree == 0].sum()  # who has no neighbour jumps anywhere
        return damping * (a @ (v * inverse) + stranded / n) + (1 - damping) / n

    return _iterate(step, np.full(n, 1 / n))


def edge_scores(graph: Graph, centrality: np.ndarray) -> np.ndarray:
    """(M,) the logarithm of the mean centrality of each undirected edge's ends."""
    ends = graph.edges
    return np.log((centrality[ends[:, 0]] + centrality[ends[:, 1]]) / 2 + FLOOR)


def column_scores(x: Features, centrality: np.ndarray) -> np.ndarray:
    """(D,) the logarithm of how central the nodes are that have a column; -inf for an empty one.

    A sparse column counts where it is present, a dense one by the size of its entries.
    """
    if sp.issparse(x):
        present = x.astype(bool).astype(np.float64)
        total = np.asarray(present.T @ centrality).ravel()
    else:
        total = np.abs(np.asarray(x, dtype=np.float64)).T @ centrality
    with np.errstate(divide="ignore"):
        scores: np.ndarray = np.log(total)
    return scores


def drop_probabilities(scores: np.ndarray, mean: float, most: float) -> np.ndarray:
    """min((s_max - s) / (s_max - s_mean) p, p_tau): the higher a score, the safer what has it.

    Scores of -inf (empty columns, which nothing depends on) do not count for the mean.

    Args:
        scores: of edges or columns.
        mean: p, the mean probability before the cap.
        most: p_tau, the cap.

    Example:
        >>> drop_probabilities(np.array([0.0, 1.0, 2.0]), 0.3, 0.7).tolist()
        [0.6, 0.3, 0.0]
    """
    known = scores[np.isfinite(scores)]
    if len(known) == 0 or known.max() - known.mean() < 1e-12:  # all alike: the same for all
        return np.full(len(scores), min(mean, most))
    top = known.max()
    if mean == 0:  # nothing is dropped; 0 times an empty column's infinity is not a number
        return np.zeros(len(scores))
    return np.minimum((top - scores) / (top - known.mean()) * mean, most)


def _iterate(step, v: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    for _ in range(MOST_STEPS):
        moved = step(v)
        if np.abs(moved - v).max(initial=0.0) <= TOLERANCE * np.abs(moved).max(initial=1.0):
            return moved
        v = moved
    return v


def _unit(v: np.ndarray) -> np.ndarray:
    return v / max(float(np.linalg.norm(v)), 1e-300)
