"""Centralities against dense linear algebra, and the probabilities against slow loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gigamae.baselines.centrality import (
    CENTRALITIES,
    column_scores,
    drop_probabilities,
    edge_scores,
    node_centrality,
)
from gigamae.graph.graph import Graph


@pytest.fixture
def graph(rng: np.random.Generator) -> Graph:
    ends = rng.integers(0, 11, size=(22, 2))
    weights = rng.random(22).astype("float32") + 0.5
    return Graph.from_edges(ends, rng.random((12, 5), dtype=np.float32), num_nodes=12, weights=weights)


def test_degree_counts_weights(graph: Graph) -> None:
    by_hand = graph.adjacency().toarray().sum(axis=1)
    np.testing.assert_allclose(node_centrality(graph, "degree"), by_hand, rtol=1e-6)


def test_eigenvector_is_the_leading_one(graph: Graph) -> None:
    vectors = np.linalg.eigh(graph.adjacency().toarray().astype(float))[1]
    np.testing.assert_allclose(node_centrality(graph, "eigenvector"), np.abs(vectors[:, -1]), atol=1e-6)


def test_eigenvector_of_a_bipartite_graph_settles() -> None:
    star = Graph.from_edges([[0, i] for i in range(1, 5)])
    np.testing.assert_allclose(node_centrality(star, "eigenvector"), [0.5**0.5, *[8**-0.5] * 4], atol=1e-6)


def test_pagerank_solves_its_equation(graph: Graph) -> None:
    """pi = 0.85 (P^T pi + what is stranded) + 0.15 / N, solved densely; node 11 has no edge."""
    a, n = graph.adjacency().toarray().astype(float), graph.num_nodes
    walk = np.array([row / row.sum() if row.sum() else np.full(n, 1 / n) for row in a])
    exact = np.linalg.solve(np.eye(n) - 0.85 * walk.T, np.full(n, 0.15 / n))
    found = node_centrality(graph, "pagerank")
    np.testing.assert_allclose(found, exact, atol=1e-8)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", CENTRALITIES)
def test_scores_are_the_equations(graph: Graph, kind: str) -> None:
    phi = node_centrality(graph, kind)
    edges = [math.log((phi[u] + phi[v]) / 2 + 1e-8) for u, v in graph.edges]
    np.testing.assert_allclose(edge_scores(graph, phi), edges)
    columns = [math.log(sum(abs(graph.x[u, i]) * phi[u] for u in range(12))) for i in range(5)]
    np.testing.assert_allclose(column_scores(graph.x, phi), columns, rtol=1e-6)


def test_sparse_columns_count_by_presence() -> None:
    x = np.array([[0.2, 0, 0], [0.5, 0, 0.5]], dtype="float32")
    scores = column_scores(sp.csr_matrix(x), np.array([2.0, 3.0]))
    np.testing.assert_allclose(scores, [math.log(5), -math.inf, math.log(3)])


def test_probabilities_are_the_equation(rng: np.random.Generator) -> None:
    scores = rng.normal(size=40)
    top, mean = max(scores), sum(scores) / 40
    expected = [min((top - s) / (top - mean) * 0.4, 0.7) for s in scores]
    np.testing.assert_allclose(drop_probabilities(scores, 0.4, 0.7), expected)


@given(
    arrays(np.float64, st.integers(1, 30), elements=st.floats(-30, 30) | st.just(-math.inf)),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_probabilities_are_probabilities_and_fall_with_the_score(
    scores: np.ndarray, mean: float, most: float
) -> None:
    chances = drop_probabilities(scores, mean, most)
    assert ((chances >= 0) & (chances <= most)).all()
    order = np.argsort(scores)
    assert (np.diff(chances[order]) <= 1e-12).all()


def test_the_mean_holds_below_the_cap(rng: np.random.Generator) -> None:
    chances = drop_probabilities(rng.random(50), 0.2, 1.0)
    assert chances.mean() == pytest.approx(0.2)


def test_scores_that_are_all_alike_drop_evenly() -> None:
    assert drop_probabilities(np.full(4, 2.0), 0.3, 0.7).tolist() == [0.3] * 4
    assert drop_probabilities(np.full(4, -np.inf), 0.3, 0.2).tolist() == [0.2] * 4
    assert len(drop_probabilities(np.empty(0), 0.3, 0.7)) == 0
