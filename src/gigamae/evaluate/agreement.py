"""How far two partitions agree: normalised mutual information and the adjusted Rand index."""

from __future__ import annotations

import numpy as np


def contingency(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(A, B) how many items are in each pair of parts."""
    a, b = (np.unique(part, return_inverse=True)[1] for part in (first, second))
    rows, columns = int(a.max()) + 1, int(b.max()) + 1
    return np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)


def nmi(first: np.ndarray, second: np.ndarray) -> float:
    """Mutual information over the mean of the two entropies; 1 when neither has any.

    Example:
        >>> nmi(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
        1.0
    """
    table = contingency(first, second) / len(first)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = np.outer(rows, columns)
    seen = table > 0
    shared = float((table[seen] * np.log(table[seen] / expected[seen])).sum())
    mean = (_entropy(rows) + _entropy(columns)) / 2
    return 1.0 if mean == 0 else min(max(shared / mean, 0.0), 1.0)


def ari(first: np.ndarray, second: np.ndarray) -> float:
    """The Rand index, adjusted to 0 for chance; 1 when the partitions are the same.

    Example:
        >>> round(ari(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])), 4)
        0.5714
    """
    table = contingency(first, second)
    both = _pairs(table)
    one, other = _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    every = _pairs(np.array([len(first)]))
    if one == other == both:  # the same partition, all in one part or each alone included
        return 1.0
    chance = one * other / every
    return float((both - chance) / ((one + other) / 2 - chance))


def _pairs(counts: np.ndarray) -> float:
    counts = counts.astype(np.float64)
    return float((counts * (counts - 1) / 2).sum())


def _entropy(shares: np.ndarray) -> float:
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())
