"""GCA: what its views lose, that the loss is GRACE's on them, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gigamae.baselines.centrality import CENTRALITIES, node_centrality
from gigamae.baselines.gca import GCA
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.model.infonce import infonce_plain

SMALL = {"hidden_dim": 24, "out_dim": 16, "projector_dim": 16}


def loops(graph: Graph, kind: str, mean: float) -> tuple[list[float], list[float]]:
    """The paper's probabilities of every edge, and of every column that a node with an edge has."""
    phi = node_centrality(graph, kind)
    edges = [math.log((phi[u] + phi[v]) / 2 + 1e-8) for u, v in graph.edges]
    x = graph.x.toarray()
    totals = [sum(phi[i] for i in range(len(x)) if x[i, k]) for k in range(x.shape[1])]
    columns = [math.log(total) for total in totals if total > 0]

    def dropped(scores: list[float]) -> list[float]:
        top, middle = max(scores), sum(scores) / len(scores)
        return [min((top - s) / (top - middle) * mean, 0.7) for s in scores]

    return dropped(edges), dropped(columns)


@pytest.mark.parametrize("kind", CENTRALITIES)
def test_each_edge_goes_as_often_as_its_score_says(kind: str, tiny: Graph) -> None:
    model = GCA(centrality=kind, drop_edge_1=0.3, drop_feature_2=0.2, **SMALL)
    data = model.prepare(tiny, torch.device("cpu"))
    generator, draws = torch.Generator().manual_seed(0), 400
    edges, columns = np.zeros(tiny.num_edges), np.zeros(tiny.num_features)
    for _ in range(draws):
        first, second = model.views(data, generator)
        assert first.step.hidden_edges is not None
        edges += first.step.hidden_edges.numpy()
        kept = second.features.project(torch.eye(tiny.num_features)).abs().sum(0) > 0
        columns += ~kept.numpy()
    np.testing.assert_allclose(edges / draws, loops(tiny, kind, 0.3)[0], atol=0.12)
    filled = tiny.x.T @ node_centrality(tiny, kind) > 0
    expected = loops(tiny, kind, 0.2)[1]
    np.testing.assert_allclose((columns / draws)[filled], expected, atol=0.12)


def test_the_loss_is_graces_on_those_views(tiny: Graph) -> None:
    model = GCA(**SMALL)
    data, module = model.prepare(tiny, torch.device("cpu")), model._seeded(tiny)
    loss = model.loss(module, data, torch.Generator().manual_seed(5))
    u, v = (module(view) for view in model.views(data, torch.Generator().manual_seed(5)))
    assert loss.item() == pytest.approx(-infonce_plain(u, v, 0.4).item(), rel=1e-5)


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = GCA(epochs=60, learning_rate=5e-3, **SMALL)
    after, before = learned(model)
    assert model.history_.losses[-1] < model.history_.losses[0] - 0.3
    assert after > before + 0.08


def test_another_graph_is_embedded_by_its_own_edges(tiny: Graph, planted: Graph) -> None:
    model = GCA(epochs=2, **SMALL).fit(tiny)
    assert model.transform(planted).shape == (240, 16)


def test_settings_are_checked(tiny: Graph) -> None:
    with pytest.raises(SettingsError, match="centrality='closeness'"):
        GCA(centrality="closeness").fit(tiny)
    with pytest.raises(SettingsError, match="most_dropped=2"):
        GCA(most_dropped=2).fit(tiny)
