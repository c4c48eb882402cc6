import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from gigamae.errors import InputError
from gigamae.evaluate.kmeans import _fill_empty, kmeans


def cloud(seed, n=200, d=5, k=4):
    rng = np.random.default_rng(seed)
    return (2 * rng.standard_normal((k, d))[np.arange(n) % k] + rng.standard_normal((n, d))).astype(
        np.float32
    )


def one(x, k, seed=0, **settings):
    return kmeans(x, k, [np.random.default_rng(seed)], **settings)[0]


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_it_ends_where_lloyd_would_not_move_on(seed, k):
    x = cloud(seed)
    found = one(x, k, seed, tol=0)
    for j in range(k):
        assert np.allclose(found.centres[j], x[found.labels == j].mean(axis=0), atol=1e-4)
    distance = ((x[:, None] - found.centres[None]) ** 2).sum(axis=2)
    assert np.allclose(distance[np.arange(len(x)), found.labels], distance.min(axis=1), atol=1e-3)
    assert found.inertia == pytest.approx(distance.min(axis=1).sum(), rel=1e-4)


def test_inertia_within_a_percent_of_scikit_learns(rng):
    ours, theirs = [], []
    for _ in range(3):
        x = rng.standard_normal((600, 8)).astype(np.float32) * np.arange(1, 9)  # no clear clusters
        ours += [f.inertia for f in kmeans(x, 7, [np.random.default_rng(s) for s in range(5)])]
        theirs += [KMeans(7, n_init=10, random_state=s).fit(x).inertia_ for s in range(5)]
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.01)


@given(st.integers(0, 10**6))
def test_rotation_and_shift_leave_the_inertia(seed):
    x = cloud(seed, d=4)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    moved = (x @ turn + 5 * rng.standard_normal(4)).astype(np.float32)
    a, b = one(x, 4, seed), one(moved, 4, seed)
    assert a.inertia == pytest.approx(b.inertia, rel=0.01)


def test_more_starts_are_never_worse_and_the_blocks_do_not_matter(monkeypatch):
    x = cloud(3)
    few, many = (one(x, 6, n_init=n).inertia for n in (1, 20))
    assert many <= few
    whole = one(x, 6)
    monkeypatch.setattr("gigamae.evaluate.kmeans.BLOCK", 1)  # blocks of 256 rows, the least
    big = np.concatenate([x] * 3)
    assert np.array_equal(one(x, 6).labels, whole.labels)
    assert one(big, 6).inertia == pytest.approx(3 * whole.inertia, rel=0.02)


def test_seeds_together_are_seeds_alone():
    x = cloud(9)
    together = kmeans(x, 4, [np.random.default_rng(s) for s in range(3)])
    for seed, found in enumerate(together):
        assert np.array_equal(found.labels, one(x, 4, seed).labels)


def test_an_empty_cluster_gets_the_farthest_row():
    labels = np.array([[0, 0, 0, 2], [0, 1, 2, 2]], dtype=np.int32)
    distance = np.array([[0.0, 3, 1, 0], [0, 0, 0, 0]], dtype=np.float32)
    _fill_empty(labels, distance, np.zeros(4, np.float32), 3)
    assert labels.tolist() == [[0, 1, 0, 2], [0, 1, 2, 2]]


@pytest.mark.parametrize("x", [np.zeros((6, 2)), np.ones((6, 2)), np.repeat(np.eye(2), 3, axis=0)])
def test_fewer_different_rows_than_clusters(x):
    found = one(x.astype(np.float32), 3)
    assert found.inertia == pytest.approx(0, abs=1e-9)
    assert np.isfinite(found.centres).all()


def test_as_many_clusters_as_rows_and_no_more():
    x = np.arange(5, dtype=np.float32)[:, None]
    assert sorted(one(x, 5).labels) == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="6 clusters for 5 rows"):
        one(x, 6)
