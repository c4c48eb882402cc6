"""node2vec and DeepWalk: communities come out, isolated nodes are defined, settings are checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.targets.deepwalk import DeepWalk
from gigamae.targets.node2vec import Node2Vec


def two_rings(weights: bool = False) -> Graph:
    """Two dense groups of ten with one edge between them, and two nodes alone."""
    edges = [(a, b) for base in (0, 10) for a in range(base, base + 10) for b in range(a + 1, base + 10)]
    edges.append((0, 10))
    told = np.ones(len(edges)) if weights else None
    return Graph.from_edges(edges, num_nodes=22, weights=told)


def test_communities_are_near_one_another() -> None:
    z = Node2Vec(dim=16, epochs=5, walks_per_node=20).fit(two_rings())[:20]
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    cosine = z @ z.T
    same = np.equal.outer(np.arange(20) // 10, np.arange(20) // 10) & ~np.eye(20, dtype=bool)
    different = ~np.equal.outer(np.arange(20) // 10, np.arange(20) // 10)
    assert cosine[same].mean() > cosine[different].mean() + 0.5


def test_isolated_nodes_have_a_zero_vector_and_all_is_finite() -> None:
    z = Node2Vec(dim=8).fit(two_rings())
    assert z.dtype == np.float32
    assert np.isfinite(z).all()
    assert (z[20:] == 0).all()
    assert (np.linalg.norm(z[:20], axis=1) > 0).all()


def test_no_edges_and_one_node() -> None:
    for n in (1, 5):
        graph = Graph.from_edges(np.empty((0, 2), int), np.ones((n, 2), np.float32))
        assert (Node2Vec(dim=4).fit(graph) == np.zeros((n, 4))).all()


def test_the_same_for_a_seed_and_another_for_another() -> None:
    graph, target = two_rings(), Node2Vec(dim=8, p=0.5, q=2.0)
    assert (target.fit(graph, seed=3) == target.fit(graph, seed=3)).all()
    assert (target.fit(graph, seed=3) != target.fit(graph, seed=4)).any()


def test_walks_follow_weights_where_asked() -> None:
    """Node 0 has a heavy and a light neighbour: weights decide whom it resembles."""
    edges = [(0, i) for i in range(1, 11)] + [(i, j) for i in range(1, 6) for j in range(i + 1, 6)]
    edges += [(i, j) for i in range(6, 11) for j in range(i + 1, 11)]
    weights = np.array([100.0] * 5 + [0.01] * 5 + [1.0] * 20)
    graph = Graph.from_edges(edges, weights=weights)

    def leaning(weighted: bool) -> float:
        z = Node2Vec(dim=8, epochs=10, weighted=weighted).fit(graph)
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        return float((z[1:6] @ z[0]).mean() - (z[6:] @ z[0]).mean())

    assert leaning(True) > 0.5
    assert abs(leaning(False)) < 0.25


def test_deepwalk_is_node2vec_without_bias() -> None:
    graph = two_rings()
    assert (DeepWalk(dim=8).fit(graph, seed=1) == Node2Vec(dim=8).fit(graph, seed=1)).all()
    with pytest.raises(SettingsError, match="p = q = 1"):
        DeepWalk(q=2.0)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("dim", 0), ("walk_length", 2.5), ("context", 1), ("p", 0), ("q", -1), ("negatives", -1),
     ("epochs", True)],
)
def test_settings_that_cannot_be(setting: str, value: object) -> None:
    with pytest.raises(SettingsError, match=setting):
        Node2Vec(**{setting: value})  # type: ignore[arg-type]


def test_cora_is_at_least_as_good_as_the_paper_says(data_root: Path) -> None:
    from gigamae import evaluate, load_dataset, split_links

    graph = load_dataset("cora", root=data_root)
    target = Node2Vec(walk_length=5, context=5, walks_per_node=5, epochs=20)
    accuracy = evaluate.classification(target.fit(graph), graph.y, repeats=3).accuracy.mean
    assert accuracy > 0.70  # the paper's targets table: 0.7176
    split = split_links(graph, seed=0)
    assert evaluate.links(target.fit(split.train), split).auc.mean > 0.84  # the paper's: 0.8585
