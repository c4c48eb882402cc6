"""Is the difference between two methods more than chance? Intervals over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gigamae.errors import InputError


@dataclass(frozen=True)
class Difference:
    """Mean of the first less mean of the second, its interval, and the two-sided p-value."""

    difference: float
    low: float
    high: float
    p: float

    def to_dict(self) -> dict[str, float]:
        return {"difference": self.difference, "low": self.low, "high": self.high, "p": self.p}


def welch(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> Difference:
    """Difference of the means of two sets of seeds that have nothing to do with each other.

    Welch's t: the two spreads may differ, and so may the numbers of seeds.

    Example:
        >>> d = welch([84.5, 84.7, 84.9], [84.0, 84.1, 84.2])
        >>> round(d.difference, 2), d.low > 0
        (0.6, True)
    """
    one, other = _sample(a, "a"), _sample(b, "b")
    va, vb = one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)
    spread = va**2 / (len(one) - 1) + vb**2 / (len(other) - 1)
    freedom = (va + vb) ** 2 / spread if spread > 0 else len(one) + len(other) - 2
    return _interval(one.mean() - other.mean(), np.sqrt(va + vb), freedom, confidence)


def paired(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> Difference:
    """Mean difference of runs that belong together: the same splits, or the same seeds.

    Example:
        >>> d = paired([84.5, 71.2, 92.0], [84.0, 70.8, 91.4])
        >>> round(d.difference, 2), d.low > 0
        (0.5, True)
    """
    one, other = _sample(a, "a"), _sample(b, "b")
    if len(one) != len(other):
        raise InputError(f"Paired runs come in twos; got {len(one)} and {len(other)}. Use welch instead.")
    gap = one - other
    return _interval(gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap)), len(gap) - 1, confidence)


def _sample(values: Sequence[float], name: str) -> np.ndarray:
    sample = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(sample) < 2 or not np.isfinite(sample).all():
        raise InputError(f"{name} must hold at least two finite numbers; got {list(values)!r}.")
    return sample


def _interval(mean: float, error: float, freedom: float, confidence: float) -> Difference:
    from scipy.special import stdtr, stdtrit

    if error == 0:  # no spread at all: the difference is what it is
        return Difference(float(mean), float(mean), float(mean), 1.0 if mean == 0 else 0.0)
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(mean) / error))
    return Difference(float(mean), float(mean - reach), float(mean + reach), p)
