"""GraphMAE: masks, the decoder that makes no N x D output, the loss against slow loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from gigamae.baselines.feature_masking import FeatureMask, MaskedFeatures, draw_feature_mask
from gigamae.baselines.gat import FeatureDecoder, scaled_cosine_error
from gigamae.baselines.graphmae import GraphMAE
from gigamae.baselines.unit_rows import unit_rows
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


def shown(x: np.ndarray, token: torch.Tensor, mask: FeatureMask) -> np.ndarray:
    """X~, row by row."""
    lender = dict(zip(mask.replaced.tolist(), mask.lenders.tolist(), strict=True))
    rows = []
    for i in range(len(x)):
        rows.append(token.detach().numpy() if mask.hidden[i] else x[lender.get(i, i)])
    return np.stack(rows)


def attended(decoder: FeatureDecoder, graph: Graph, code: torch.Tensor) -> torch.Tensor:
    """x^_i = sum_j a_ij W h_j + b, attention and all, node by node."""
    h = (code @ decoder.weight.T).detach().double()
    sent, received = decoder.att_src[0].detach().double(), decoder.att_dst[0].detach().double()
    out = []
    for i in range(graph.num_nodes):
        near = [i, *graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist()]
        scores = [float(h[j] @ sent + h[i] @ received) for j in near]
        powers = [math.exp(s if s > 0 else 0.2 * s) for s in scores]
        out.append(sum(p / sum(powers) * h[j] for p, j in zip(powers, near, strict=True)))
    return torch.stack(out) + decoder.bias.detach()


def error(x: np.ndarray, decoded: torch.Tensor, nodes: list[int], power: float) -> float:
    """The scaled cosine error, number by number."""
    total = 0.0
    for i in nodes:
        a, b = x[i].tolist(), decoded[i].tolist()
        lengths = math.sqrt(sum(v * v for v in a)) * math.sqrt(sum(v * v for v in b))
        dot = sum(v * w for v, w in zip(a, b, strict=True))
        total += (1 - (dot / lengths if lengths else 0.0)) ** power
    return total / len(nodes)


@pytest.mark.parametrize("sparse", [True, False])
def test_the_loss_is_the_equation(meshed: Graph, sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gigamae.model.features.DENSE_ABOVE", 1.0)
    x = meshed.x.toarray()
    x[3] = 0  # a node without features
    graph = replace(meshed, x=type(meshed.x)(x) if sparse else x)
    model = GraphMAE(
        hidden_dim=8, heads=2, dropout=0.0, attention_dropout=0.0, mask_rate=0.6, replace_rate=0.2
    )
    data = model.prepare(graph, torch.device("cpu"))
    assert data.features.is_sparse == sparse
    module: Any = model._seeded(graph)
    torch.nn.init.normal_(module.token)
    torch.nn.init.normal_(module.decoder.bias)
    found = model.loss(module, data, torch.Generator().manual_seed(7)).item()

    lengths = [math.sqrt(sum(v * v for v in row)) or 1.0 for row in x.tolist()]
    x = x / np.array(lengths, dtype="float32")[:, None]
    mask = draw_feature_mask(30, 0.6, 0.2, torch.Generator().manual_seed(7))
    h = module.encoder(FeatureMatrix(shown(x, module.token, mask)), Step(data.topology))
    code = h @ module.between.weight.T
    code = torch.stack([code[i] * (i not in mask.masked.tolist()) for i in range(30)])
    decoded = attended(module.decoder, graph, code)
    assert found == pytest.approx(error(x, decoded, mask.masked.tolist(), 3.0), rel=1e-4)


def test_the_decoder_told_by_its_errors_is_the_decoder(meshed: Graph) -> None:
    """Values and gradients of the short way against those of the N x D output."""
    topology, features = Topology.of(meshed), FeatureMatrix(unit_rows(meshed.x))
    decoder = FeatureDecoder(6, meshed.num_features)
    torch.nn.init.normal_(decoder.bias)
    code = torch.randn(30, 6, requires_grad=True)
    nodes = torch.tensor([0, 5, 5, 29])
    x = torch.from_numpy(meshed.x.toarray())
    (short,) = decoder.similarities([code], features, nodes, Step(topology))
    long = torch.nn.functional.cosine_similarity(x[nodes], decoder(code, Step(topology))[nodes], dim=1)
    torch.testing.assert_close(short, long)
    weights = [code, *decoder.parameters()]
    grads = [torch.autograd.grad(c.pow(2).sum(), weights, retain_graph=True) for c in (short, long)]
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_masked_features_are_rows_of_the_masked_matrix(meshed: Graph, seed: int) -> None:
    """Also where a hidden node lends its row."""
    token = torch.randn(meshed.num_features, requires_grad=True)
    weight = torch.randn(meshed.num_features, 4, requires_grad=True)
    mask = draw_feature_mask(30, 0.8, 0.4, torch.Generator().manual_seed(seed))
    assert (len(mask.masked), len(mask.replaced), int(mask.hidden.sum())) == (24, 9, 15)
    assert mask.hidden[mask.lenders].any()
    x = meshed.x.toarray()
    whole = torch.where(mask.hidden.unsqueeze(1), token, torch.from_numpy(shown(x, token, mask))) @ weight
    for kind in (meshed.x, x):
        found = MaskedFeatures(FeatureMatrix(kind), token, mask).project(weight)
        torch.testing.assert_close(found, whole)
        for ours, theirs in zip(
            torch.autograd.grad(found.square().sum(), [token, weight]),
            torch.autograd.grad(whole.square().sum(), [token, weight], retain_graph=True),
            strict=True,
        ):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


def test_masks_are_even_and_follow_the_generator() -> None:
    counts = torch.zeros(20)
    for seed in range(600):
        mask = draw_feature_mask(20, 0.5, 0.2, torch.Generator().manual_seed(seed))
        counts[mask.masked] += 1
        assert not mask.hidden[mask.replaced].any()
    assert (counts / 600 - 0.5).abs().max() < 0.1


def test_a_similarity_above_one_by_rounding_gives_no_nan() -> None:
    cosine = torch.tensor([1.0000001, -1.0], requires_grad=True)
    loss = scaled_cosine_error(cosine, 2.5)
    (grad,) = torch.autograd.grad(loss, cosine)
    assert loss.item() == pytest.approx(2**2.5 / 2)
    assert torch.isfinite(grad).all()
    assert scaled_cosine_error(torch.empty(0), 2.0).item() == 0


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = GraphMAE(hidden_dim=64, heads=2, epochs=60, learning_rate=2e-3)
    after, before = learned(model)
    assert model.history_.losses[-1] < 0.6 * model.history_.losses[0]
    assert after > before + 0.03
