import numpy as np
import pytest
from scipy import stats

from gigamae.errors import InputError
from gigamae.evaluate import paired, welch


def test_welch_is_scipys(rng):
    a, b = rng.normal(1, 1, 7), rng.normal(0, 3, 5)
    expected = stats.ttest_ind(a, b, equal_var=False)
    interval = expected.confidence_interval(0.9)
    found = welch(a, b, confidence=0.9)
    assert found.difference == pytest.approx(a.mean() - b.mean())
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_paired_is_scipys_and_sees_what_welch_cannot(rng):
    base = rng.normal(0, 5, 8)
    a, b = base + 0.5 + rng.normal(0, 0.1, 8), base
    expected = stats.ttest_rel(a, b)
    interval = expected.confidence_interval(0.95)
    found = paired(a, b)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.low > 0 > welch(a, b).low


def test_swapping_the_two_turns_the_interval_round(rng):
    a, b = rng.normal(size=(2, 6))
    for compare in (welch, paired):
        there, back = compare(a, b), compare(b, a)
        assert (there.low, there.high, there.p) == pytest.approx((-back.high, -back.low, back.p))


def test_no_spread_leaves_no_doubt():
    same, apart = welch([1, 1], [1, 1]), paired([2, 3], [1, 2])
    assert (same.difference, same.p) == (0, 1)
    assert apart.to_dict() == {"difference": 1, "low": 1, "high": 1, "p": 0}


def test_too_few_runs_are_told():
    with pytest.raises(InputError, match="a must hold at least two"):
        welch([1.0], [1.0, 2.0])
    with pytest.raises(InputError, match="b must hold"):
        paired([1.0, 2.0], [1.0, np.nan])
    with pytest.raises(InputError, match="2 and 3"):
        paired([1.0, 2.0], [1.0, 2.0, 3.0])
