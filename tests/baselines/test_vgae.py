"""GAE and VGAE: the loss against slow loops, and that they learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from gigamae.baselines.unit_rows import unit_rows
from gigamae.baselines.vgae import GAE, VGAE, divergence
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step


def dense_gcn(graph: Graph, h: torch.Tensor, layer: Any) -> torch.Tensor:
    """D^-1/2 (A + I) D^-1/2 H W + b, entry by entry."""
    n, x = graph.num_nodes, (h @ layer.lift.weight).detach().double()
    near = [{i, *graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist()} for i in range(n)]
    out = torch.zeros(n, x.shape[1], dtype=torch.float64)
    for i in range(n):
        for j in near[i]:
            out[i] += x[j] / math.sqrt(len(near[i]) * len(near[j]))
    return (out + layer.bias.detach()).float()


def cross_entropy(z: torch.Tensor, edges: torch.Tensor, others: torch.Tensor) -> float:
    total = 0.0
    for sign, pairs in ((1, edges.T.tolist()), (-1, others.T.tolist())):
        for u, v in pairs:
            score = sign * sum(a * b for a, b in zip(z[u].tolist(), z[v].tolist(), strict=True))
            total -= math.log(1 / (1 + math.exp(-score))) / len(pairs)
    return total


@pytest.mark.parametrize("method", [GAE, VGAE])
def test_the_loss_is_the_equation(method: type[GAE], meshed: Graph) -> None:
    model = method(hidden_dim=6, out_dim=4, **({"kl_weight": 3.0} if method is VGAE else {}))
    data = model.prepare(meshed, torch.device("cpu"))
    module: Any = model._seeded(meshed)
    found = model.loss(module, data, torch.Generator().manual_seed(7)).item()

    replay = torch.Generator().manual_seed(7)
    hidden = torch.relu(dense_gcn(meshed, torch.from_numpy(unit_rows(meshed.x.toarray())), module.first))
    z = mean = dense_gcn(meshed, hidden, module.mean)
    expected = 0.0
    if method is VGAE:
        spread = dense_gcn(meshed, hidden, module.log_std).exp()
        z = mean + torch.randn(mean.shape, generator=replay) * spread
        for mu, sigma in zip(mean.flatten().tolist(), spread.flatten().tolist(), strict=True):
            expected += 3.0 * (sigma**2 + mu**2 - 1 - math.log(sigma**2)) / 2 / 30 / 30
    expected += cross_entropy(z, data.edges, data.others.draw(meshed.num_edges, replay))
    assert found == pytest.approx(expected, rel=1e-4)


def test_the_divergence_is_that_of_normal_distributions() -> None:
    mean, log_std = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0))
    ours = torch.distributions.Normal(mean, log_std.exp())
    prior = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
    expected = torch.distributions.kl_divergence(ours, prior).sum(1).mean()
    torch.testing.assert_close(divergence(mean, log_std), expected)


def test_the_embedding_is_the_mean_without_dropout(meshed: Graph) -> None:
    model = VGAE(out_dim=4, epochs=2, dropout=0.5).fit(meshed)
    data = model.prepare(meshed, torch.device("cpu"))
    module: Any = model.module_
    mean, _ = module.distribution(data.features, Step(data.topology))
    torch.testing.assert_close(torch.from_numpy(model.transform(meshed)), mean.detach())


@pytest.mark.parametrize("method", [GAE, VGAE])
def test_it_learns(method: type[GAE], learned: Callable[[Any], tuple[float, float]]) -> None:
    model = method(epochs=60)
    after, before = learned(model)
    assert sum(model.history_.losses[-5:]) / 5 < 0.95 * model.history_.losses[0]
    assert after > before + 0.05
