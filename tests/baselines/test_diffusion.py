"""Sparse personalised PageRank against the dense inverse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.baselines.diffusion import FINER, sparse_ppr
from gigamae.graph.graph import Graph
from gigamae.targets.compiled import Team


def dense_ppr(graph: Graph, alpha: float) -> np.ndarray:
    """alpha (I - (1 - alpha) D^-1/2 (A + I) D^-1/2)^-1, as it is written."""
    a = graph.adjacency().toarray().astype(float) + np.eye(graph.num_nodes)
    root = np.sqrt(a.sum(axis=1))
    return np.asarray(alpha * np.linalg.inv(np.eye(len(a)) - (1 - alpha) * a / np.outer(root, root)))


def random_graph(seed: int, nodes: int = 40, weighted: bool = False) -> Graph:
    rng = np.random.default_rng(seed)
    hub = np.stack([np.zeros(nodes // 2, int), np.arange(nodes // 2)], axis=1)  # degrees that differ
    ends = np.concatenate([rng.integers(0, nodes - 1, size=(2 * nodes, 2)), hub])
    weights = rng.random(len(ends)).astype("float32") + 0.1 if weighted else None
    return Graph.from_edges(ends, np.zeros((nodes, 1), np.float32), num_nodes=nodes, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.9])
def test_everything_kept_is_the_dense_form(alpha: float, weighted: bool) -> None:
    graph = random_graph(0, weighted=weighted)
    found = sparse_ppr(graph, alpha, 1e-7, 40).toarray()
    np.testing.assert_allclose(found, dense_ppr(graph, alpha), atol=2e-7)
    np.testing.assert_array_equal(found, found.T)


@given(st.integers(0, 10**6), st.sampled_from([1e-1, 1e-2, 1e-3]), st.booleans())
def test_no_entry_is_off_by_more_than_it_may(seed: int, threshold: float, weighted: bool) -> None:
    graph = random_graph(seed, weighted=weighted)
    exact, found = dense_ppr(graph, 0.2), sparse_ppr(graph, 0.2, threshold, 40).toarray()
    slack = FINER * threshold + 1e-6
    kept = found > 0
    assert (np.abs(found - exact)[kept] <= slack).all()
    assert (exact[~kept] < threshold + slack).all()  # what is missing was small
    assert (found[kept] >= threshold * (1 - 1e-6)).all()


def test_rows_keep_their_largest() -> None:
    graph = random_graph(1, weighted=True)  # so that no two entries tie
    whole, few = sparse_ppr(graph, 0.2, 1e-6, 40).toarray(), sparse_ppr(graph, 0.2, 1e-6, 5).toarray()
    asked = np.zeros_like(whole, dtype=bool)
    for row, values in enumerate(whole):
        largest = np.argsort(-values, kind="stable")[:5]
        asked[row, largest] = values[largest] > 0
    np.testing.assert_array_equal(few > 0, asked | asked.T)
    np.testing.assert_allclose(few, np.where(asked | asked.T, whole, 0), atol=1e-6)


def test_any_number_of_threads_gives_the_same() -> None:
    graph = random_graph(2)
    found = []
    for members in (1, 3):
        with Team(members) as team:
            found.append(sparse_ppr(graph, team=team).toarray())
    np.testing.assert_array_equal(*found)


def test_a_node_without_edges_keeps_to_itself() -> None:
    graph = Graph.from_edges([[0, 1]], np.zeros((3, 1), np.float32), num_nodes=3)
    np.testing.assert_allclose(sparse_ppr(graph).toarray()[2], [0, 0, 1], atol=1e-3 * FINER)
