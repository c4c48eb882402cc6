"""Partition: parts of nearly equal size, far fewer edges between them than chance would cut."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gigamae.graph.graph import Graph
from gigamae.pretrain.partition import SLACK, cut_edges, partition


def planted(groups=6, each=40, inside=5, across=0.3, seed=0):
    rng = np.random.default_rng(seed)
    n = groups * each
    group = rng.permutation(np.arange(n) % groups)
    u = rng.integers(n, size=n * inside)
    own = np.argsort(group, kind="stable").reshape(groups, each)
    v = own[group[u], rng.integers(each, size=len(u))]
    far = rng.integers(n, size=(int(n * across), 2))
    return Graph.from_edges(np.concatenate([np.stack([u, v], 1), far]), num_nodes=n), group


@given(st.integers(1, 90), st.integers(0, 200), st.integers(1, 100), st.integers(0, 10**6))
def test_parts_cover_the_nodes_and_are_of_nearly_equal_size(n, m, parts, seed):
    edges = np.random.default_rng(seed).integers(0, n, size=(m, 2))
    graph = Graph.from_edges(edges, np.ones((n, 1), np.float32), num_nodes=n)
    label = partition(graph, parts, seed=seed)
    parts = min(parts, n)
    size = np.bincount(label, minlength=parts)
    assert label.shape == (n,)
    assert len(size) == parts
    assert size.min() >= max(1, np.floor((1 - SLACK) * n / parts))
    assert size.max() <= np.ceil((1 + SLACK) * n / parts)
    assert np.array_equal(label, partition(graph, parts, seed=seed))


def test_planted_groups_are_hardly_cut():
    graph, group = planted()
    cut = cut_edges(graph, partition(graph, 6))
    by_chance = cut_edges(graph, np.random.default_rng(0).permutation(group))
    assert cut < 0.35 * by_chance


def test_cut_edges_counts_each_once():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    assert cut_edges(graph, np.array([0, 0, 1, 1])) == 1
    assert cut_edges(graph, np.array([0, 1, 0, 1])) == 3
