import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import InputError, SettingsError
from gigamae.graph import Graph
from gigamae.graph.splits import sample_non_edges, split_links, split_nodes


def random_graph(n, m, seed, **more):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, (m, 2)), num_nodes=n, **more)


def pairs(edges):
    return {(int(u), int(v)) for u, v in edges}


@given(st.integers(12, 90), st.integers(30, 150), st.integers(0, 5))
def test_property_parts_are_disjoint_and_negatives_are_non_edges(n, m, seed):
    g = random_graph(n, m, seed)
    try:
        split = split_links(g, val=0.1, test=0.2, seed=seed)
    except InputError:
        assert n * (n - 1) / 2 - g.num_edges < 0.3 * g.num_edges
        return
    parts = [split.train.edges, split.val_pos, split.test_pos]
    assert sum(map(len, parts)) == g.num_edges
    assert set.union(*map(pairs, parts)) == pairs(g.edges)
    assert len(split.val_neg) == len(split.val_pos) == int(g.num_edges * 0.1)
    assert len(split.test_neg) == len(split.test_pos) == int(g.num_edges * 0.2)
    negatives = np.concatenate([split.val_neg, split.test_neg])
    assert (negatives[:, 0] < negatives[:, 1]).all()
    assert len(pairs(negatives)) == len(negatives)
    assert not pairs(negatives) & pairs(g.edges)


def test_the_seed_decides_and_features_and_labels_do_not():
    g = random_graph(60, 200, 0)
    other = Graph.from_edges(g.edges, np.ones((60, 2)), y=np.arange(60) % 3)
    a, b, c = split_links(g, seed=1), split_links(other, seed=1), split_links(g, seed=2)
    for part in ("val_pos", "val_neg", "test_pos", "test_neg"):
        np.testing.assert_array_equal(getattr(a, part), getattr(b, part))
        assert not np.array_equal(getattr(a, part), getattr(c, part))


def test_train_graph_knows_nothing_of_the_held_out_edges():
    weights = np.random.default_rng(0).random(300).astype("float32") + 0.5
    g = random_graph(50, 300, 0, weights=weights)
    train = split_links(g, seed=3).train
    known = dict(zip(map(tuple, g.edges.tolist()), g.edge_weights, strict=True))
    assert [known[tuple(e)] for e in train.edges.tolist()] == train.edge_weights.tolist()
    anew = Graph.from_edges(train.edges, num_nodes=50)  # made features see training edges alone
    np.testing.assert_array_equal(train.x, anew.x)
    assert not np.array_equal(train.x, g.x)


def test_every_non_edge_is_equally_likely():
    g = Graph.from_edges([(0, i) for i in range(1, 70)])  # node 0 has no non-edge at all
    counts = np.zeros((70, 70))
    rng = np.random.default_rng(0)
    for _ in range(400):
        u, v = sample_non_edges(g, 200, rng).T
        counts[u, v] += 1
    drawn = counts[np.triu_indices(70, 1)].reshape(-1)
    free = np.ones((70, 70), bool)
    free[0] = False
    free = free[np.triu_indices(70, 1)]
    assert (drawn[~free] == 0).all()
    expected = 400 * 200 / free.sum()
    chi2 = ((drawn[free] - expected) ** 2 / expected).sum()
    assert abs(chi2 / free.sum() - 1) < 0.1


def test_too_small_and_too_dense():
    with pytest.raises(InputError, match="3 edges are too few"):
        split_links(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    full = Graph.from_edges(np.stack(np.triu_indices(30, 1), axis=1))
    with pytest.raises(InputError, match="dense graph has only 0"):
        split_links(full)
    nearly = full.with_edges(full.edges[70:])
    assert len(split_links(nearly).test_neg) == int(nearly.num_edges * 0.1)
    with pytest.raises(SettingsError, match=r"val=0\.5"):
        split_links(full, val=0.5, test=0.5)


def test_a_million_edges_in_a_few_seconds():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 100_000, (1_000_000, 2)), np.ones((100_000, 1)))
    start = time.perf_counter()
    split = split_links(graph)
    assert time.perf_counter() - start < 20
    assert split.train.num_edges + len(split.val_pos) + len(split.test_pos) == graph.num_edges


def test_nodes():
    train, test = split_nodes(100, 0.1, seed=0)
    assert len(train) == 10
    assert sorted([*train, *test]) == list(range(100))
    assert not np.array_equal(train, split_nodes(100, 0.1, seed=1).train)
    y = np.where(np.arange(100) < 50, -1, 0)
    train, test = split_nodes(100, 0.1, seed=0, y=y)
    assert sorted([*train, *test]) == list(range(50, 100))
    with pytest.raises(InputError, match="1 labelled"):
        split_nodes(3, seed=0, y=np.array([-1, 0, -1]))
    with pytest.raises(SettingsError, match=r"train_share=1\.0"):
        split_nodes(3, 1.0)
