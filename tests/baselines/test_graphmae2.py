"""GraphMAE2: both losses against slow loops, the moving target, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from gigamae.baselines.feature_masking import draw_feature_mask
from gigamae.baselines.graphmae2 import GraphMAE2, remasked
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step
from gigamae.model.features import FeatureMatrix


def cosine(a: list[float], b: list[float]) -> float:
    lengths = math.sqrt(sum(v * v for v in a)) * math.sqrt(sum(v * v for v in b))
    return sum(v * w for v, w in zip(a, b, strict=True)) / lengths if lengths else 0.0


def test_the_loss_is_the_equation(meshed: Graph) -> None:
    model = GraphMAE2(
        hidden_dim=8, heads=2, dropout=0.0, attention_dropout=0.0, mask_rate=0.5, views=2, remask_rate=0.4,
        latent_weight=0.7, gamma=2.0, projector_dim=5,
    )  # fmt: skip
    data = model.prepare(meshed, torch.device("cpu"))
    module: Any = model._seeded(meshed)
    for token in (module.token, module.code_token):
        torch.nn.init.normal_(token)
    for weight in module.target.parameters():
        weight.add_(0.1)
    found = model.loss(module, data, torch.Generator().manual_seed(7)).item()

    replay = torch.Generator().manual_seed(7)
    mask = draw_feature_mask(30, 0.5, 0.0, replay)
    x = torch.nn.functional.normalize(torch.from_numpy(meshed.x.toarray()), dim=1)
    shown = torch.stack([module.token.detach() if mask.hidden[i] else x[i] for i in range(30)])
    h = module.encoder(FeatureMatrix(shown.numpy()), Step(data.topology))
    code = h @ module.between.weight.T
    expected = 0.0
    for _ in range(2):
        hidden = set(torch.randperm(30, generator=replay)[:12].tolist())
        view = torch.stack([module.code_token if i in hidden else code[i] for i in range(30)])
        decoded = module.decoder(view, Step(data.topology))
        for i in mask.masked.tolist():
            expected += (1 - cosine(x[i].tolist(), decoded[i].tolist())) ** 2 / 15
    encoder, projector = module.target
    wanted = projector(encoder(FeatureMatrix(x.numpy()), Step(data.topology)))
    guess = module.predictor(module.projector(h))
    for i in range(30):
        expected += 0.7 * (1 - cosine(guess[i].tolist(), wanted[i].tolist())) / 30
    assert found == pytest.approx(expected, rel=1e-4)


def test_the_target_moves_by_its_share_and_takes_no_gradient(meshed: Graph) -> None:
    model = GraphMAE2(hidden_dim=8, heads=2, momentum=0.75)
    module: Any = model._seeded(meshed)
    encoder, projector = module.target
    for ours, mean in ((module.encoder, encoder), (module.projector, projector)):
        for new, old in zip(ours.parameters(), mean.parameters(), strict=True):
            torch.testing.assert_close(new, old)
            assert not old.requires_grad
            new.data += 4.0
    before = [p.clone() for p in module.target.parameters()]
    model.after_step(module, 1, 10)
    for old, new in zip(before, module.target.parameters(), strict=True):
        torch.testing.assert_close(new, old + 1.0)
    assert not torch.equal(next(encoder.parameters()), next(module.encoder.parameters()))


def test_remasking_replaces_a_share_of_the_rows() -> None:
    code, token = torch.randn(20, 3), torch.full((3,), 9.0)
    found = remasked(code, token, 0.37, torch.Generator().manual_seed(0))
    hidden = (found == 9.0).all(dim=1)
    assert int(hidden.sum()) == 7
    torch.testing.assert_close(found[~hidden], code[~hidden])


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = GraphMAE2(hidden_dim=64, heads=2, epochs=40, learning_rate=5e-3)
    after, before = learned(model)
    assert model.history_.losses[-1] < 0.6 * model.history_.losses[0]
    assert after > before + 0.03
