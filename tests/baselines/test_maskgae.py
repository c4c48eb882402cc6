"""MaskGAE: the loss against slow loops, walks, hidden edges hidden both ways, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gigamae.baselines.edge_scores import Perceptron
from gigamae.baselines.maskgae import MaskGAE, walked_edges
from gigamae.baselines.s2gae import random_edges
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step
from gigamae.model.topology import Topology


def output(network: Perceptron, row: list[float]) -> float:
    for place, layer in enumerate(network.layers):
        weight, bias = layer.weight.tolist(), layer.bias.tolist()  # type: ignore[operator, union-attr]
        row = [
            sum(w * v for w, v in zip(line, row, strict=True)) + b
            for line, b in zip(weight, bias, strict=True)
        ]
        if place < len(network.layers) - 1:
            row = [max(v, 0.0) for v in row]
    return row[0]


def sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-score))


@pytest.mark.parametrize("mask", ["path", "edge"])
def test_the_loss_is_the_equation(meshed: Graph, mask: str) -> None:
    model = MaskGAE(
        hidden_dim=6, out_dim=4, decoder_dim=5, dropout=0.0, decoder_dropout=0.0, mask=mask, mask_rate=0.5,
        walk_length=2, degree_weight=0.3,
    )  # fmt: skip
    data = model.prepare(meshed, torch.device("cpu"))
    module: Any = model._seeded(meshed).train()
    found = model.loss(module, data, torch.Generator().manual_seed(7)).item()

    replay = torch.Generator().manual_seed(7)
    if mask == "path":
        hidden = walked_edges(data.topology, 0.5, 2, replay)
    else:
        hidden = random_edges(meshed.num_edges, 0.5, replay)
    # On a graph without the hidden edges: neither direction of them may help.
    left = meshed.with_edges(meshed.edges[~hidden.numpy()])
    z = module(data.features, Step(Topology.of(left)))[-1].tolist()
    positive = meshed.edges[hidden.numpy()].tolist()
    negative = data.others.draw(len(positive), replay).T.tolist()
    expected = 0.0
    for pairs, sign in ((positive, 1), (negative, -1)):
        for u, v in pairs:
            score = output(module.edge, [a * b for a, b in zip(z[u], z[v], strict=True)])
            expected -= math.log(sigmoid(sign * score)) / len(pairs)
    for i in range(30):
        lost = sum(i in pair for pair in positive)
        expected += 0.3 * (output(module.degree, z[i]) - lost) ** 2 / 30
    assert found == pytest.approx(expected, rel=1e-4)


def test_walks_step_by_step(meshed: Graph) -> None:
    topology = Topology.of(meshed)
    found = walked_edges(topology, 0.4, 3, torch.Generator().manual_seed(3))
    replay = torch.Generator().manual_seed(3)
    near = [meshed.indices[meshed.indptr[i] : meshed.indptr[i + 1]].tolist() for i in range(30)]
    at = [i for i in torch.randperm(30, generator=replay)[:12].tolist() if near[i]]
    taken = set()
    for _ in range(3):
        shares = torch.rand(len(at), generator=replay, dtype=torch.float64).tolist()
        to = [near[i][int(share * len(near[i]))] for i, share in zip(at, shares, strict=True)]
        taken |= {(min(i, j), max(i, j)) for i, j in zip(at, to, strict=True)}
        at = to
    assert {tuple(e) for e in meshed.edges[found.numpy()].tolist()} == taken


def test_steps_are_even_and_isolated_nodes_take_none() -> None:
    star = Graph.from_edges([[0, i] for i in range(1, 5)], np.eye(8, 2, dtype="float32"), num_nodes=8)
    topology, counts = Topology.of(star), torch.zeros(4)
    for seed in range(400):
        # Two steps from every node: the leaves step to the middle, and then anywhere.
        counts += walked_edges(topology, 0.125, 2, torch.Generator().manual_seed(seed))
    assert (counts / counts.sum() - 0.25).abs().max() < 0.05
    bare = Graph.from_edges(np.empty((0, 2), int), np.eye(3, dtype="float32"))
    assert walked_edges(Topology.of(bare), 1.0, 3, torch.Generator()).shape == (0,)


def test_all_layers_side_by_side_as_unit_rows(meshed: Graph) -> None:
    z = MaskGAE(hidden_dim=6, out_dim=4, epochs=1).fit_transform(meshed)
    assert z.shape == (30, 10)
    np.testing.assert_allclose(np.linalg.norm(z, axis=1), 1, rtol=1e-5)


def test_settings_are_checked(meshed: Graph) -> None:
    with pytest.raises(SettingsError, match=r"mask='paths' is not one of path, edge. Did you mean 'path'"):
        MaskGAE(mask="paths").fit(meshed)


@pytest.mark.parametrize("mask", ["path", "edge"])
def test_it_learns(mask: str, learned: Callable[[Any], tuple[float, float]]) -> None:
    model = MaskGAE(hidden_dim=32, out_dim=16, mask=mask, dropout=0.3, epochs=100)
    after, before = learned(model)
    losses = model.history_.losses
    assert sum(losses[-10:]) < 0.97 * sum(losses[:10])
    assert after > before + 0.03
