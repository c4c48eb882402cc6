"""Structural features: what a node's surroundings look like, for graphs that come without any."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

# Degrees 0, 1, 2, 3-4, 5-8, ... 65-128, and more: the same buckets in every graph.
_BUCKET_ENDS = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128])
_BUCKETS = ("0", "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129+")

STRUCTURAL_NAMES: tuple[str, ...] = (
    "log_degree",
    *(f"degree_{b}" for b in _BUCKETS),
    "log_core",
    "log_triangles",
    "clustering",
    "neighbour_log_degree_mean",
    "neighbour_log_degree_std",
    "neighbour_log_degree_min",
    "neighbour_log_degree_max",
    "neighbour_log_core_mean",
    "neighbour_clustering_mean",
    "neighbour_leaf_share",
    "two_hop_log_degree_mean",
    "two_hop_log_core_mean",
    "two_hop_clustering_mean",
    "log_two_hop_walks",
    "walk_mass",
    "two_hop_walk_mass",
)


def structural_features(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The (N, 27) float32 matrix of ``STRUCTURAL_NAMES``, finite for every graph.

    Every column means the same in every graph (none depends on node numbers, on N or on how
    the other nodes are), so a model trained on one graph can be applied to another. Isolated
    nodes have zeros but for ``degree_0``. Triangles are counted exactly: edges are oriented
    towards the larger degree, so that no node has more than sqrt(2M) of them and hubs need no
    cap.

    Args:
        indptr: (N + 1,) row starts of a canonical graph (symmetric, sorted, no self-loops).
        indices: (2M,) neighbours.

    Example:
        >>> x = structural_features(np.array([0, 1, 2]), np.array([1, 0]))
        >>> x.shape == (2, len(STRUCTURAL_NAMES))
        True
    """
    n = len(indptr) - 1
    degree = np.diff(indptr)
    log_degree = np.log1p(degree)
    buckets = np.eye(len(_BUCKETS))[np.searchsorted(_BUCKET_ENDS, degree)]  # (N, 10)
    core, triangles = _core_and_triangles(indptr, indices)
    pairs = degree * (degree - 1) / 2
    clustering = triangles / np.maximum(pairs, 1)
    log_core = np.log1p(core)

    share = 1.0 / np.maximum(degree, 1)
    step = sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, n))
    own = np.stack([log_degree, log_core, clustering, degree == 1, log_degree**2], axis=1)
    near = (step @ own) * share[:, None]  # means over the neighbours
    far = (step @ near[:, :3]) * share[:, None]
    std = np.sqrt(np.maximum(near[:, 4] - near[:, 0] ** 2, 0.0))
    low, high = _extremes(log_degree, indptr, indices)
    mass = step @ share  # what one step of a walk from everywhere brings here, a node's share 1
    mass_2 = step @ (share * mass)
    columns = [
        log_degree[:, None],
        buckets,
        np.stack([log_core, np.log1p(triangles), clustering], axis=1),
        np.stack([near[:, 0], std, low, high, near[:, 1], near[:, 2], near[:, 3]], axis=1),
        far,
        np.log1p(np.stack([step @ degree, mass, mass_2], axis=1)),
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def _extremes(
    values: np.ndarray, indptr: np.ndarray, indices: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value among the neighbours; 0 where there are none."""
    low, high = np.zeros(len(values)), np.zeros(len(values))
    some = np.diff(indptr) > 0
    if some.any():
        starts = indptr[:-1][some]  # the rows left out are empty, so these still tile ``indices``
        low[some] = np.minimum.reduceat(values[indices], starts)
        high[some] = np.maximum.reduceat(values[indices], starts)
    return low, high


def _core_and_triangles(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from gigamae.graph.kernels import core_numbers, triangle_counts

    indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
    return core_numbers(indptr, indices), triangle_counts(indptr, indices)
