"""BGRL: the loss against slow loops, the target encoder, the schedules, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.baselines.augment import draw_view
from gigamae.baselines.base import Sizes
from gigamae.baselines.bgrl import BGRL, bootstrap_loss, target_momentum
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph

SMALL = {"hidden_dim": 24, "out_dim": 16, "predictor_dim": 24}


def cosine(a: list[float], b: list[float]) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def test_the_loss_is_the_equation(tiny: Graph) -> None:
    """2 - mean cos(p(E_theta(G1)), E_phi(G2)) - mean cos(p(E_theta(G2)), E_phi(G1)), by loops."""
    graph = tiny
    model = BGRL(**SMALL)
    data = model.prepare(graph, torch.device("cpu"))
    module = model._seeded(graph).train()
    loss = model.loss(module, data, torch.Generator().manual_seed(3))

    generator = torch.Generator().manual_seed(3)  # the same views again, one after the other
    first = draw_view(data.topology, data.features, 0.3, 0.3, generator)
    second = draw_view(data.topology, data.features, 0.2, 0.4, generator)
    expected = 2.0
    for here, there in ((first, second), (second, first)):
        said = module.predictor(module.online(here)).tolist()
        target = module.target(there).tolist()
        expected -= sum(cosine(said[i], target[i]) for i in range(30)) / 30
    assert loss.item() == pytest.approx(expected, rel=1e-5)


def test_the_gradient_reaches_online_and_predictor_alone(tiny: Graph) -> None:
    graph = tiny
    model = BGRL(**SMALL)
    module = model._seeded(graph).train()
    data = model.prepare(graph, torch.device("cpu"))
    model.loss(module, data, torch.Generator().manual_seed(0)).backward()
    assert all(p.grad is None for p in module.target.parameters())
    assert all(p.grad is not None for p in module.online.parameters())
    assert all(p.grad is not None for p in module.predictor.parameters())
    asked = {id(p) for group in model.optimizer(module).param_groups for p in group["params"]}
    assert asked == {id(p) for part in (module.online, module.predictor) for p in part.parameters()}


def test_the_target_follows() -> None:
    model = BGRL(**SMALL)
    module = model._seeded(Sizes(5, 7))
    online, target = ([p.clone() for p in part.parameters()] for part in (module.online, module.target))
    assert not all(torch.equal(o, t) for o, t in zip(online, target, strict=True))  # drawn apart
    model.after_step(module, 1, 100)
    for o, t, now in zip(online, target, module.target.parameters(), strict=True):
        torch.testing.assert_close(now, 0.99 * t + 0.01 * o)


def test_nothing_is_n_by_n() -> None:
    said, there = torch.randn(700, 4, requires_grad=True), torch.randn(700, 4)
    sizes: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: sizes.append(t.numel()) or t, lambda t: t):
        bootstrap_loss(said, there)
    assert max(sizes) <= 700 * 4


@given(st.floats(0, 1), st.integers(2, 500))
def test_momentum_rises_to_one(first: float, total: int) -> None:
    taus = [target_momentum(first, step, total) for step in range(1, total + 1)]
    assert taus == sorted(taus)
    assert taus[0] == pytest.approx(first)
    assert taus[-1] <= 1


@given(st.floats(0, 1), st.integers(1, 200))
def test_the_rate_rises_then_falls(warmup: float, epochs: int) -> None:
    factors = [BGRL(warmup=warmup, epochs=epochs).rate_factor(e) for e in range(1, epochs + 1)]
    assert all(0 < f <= 1 for f in factors)
    peak = factors.index(max(factors))
    assert factors[: peak + 1] == sorted(factors[: peak + 1])
    assert factors[peak:] == sorted(factors[peak:], reverse=True)


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = BGRL(epochs=120, learning_rate=3e-3, **SMALL)
    after, before = learned(model)
    losses = model.history_.losses
    assert sum(losses[-5:]) < 0.5 * sum(losses[:5])
    assert after > before + 0.08


def test_settings_are_checked(tiny: Graph) -> None:
    with pytest.raises(SettingsError, match=r"momentum=1\.5"):
        BGRL(momentum=1.5).fit(tiny)
    with pytest.raises(SettingsError, match=r"activation='prely'.*Did you mean 'prelu'"):
        BGRL(activation="prely").fit(tiny)
