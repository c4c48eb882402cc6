import numpy as np
import pytest

from gigamae import evaluate
from gigamae.errors import InputError, SettingsError


def grouped(rng, n=150, k=3):
    y = np.arange(n) % k
    return rng.standard_normal((k, 8))[y] + 0.7 * rng.standard_normal((n, 8)), y


def test_clear_groups_are_found_and_the_labels_only_judge(rng):
    z, y = grouped(rng)
    result = evaluate.clustering(z, y)
    assert len(result.nmi.values) == len(result.ari.values) == len(result.inertia) == 10
    assert result.nmi.mean > 0.7
    shuffled = evaluate.clustering(z, rng.permutation(y))
    assert abs(shuffled.ari.mean) < 0.1
    assert shuffled.inertia == result.inertia


def test_rows_are_not_normalised():
    y = np.repeat([0, 1], 20)
    z = np.where(y[:, None] == 0, 1.0, 9.0) * np.ones((40, 2))  # the length alone tells them apart
    assert evaluate.clustering(z, y).ari.mean == 1


def test_permuting_nodes_keeps_what_is_there_to_find(rng):
    z, y = grouped(rng)
    order = rng.permutation(len(y))
    once, again = evaluate.clustering(z, y), evaluate.clustering(z[order], y[order])
    assert min(once.inertia) == pytest.approx(min(again.inertia), rel=1e-4)
    assert once.nmi.mean == pytest.approx(again.nmi.mean, abs=0.02)


def test_unknown_labels_are_left_out_and_seeds_repeat(rng):
    z, y = grouped(rng)
    hidden = rng.random(len(y)) < 0.3
    expected = evaluate.clustering(z[~hidden], y[~hidden], repeats=3, seed=4)
    assert evaluate.clustering(z, np.where(hidden, -1, y), repeats=3, seed=4) == expected
    assert evaluate.clustering(z[~hidden], y[~hidden], repeats=7, seed=4).inertia[:3] == expected.inertia


def test_constant_rows_agree_with_nothing():
    result = evaluate.clustering(np.ones((30, 4)), np.arange(30) % 3, repeats=2)
    assert result.nmi.mean == 0
    assert result.ari.mean == 0


def test_what_cannot_be_judged_says_why():
    with pytest.raises(InputError, match="two classes; got 1"):
        evaluate.clustering(np.eye(3), np.zeros(3, int))
    with pytest.raises(SettingsError, match="n_init"):
        evaluate.clustering(np.eye(3), np.arange(3), n_init=0)
