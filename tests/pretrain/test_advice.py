"""Advice: sensible settings for every kind of graph, each with its reason."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae.graph.graph import Graph
from gigamae.pretrain.advice import advise
from gigamae.settings import Settings


def _graph(n: int, mean_degree: float, x: object = "random", seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, size=(int(n * mean_degree / 2), 2))
    features = rng.random((n, 200), dtype=np.float32) if isinstance(x, str) else x
    return Graph.from_edges(edges, features, num_nodes=n)


@pytest.mark.parametrize("n", [2, 500, 7000])
@pytest.mark.parametrize("mean_degree", [0, 1, 10, 60])
def test_advice_is_always_valid_and_has_reasons(n: int, mean_degree: float) -> None:
    advice = advise(_graph(n, mean_degree))
    Settings.from_dict(advice.settings)
    assert advice.targets
    for name in advice.settings:
        assert any(name in reason for reason in advice.reasons), name


def test_without_features_structure_alone() -> None:
    advice = advise(_graph(50, 4, x=None))
    assert list(advice.targets) == ["node2vec"]
    assert any("no features" in reason for reason in advice.reasons)


@pytest.mark.parametrize("x", [np.ones((50, 3), "float32"), sp.csr_matrix(np.ones((50, 3), "float32"))])
def test_constant_features_are_no_target(x: object) -> None:
    assert list(advise(_graph(50, 4, x=x)).targets) == ["node2vec"]


def test_without_edges_attributes_alone() -> None:
    advice = advise(_graph(50, 0))
    assert list(advice.targets) == ["pca"]
    assert advice.settings["mask_edge"] == 0


def test_dense_and_thin_graphs_hide_more_and_fewer_edges() -> None:
    masks = [advise(_graph(1000, d)).settings.get("mask_edge", Settings().mask_edge) for d in (1.5, 10, 60)]
    assert masks == sorted(masks)
    assert len(set(masks)) == 3


def test_large_graphs_draw_negatives() -> None:
    assert "negatives" not in advise(_graph(2000, 4)).settings
    assert advise(_graph(6001, 4)).settings["negatives"] > 0


def test_labels_do_not_matter() -> None:
    graph = _graph(50, 4)
    labelled = Graph.from_edges(graph.edges, graph.x, num_nodes=50, y=np.arange(50) % 3)
    assert advise(graph) == advise(labelled)
