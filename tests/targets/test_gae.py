"""GAE as a target: the loss from its equation, edges come out, sparse features stay sparse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import SettingsError
from gigamae.evaluate.links import auc, link_scores
from gigamae.graph.graph import Graph
from gigamae.graph.splits import sample_non_edges
from gigamae.model.edges import NonEdges, edge_pairs, inner_products, link_loss
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology
from gigamae.targets import make_target
from gigamae.targets.gae import GAE


def two_groups(seed: int = 0) -> Graph:
    """Eighty nodes in two blocks, with features that say little."""
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    share = np.where(y[:, None] == y[None, :], 0.2, 0.01)
    x = (rng.random((80, 20)) < 0.1 + 0.1 * (np.arange(20) % 2 == y[:, None])).astype("float32")
    return Graph.from_edges(np.argwhere(np.triu(rng.random((80, 80)) < share, 1)), x, num_nodes=80, y=y)


def test_the_loss_pair_by_pair(rng: np.random.Generator) -> None:
    z = rng.normal(size=(6, 3))
    edges, others = [(0, 1), (1, 2), (3, 5)], [(0, 4), (2, 5), (1, 3), (4, 5)]

    def probability(u: int, v: int) -> float:
        return 1 / (1 + math.exp(-sum(a * b for a, b in zip(z[u], z[v], strict=True))))

    expected = -sum(math.log(probability(*e)) for e in edges) / len(edges)
    expected -= sum(math.log(1 - probability(*e)) for e in others) / len(others)
    table = torch.tensor(z)
    found = link_loss(
        inner_products(table, torch.tensor(edges).T), inner_products(table, torch.tensor(others).T)
    )
    assert found.item() == pytest.approx(expected, abs=1e-12)


def test_the_loss_is_finite_where_the_sigmoid_is_not() -> None:
    far = torch.tensor([-500.0], requires_grad=True)
    loss = link_loss(far, -far)
    assert loss.item() == pytest.approx(1000)
    loss.backward()
    assert far.grad is not None
    assert far.grad.item() == -2.0
    assert link_loss(torch.empty(0), torch.empty(0)).item() == 0


@given(st.integers(2, 12), st.floats(0, 1), st.integers(0, 1000))
def test_non_edges_are_pairs_of_different_nodes_without_an_edge(n: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges = np.argwhere(np.triu(rng.random((n, n)) < share, 1))
    graph = Graph.from_edges(edges, num_nodes=n)
    topology = Topology.of(graph)
    pairs = NonEdges(topology).draw(200, torch.Generator().manual_seed(seed)).T.tolist()
    joined = {tuple(e) for e in graph.edge_index.T.tolist()}
    free = {(u, v) for u in range(n) for v in range(n) if u != v} - joined
    assert len(pairs) == (200 if free else 0)
    assert {tuple(p) for p in pairs} <= free
    np.testing.assert_array_equal(edge_pairs(topology).T.numpy(), graph.edges)


def test_non_edges_are_drawn_evenly() -> None:
    """Both ways of drawing: a sparse and a dense graph of six nodes."""
    dense = [(u, v) for u in range(6) for v in range(u) if (u, v) not in ((5, 0), (4, 1))]
    for edges, free in (([(0, 1), (2, 3)], 26), (dense, 4)):
        drawn = NonEdges(Topology.of(Graph.from_edges(edges, num_nodes=6)))
        pairs = drawn.draw(26_000, torch.Generator().manual_seed(0))
        counts = torch.bincount(pairs[0] * 6 + pairs[1])
        counts = counts[counts > 0]
        assert len(counts) == free
        assert counts.float().div(26_000 / free).sub(1).abs().max() < 0.15


def test_inner_products_tell_edges_from_others() -> None:
    graph = two_groups()
    others = sample_non_edges(graph, graph.num_edges, np.random.default_rng(1))

    def found(epochs: int) -> float:
        z = GAE(dim=16, hidden=32, epochs=epochs).fit(graph)
        return auc(link_scores(z, graph.edges), link_scores(z, others))

    assert found(100) > max(0.8, found(1) + 0.05)


def test_the_same_for_a_seed_and_another_for_another() -> None:
    graph, target = two_groups(), GAE(dim=8, hidden=16, epochs=5)
    before = torch.random.get_rng_state()
    first = target.fit(graph, seed=3)
    assert first.dtype == np.float32
    assert (first == target.fit(graph, seed=3)).all()
    assert (first != target.fit(graph, seed=4)).any()
    assert torch.equal(before, torch.random.get_rng_state())


def test_features_stay_sparse(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    x = sp.random(300, 400, density=0.01, format="csr", random_state=0, dtype=np.float32)
    edges = rng.integers(0, 300, (600, 2))
    monkeypatch.setattr(sp.csr_matrix, "toarray", lambda self: pytest.fail("made dense"))
    seen = []
    project = FeatureMatrix.project

    def watched(self: FeatureMatrix, *args: Any, **options: Any) -> torch.Tensor:
        seen.append(self.is_sparse)
        return project(self, *args, **options)

    monkeypatch.setattr(FeatureMatrix, "project", watched)
    z = GAE(dim=4, hidden=8, epochs=2).fit(Graph.from_edges(edges, x))
    assert z.shape == (300, 4)
    assert np.isfinite(z).all()
    assert seen
    assert all(seen)


def test_graphs_with_no_edge_with_every_edge_and_of_one_node() -> None:
    every = [(u, v) for u in range(5) for v in range(u)]
    for edges, n in (([], 5), (every, 5), ([], 1)):
        x = np.eye(n, 3, dtype="float32")
        graph = Graph.from_edges(np.array(edges, int).reshape(-1, 2), x, num_nodes=n)
        assert np.isfinite(GAE(dim=4, hidden=4, epochs=3).fit(graph)).all()


def test_settings_are_checked() -> None:
    for told in ({"dim": 0}, {"hidden": 2.5}, {"epochs": True}, {"learning_rate": 0.0}):
        with pytest.raises(SettingsError, match=f"gae: {next(iter(told))}"):
            GAE(**told)  # type: ignore[arg-type]
    assert make_target({"name": "gae", "dim": 32}).params()["dim"] == 32
    assert GAE().modality == "both"
