"""S2GAE: the loss against slow loops, hidden edges hidden both ways, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gigamae.baselines.edge_scores import Perceptron, cross_products, either_way
from gigamae.baselines.s2gae import S2GAE, random_edges
from gigamae.baselines.unit_rows import unit_rows
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


def probability(decoder: Perceptron, row: list[float]) -> float:
    """The perceptron and the sigmoid, number by number."""
    values = row
    for place, layer in enumerate(decoder.layers):
        weight, bias = layer.weight.tolist(), layer.bias.tolist()  # type: ignore[operator, union-attr]
        values = [
            sum(w * v for w, v in zip(line, values, strict=True)) + b
            for line, b in zip(weight, bias, strict=True)
        ]
        if place < len(decoder.layers) - 1:
            values = [max(v, 0.0) for v in values]
    return 1 / (1 + math.exp(-values[0]))


def test_the_loss_is_the_equation(meshed: Graph) -> None:
    model = S2GAE(hidden_dim=4, decoder_dim=5, dropout=0.0, mask_rate=0.4)
    data = model.prepare(meshed, torch.device("cpu"))
    module: Any = model._seeded(meshed)
    found = model.loss(module, data, torch.Generator().manual_seed(7)).item()

    replay = torch.Generator().manual_seed(7)
    hidden = random_edges(meshed.num_edges, 0.4, replay)
    left = meshed.with_edges(meshed.edges[~hidden.numpy()])
    layers = [h.tolist() for h in module(data.features, Step(Topology.of(left)))]
    positive = data.edges[:, hidden]
    negative = data.others.draw(positive.shape[1], replay)
    expected = 0.0
    for is_edge, pairs in ((True, positive), (False, negative)):
        for u, v in either_way(pairs, replay).T.tolist():
            row = [a * b for hu in layers for hv in layers for a, b in zip(hu[u], hv[v], strict=True)]
            p = probability(module.decoder, row)
            expected -= math.log(p if is_edge else 1 - p) / pairs.shape[1]
    assert positive.shape[1] == int(0.4 * meshed.num_edges)
    assert found == pytest.approx(expected, rel=1e-4)


def test_a_hidden_edge_is_hidden_both_ways(meshed: Graph) -> None:
    """The encoder's output with edges hidden is that on a graph without them, layer by layer."""
    hidden = random_edges(meshed.num_edges, 0.5, torch.Generator().manual_seed(0))
    module: Any = S2GAE(hidden_dim=4)._seeded(meshed)
    x = FeatureMatrix(meshed.x)
    masked = module(x, Step(Topology.of(meshed), hidden_edges=hidden))
    without = module(x, Step(Topology.of(meshed.with_edges(meshed.edges[~hidden.numpy()]))))
    for ours, theirs in zip(masked, without, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_cross_products_and_turned_pairs() -> None:
    first, second = torch.randn(4, 2), torch.randn(4, 2)
    pairs = torch.tensor([[0, 3], [2, 1]])
    row = cross_products([first, second], pairs)[1]
    torch.testing.assert_close(
        row, torch.cat([u[3] * v[1] for u in (first, second) for v in (first, second)])
    )
    many = torch.stack([torch.zeros(1000, dtype=torch.int64), torch.ones(1000, dtype=torch.int64)])
    turned = either_way(many, torch.Generator().manual_seed(0))
    assert (turned.sum(dim=0) == 1).all()
    assert 400 < int(turned[0].sum()) < 600


def test_the_embedding_is_all_layers_side_by_side(meshed: Graph) -> None:
    model = S2GAE(hidden_dim=4, num_layers=3, epochs=1).fit(meshed)
    module: Any = model.module_
    layers = module(FeatureMatrix(unit_rows(meshed.x)), Step(Topology.of(meshed)))
    expected = np.concatenate([h.detach().numpy() for h in layers], axis=1)
    np.testing.assert_array_equal(model.transform(meshed), expected)
    assert expected.shape == (30, 12)


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = S2GAE(hidden_dim=16, decoder_dim=32, epochs=100)
    after, before = learned(model)
    losses = model.history_.losses
    assert sum(losses[-10:]) < 0.97 * sum(losses[:10])
    assert after > before + 0.03
