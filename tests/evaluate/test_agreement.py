import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from gigamae.evaluate.agreement import ari, contingency, nmi

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


@given(pairs)
def test_scikit_learn_agrees(items):
    a, b = np.array(items).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of many classes in few items
        expected = normalized_mutual_info_score(a, b), adjusted_rand_score(a, b)
    assert nmi(a, b) == pytest.approx(expected[0], abs=1e-9)
    assert ari(a, b) == pytest.approx(expected[1], abs=1e-9)


@given(pairs)
def test_names_of_the_parts_and_their_order_do_not_matter(items):
    a, b = np.array(items).T
    for measure in (nmi, ari):
        assert measure(a, b) == pytest.approx(measure(b, a))
        assert measure(a, b) == pytest.approx(measure(10 - 3 * a, b))
        assert measure(a, a) == pytest.approx(1)


def test_the_table_counts_pairs_of_parts():
    assert contingency(np.array([5, 5, 9]), np.array([0, 2, 2])).tolist() == [[1, 1], [0, 1]]


def test_ari_by_counting_pairs(rng):
    a, b = rng.integers(3, size=(2, 12))
    both = one = other = every = 0
    for i in range(12):
        for j in range(i):
            both += (a[i] == a[j]) and (b[i] == b[j])
            one += a[i] == a[j]
            other += b[i] == b[j]
            every += 1
    chance = one * other / every
    assert ari(a, b) == pytest.approx((both - chance) / ((one + other) / 2 - chance))
