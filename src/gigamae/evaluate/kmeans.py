"""K-means from many starts at once: Lloyd's algorithm with greedy k-means++ starts.

The same algorithm as scikit-learn's ``KMeans(n_init=...)`` (starts, tolerance, empty clusters,
best inertia wins), arranged so that all starts share the two matrix products of an iteration:
distances to every centre of every start, and sums over the points that changed their cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gigamae.errors import InputError

BLOCK = 1 << 20  # entries of the distance matrix kept at a time


@dataclass(frozen=True)
class Clusters:
    """The best of the starts.

    Attributes:
        labels: (N,) the cluster of each row.
        centres: (k, d) float64.
        inertia: sum of squared distances to the own centre.
    """

    labels: np.ndarray
    centres: np.ndarray
    inertia: float


def kmeans(
    x: np.ndarray,
    k: int,
    rngs: Sequence[np.random.Generator],
    *,
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-4,
) -> list[Clusters]:
    """Cluster the rows of ``x`` into k, once for each generator: the best of its ``n_init`` starts.

    A start ends when no row changes its cluster, or when the centres move less than ``tol`` times
    the mean variance of the columns. Products are float32, sums float64.

    Raises:
        InputError: more clusters than rows.

    Example:
        >>> x = np.array([[0.0], [0.1], [5.0], [5.1]], dtype=np.float32)
        >>> round(kmeans(x, 2, [np.random.default_rng(0)])[0].inertia, 4)
        0.01
    """
    if not 1 <= k <= len(x):
        raise InputError(f"K-means: {k} clusters for {len(x)} rows; there must be 1 to {len(x)}.")
    middle = x.mean(axis=0, dtype=np.float64)
    x = x - middle.astype(np.float32)  # near zero, float32 keeps small distances
    scale = float(np.abs(x).max()) or 1.0
    x /= scale
    squares = np.einsum("ij,ij->i", x, x)
    still = tol * float(squares.mean(dtype=np.float64)) / x.shape[1]
    centres = np.concatenate([_starts(x, squares, k, n_init, rng) for rng in rngs])  # (S, k, d)
    labels, inertia = _lloyd(x, squares, centres, max_iter, still)
    best = inertia.reshape(len(rngs), n_init).argmin(axis=1) + n_init * np.arange(len(rngs))
    found = []
    for s in best:
        # From the labels alone: the same numbers whatever other starts shared the products.
        means, inertia_of_best = _settled(x, labels[s], centres[s])
        found.append(Clusters(labels[s], means * scale + middle, inertia_of_best * scale**2))
    return found


def _lloyd(
    x: np.ndarray, squares: np.ndarray, centres: np.ndarray, max_iter: int, still: float
) -> tuple[np.ndarray, np.ndarray]:
    """Move the centres (in place) until they rest: the labels (S, N) and the inertia (S,)."""
    starts, k, _ = centres.shape
    sums, counts = np.zeros_like(centres), np.zeros((starts, k))
    labels = np.full((starts, len(x)), -1, dtype=np.int32)
    running = np.arange(starts)
    for _ in range(max_iter):
        found, distance = _nearest(x, centres[running])
        _fill_empty(found, distance, squares, k)
        moved = found != labels[running]
        _move(x, sums, counts, running, labels[running], found, moved.any(axis=0))
        labels[running] = found
        means = sums[running] / np.maximum(counts[running], 1)[:, :, None]
        shift = np.square(means - centres[running]).sum(axis=(1, 2))
        centres[running] = means
        running = running[moved.any(axis=1) & (shift > still)]
        if not len(running):
            break
    labels, distance = _nearest(x, centres)
    distance += squares
    return labels, np.maximum(distance, 0, out=distance).sum(axis=1, dtype=np.float64)


def _settled(x: np.ndarray, labels: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, float]:
    """The mean of each cluster's rows (k, d) and the inertia; a cluster without rows keeps its centre."""
    means, spreads = centres.copy(), []
    for j in range(len(centres)):
        rows = x[labels == j].astype(np.float64)
        if len(rows):
            means[j] = rows.mean(axis=0)
            rows -= means[j]
            spreads.append(float(np.square(rows, out=rows).sum()))
    return means, math.fsum(spreads)  # exact, so the clusters' order does not matter


def _starts(x: np.ndarray, squares: np.ndarray, k: int, n_init: int, rng: np.random.Generator) -> np.ndarray:
    """Greedy k-means++: of a few rows drawn by squared distance, the one that helps most."""
    trials = 2 + int(np.log(k))
    chosen = np.empty((n_init, k), dtype=np.int64)
    chosen[:, 0] = rng.integers(len(x), size=n_init)
    closest = _squared(x, squares, chosen[:, 0])  # (S, N)
    for j in range(1, k):
        mass = np.cumsum(closest, axis=1, dtype=np.float64)
        drawn = rng.random((n_init, trials)) * mass[:, -1:]
        rows = np.stack([np.searchsorted(m, d, side="right") for m, d in zip(mass, drawn, strict=True)])
        rows = np.minimum(rows, len(x) - 1)  # (S, T)
        offered = _squared(x, squares, rows.reshape(-1)).reshape(n_init, trials, -1)
        np.minimum(offered, closest[:, None], out=offered)
        best = offered.sum(axis=2, dtype=np.float64).argmin(axis=1)
        each = np.arange(n_init)
        chosen[:, j], closest = rows[each, best], offered[each, best]
    return x[chosen].astype(np.float64)


def _squared(x: np.ndarray, squares: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(R, N) squared distances from some rows to all rows."""
    distance = x[rows] @ x.T
    distance *= -2
    distance += squares
    distance += squares[rows, None]
    return np.maximum(distance, 0, out=distance)


def _nearest(x: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S, N) the nearest centre in each start, and its squared distance less that to the origin."""
    starts, k, _ = centres.shape
    flat = centres.transpose(1, 0, 2).reshape(k * starts, -1).astype(np.float32)  # cluster-major
    offset = np.einsum("ij,ij->i", flat, flat)[:, None]
    labels = np.zeros((starts, len(x)), dtype=np.int32)
    nearest = np.empty((starts, len(x)), dtype=np.float32)
    width = max(256, BLOCK // (k * starts))
    for low in range(0, len(x), width):
        block = slice(low, low + width)
        distance = flat @ x[block].T  # (kS, B)
        distance *= -2
        distance += offset
        distance = distance.reshape(k, starts, -1)
        best, label = distance[0], labels[:, block]
        for j in range(1, k):
            np.copyto(label, j, where=distance[j] < best)
            np.minimum(best, distance[j], out=best)
        nearest[:, block] = best
    return labels, nearest


def _fill_empty(labels: np.ndarray, distance: np.ndarray, squares: np.ndarray, k: int) -> None:
    """Give each empty cluster the row that lies farthest from its centre (in place)."""
    for start in range(len(labels)):
        empty = np.flatnonzero(np.bincount(labels[start], minlength=k) == 0)
        if len(empty):
            far = np.argsort(-(distance[start] + squares), kind="stable")[: len(empty)]
            labels[start, far] = empty


def _move(
    x: np.ndarray,
    sums: np.ndarray,
    counts: np.ndarray,
    running: np.ndarray,
    old: np.ndarray,
    new: np.ndarray,
    moved: np.ndarray,
) -> None:
    """Take the moved rows from their old clusters' sums and add them to the new ones' (in place)."""
    k = sums.shape[1]
    rows = np.flatnonzero(moved)
    width = max(256, BLOCK // (k * len(running)))
    for low in range(0, len(rows), width):
        block = rows[low : low + width]
        change = np.zeros((len(running), k, len(block)), dtype=np.float32)
        start, column = np.ogrid[: len(running), : len(block)]
        change[start, new[:, block], column] += 1
        known = old[:, block] >= 0  # nothing to take away in the first round
        s, b = np.nonzero(known)
        change[s, old[:, block][known], b] -= 1
        sums[running] += (change.reshape(-1, len(block)) @ x[block]).reshape(len(running), k, -1)
        counts[running] += change.sum(axis=2)
