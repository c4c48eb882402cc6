"""Walks: every step has the probability of the definition, and threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.graph.graph import Graph
from gigamae.targets.compiled import Team
from gigamae.targets.walks import random_walks, running_sums

MANY = 40_000
#: A triangle with a tail, a square with a diagonal, and a hub: near, far and way back all occur.
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 2), (2, 4), (5, 6), (2, 6), (6, 7)]


def graph_of(weighted: bool) -> Graph:
    weights = 0.5 + np.arange(len(EDGES)) % 4 if weighted else None
    return Graph.from_edges(EDGES, num_nodes=9, weights=weights)  # node 8 is isolated


def probabilities(graph: Graph, t: int, v: int, p: float, q: float) -> dict[int, float]:
    """Of every next node of a walk that came from t to v, straight from the definition."""
    a = graph.adjacency().toarray()
    told = {}
    for x in np.flatnonzero(a[v]):
        bias = 1 / p if x == t else 1.0 if a[t, x] else 1 / q
        told[int(x)] = a[v, x] * bias
    total = sum(told.values())
    return {x: weight / total for x, weight in told.items()}


def walks_of(graph: Graph, starts: np.ndarray, length: int, seed: int = 0, **more) -> np.ndarray:  # type: ignore[no-untyped-def]
    return random_walks(graph.indptr, graph.indices, graph.weights, starts, length, seed=seed, **more)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.25, 1.0), (4.0, 1.0), (1.0, 0.25), (1.0, 4.0),
                                      (0.2, 2.0), (50.0, 0.02), (0.02, 50.0)])  # fmt: skip
def test_steps_are_drawn_as_defined(p: float, q: float, weighted: bool) -> None:
    """Counted over all second steps, within five standard errors each."""
    graph = graph_of(weighted)
    starts = np.repeat(np.arange(8), MANY // 8)
    walks = walks_of(graph, starts, 2, p=p, q=q, seed=7)
    places = {tuple(place) for place in walks[:, :2].tolist()}
    assert len(places) == 2 * len(EDGES), "every directed edge is a first step of some walk"
    for t, v in places:
        nexts = walks[(walks[:, 0] == t) & (walks[:, 1] == v), 2]
        expected = probabilities(graph, t, v, p, q)
        assert set(nexts.tolist()) <= set(expected)
        for x, share in expected.items():
            error = np.sqrt(share * (1 - share) / len(nexts))
            assert abs((nexts == x).mean() - share) <= 5 * error + 1e-12, (t, v, x)


@pytest.mark.parametrize("weighted", [False, True])
def test_first_steps_follow_the_weights(weighted: bool) -> None:
    graph = graph_of(weighted)
    row = graph.adjacency().toarray()[2]
    first = walks_of(graph, np.full(MANY, 2), 1, p=0.3, q=3.0)[:, 1]
    np.testing.assert_allclose(np.bincount(first, minlength=9) / MANY, row / row.sum(), atol=0.015)


def test_a_long_row_is_drawn_from_like_a_short_one() -> None:
    """A hub with 300 neighbours: the tries run out and the row is looked through."""
    hub = [(0, i) for i in range(1, 301)]
    graph = Graph.from_edges([*hub, (1, 2), (1, 301), (301, 302)])
    walks = walks_of(graph, np.full(MANY, 1), 2, p=1.0, q=1e-3, seed=3)
    come = walks[walks[:, 1] == 0]
    expected = probabilities(graph, 1, 0, 1.0, 1e-3)
    assert len(come) > 5000
    assert abs((come[:, 2] == 2).mean() - expected[2]) < 1e-3
    assert len(np.unique(come[:, 2])) > 290, "the far ones are all reached"


def test_isolated_nodes_stay_where_they_are() -> None:
    assert (walks_of(graph_of(False), np.array([8, 8]), 4, p=0.5, q=2.0) == 8).all()


def test_no_walks_and_no_steps() -> None:
    assert walks_of(graph_of(False), np.empty(0, np.int64), 3).shape == (0, 4)
    assert walks_of(graph_of(False), np.array([5, 1]), 0).tolist() == [[5], [1]]


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.2, 2.0)])
def test_the_same_walks_for_any_number_of_threads(p: float, q: float) -> None:
    graph, starts = graph_of(True), np.arange(1000) % 9
    found = []
    for threads in (1, 2, 5):
        with Team(threads) as team:
            found.append(walks_of(graph, starts, 12, p=p, q=q, seed=11, team=team))
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()
    assert (found[0] != walks_of(graph, starts, 12, p=p, q=q, seed=12)).any()


def test_walks_from_one_node_differ() -> None:
    walks = walks_of(graph_of(False), np.full(200, 2), 6)
    assert len(np.unique(walks, axis=0)) > 150


@given(
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=40),
    p=st.sampled_from([0.1, 1.0, 9.0]),
    q=st.sampled_from([0.1, 1.0, 9.0]),
    seed=st.integers(0, 2**64 - 1),
)
def test_property_every_step_is_an_edge(edges: list[tuple[int, int]], p: float, q: float, seed: int) -> None:
    graph = Graph.from_edges(edges, num_nodes=12)
    there = graph.adjacency().toarray() != 0
    walks = walks_of(graph, np.arange(12), 8, p=p, q=q, seed=seed)
    for before, after in zip(walks[:, :-1].ravel(), walks[:, 1:].ravel(), strict=True):
        assert there[before, after] or (before == after and not there[before].any())


def test_running_sums_begin_anew_in_each_row() -> None:
    sums = running_sums(np.array([0, 3, 3, 5]), np.array([1, 2, 3, 4, 5], np.float32))
    assert sums.tolist() == [1, 3, 6, 4, 9]
