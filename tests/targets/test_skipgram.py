"""Skip-gram: gradients against slow loops, the same to the bit for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from gigamae.targets.compiled import Team
from gigamae.targets.skipgram import CHUNK, SHARED, SkipGram, _gradients


def sigmoid(x: float) -> float:
    return 1 / (1 + np.exp(-x))


def slow_gradients(table, walks, drawn, window, negatives):  # type: ignore[no-untyped-def]
    """Straight from the loss: one pair after the other, in float64."""
    near = np.zeros((*walks.shape, table.shape[1]))
    far = np.zeros((*drawn.shape, table.shape[1]))
    z = table.astype(np.float64)
    for w, walk in enumerate(walks):
        chunk = w // CHUNK
        for s, u in enumerate(walk):
            pairs = [t for t in range(s + 1, min(s + window, len(walk))) if walk[t] != u]
            for t in pairs:
                pull = 1 - sigmoid(z[u] @ z[walk[t]])  # d log sigmoid(a) = 1 - sigmoid(a)
                near[w, s] += pull * z[walk[t]]
                near[w, t] += pull * z[u]
            for k, x in enumerate(drawn[chunk]):
                if x != u:
                    push = negatives * len(pairs) / drawn.shape[1] * sigmoid(z[u] @ z[x])
                    near[w, s] -= push * z[x]
                    far[chunk, k] -= push * z[u]
    return near, far


@pytest.mark.parametrize("window", [2, 3, 6])
@pytest.mark.parametrize("negatives", [0.0, 1.0, 5.0])
def test_gradients_equal_slow_loops(window: int, negatives: float, rng: np.random.Generator) -> None:
    table = rng.normal(size=(9, 5)).astype(np.float32)
    walks = rng.integers(9, size=(CHUNK + 3, 5)).astype(np.int32)
    drawn = rng.integers(9, size=(2, SHARED)).astype(np.int32)
    near = np.full((2 * CHUNK, 5, 5), np.nan, np.float32)
    far = np.full((2, SHARED, 5), np.nan, np.float32)
    _gradients(table, walks, drawn, window, negatives, 0, 2, near, far)
    slow_near, slow_far = slow_gradients(table, walks, drawn, window, negatives)
    np.testing.assert_allclose(near[: len(walks)], slow_near, atol=2e-5)
    np.testing.assert_allclose(far, slow_far, atol=2e-5)


def test_the_same_to_the_bit_for_any_number_of_threads(rng: np.random.Generator) -> None:
    walks = rng.integers(50, size=(3000, 6)).astype(np.int32)
    tables = []
    for threads in (1, 2, 3):
        model = SkipGram(50, 16, window=3, negatives=1.0, frequency=np.ones(50), seed=4)
        with Team(threads) as team:
            model.train(walks, 0.1, end_rate=0.01, team=team)
            model.train(walks[:7], 0.1, team=team)
        tables.append(model.table)
    assert (tables[0] == tables[1]).all()
    assert (tables[0] == tables[2]).all()
    assert np.isfinite(tables[0]).all()


def test_negatives_follow_the_frequency() -> None:
    model = SkipGram(4, 2, window=2, negatives=1.0, frequency=np.array([0.0, 1.0, 3.0, 0.0]), seed=0)
    drawn = model._draw(1000, Team(1))
    assert set(np.unique(drawn)) == {1, 2}
    assert abs((drawn == 2).mean() - 0.75) < 0.02
    assert (drawn != model._draw(1000, Team(1))).any(), "the stream goes on"


def test_a_node_that_meets_nobody_stays_where_it_was() -> None:
    model = SkipGram(3, 4, window=2, negatives=1.0, frequency=np.array([1.0, 1.0, 0.0]), seed=0)
    before = model.table[2].copy()
    model.train(np.array([[0, 1], [2, 2]], np.int32), 0.1)
    assert (model.table[2] == before).all()
