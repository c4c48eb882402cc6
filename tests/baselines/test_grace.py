"""GRACE: the loss and its gradient against the plain form, memory, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from gigamae.baselines.augment import draw_view
from gigamae.baselines.grace import GRACE
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.model.infonce import infonce

SMALL = {"hidden_dim": 24, "out_dim": 16, "projector_dim": 16}


def loops(u: list[list[float]], v: list[list[float]], tau: float) -> float:
    """The paper's loss, one similarity at a time."""

    def d(a: list[float], b: list[float]) -> float:
        dot = sum(x * y for x, y in zip(a, b, strict=True))
        return math.exp(dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b)) / tau)

    def anchored(a: list[list[float]], b: list[list[float]], i: int) -> float:
        others = [k for k in range(len(a)) if k != i]
        negatives = sum(d(a[i], b[k]) for k in others) + sum(d(a[i], a[k]) for k in others)
        return math.log(d(a[i], b[i]) / (d(a[i], b[i]) + negatives))

    n = len(u)
    return -sum(anchored(u, v, i) + anchored(v, u, i) for i in range(n)) / (2 * n)


def plain(u: torch.Tensor, v: torch.Tensor, tau: float) -> torch.Tensor:
    """The same with whole N x N matrices and nothing but autograd."""
    u, v = (torch.nn.functional.normalize(z, dim=1) for z in (u, v))
    cross, eye = (u @ v.T / tau).exp(), torch.eye(len(u), dtype=torch.bool)
    value = torch.zeros((), dtype=u.dtype)
    for between, own in ((cross, u), (cross.T, v)):
        below = between.sum(1) + (own @ own.T / tau).exp().masked_fill(eye, 0).sum(1)
        value = value - (cross.diagonal() / below).log().mean() / 2
    return value


def pair(n: int, d: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(n, d, generator=generator, dtype=torch.float64) for _ in range(2)]


def test_the_loss_is_the_equation(tiny: Graph) -> None:
    model = GRACE(**SMALL)
    data, module = model.prepare(tiny, torch.device("cpu")), model._seeded(tiny)
    loss = model.loss(module, data, torch.Generator().manual_seed(5))
    generator = torch.Generator().manual_seed(5)
    views = [draw_view(data.topology, data.features, *rates, generator) for rates in ((0.2, 0.3), (0.4, 0.4))]
    u, v = (module(view).tolist() for view in views)
    assert loss.item() == pytest.approx(loops(u, v, 0.4), rel=1e-5)


@pytest.mark.parametrize("tau", [1.0, 0.4, 0.05])
@pytest.mark.parametrize("tile", [40, 500, 10**6])
def test_tiles_equal_the_plain_form_for_both_sides(tau: float, tile: int) -> None:
    u, v = (z.requires_grad_() for z in pair(61, 7))
    exact = plain(u, v, tau)
    expected = torch.autograd.grad(exact, [u, v])
    a, b = (z.detach().float().requires_grad_() for z in (u, v))
    tiled = -infonce(a, b, tau, learn_q=True, tile_entries=tile)
    found = torch.autograd.grad(tiled, [a, b])
    assert tiled.item() == pytest.approx(exact.item(), rel=1e-5)
    for mine, theirs in zip(found, expected, strict=True):
        assert torch.allclose(mine.double(), theirs, rtol=0, atol=1e-5 * float(theirs.abs().max()))


def test_gradient_of_drawn_negatives_is_the_gradient_of_their_value() -> None:
    u, v = (z.float() for z in pair(30, 4))

    def value(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return infonce(a, b, 0.5, negatives=9, generator=torch.Generator().manual_seed(3), learn_q=True)

    grads = torch.autograd.grad(value(u.requires_grad_(), v.requires_grad_()), [u, v])
    step = 1e-2
    for place, grad in enumerate(grads):
        way = torch.randn(30, 4, generator=torch.Generator().manual_seed(1))
        with torch.no_grad():
            ends = [value(u + s * way * (place == 0), v + s * way * (place == 1)) for s in (step, -step)]
        slope = (ends[0] - ends[1]).item() / (2 * step)
        assert (grad * way).sum().item() == pytest.approx(slope, rel=2e-2, abs=1e-4)


def test_nothing_n_by_n_is_kept() -> None:
    u, v = (z.float().requires_grad_() for z in pair(600, 4))
    sizes: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: sizes.append(t.numel()) or t, lambda t: t):
        infonce(u, v, 0.5, learn_q=True)
    assert max(sizes) <= 600 * 4


def test_a_second_view_is_a_target_unless_asked() -> None:
    u, v = (z.float().requires_grad_() for z in pair(10, 4))
    infonce(u, v, 0.5).backward()
    assert v.grad is None


def test_negatives_are_drawn_in_large_graphs_only(tiny: Graph) -> None:
    def losses(negatives: int | None) -> list[float]:
        return GRACE(epochs=3, negatives=negatives, **SMALL).fit(tiny).history_.losses

    assert losses(None) == losses(30) == losses(4096)
    assert losses(10) != losses(None)


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = GRACE(epochs=60, learning_rate=5e-3, **SMALL)
    after, before = learned(model)
    assert model.history_.losses[-1] < model.history_.losses[0] - 0.3
    assert after > before + 0.05


@pytest.mark.parametrize(
    ("setting", "said"),
    [({"tau": 0}, "tau=0 must be above 0"), ({"tau": -1}, "tau=-1"), ({"negatives": 0}, "negatives=0"),
     ({"drop_edge_2": 1.2}, r"drop_edge_2=1\.2"), ({"activation": "rrelu"}, "activation='rrelu'")],
)  # fmt: skip
def test_settings_are_checked(setting: dict[str, Any], said: str, tiny: Graph) -> None:
    with pytest.raises(SettingsError, match=said):
        GRACE(**setting).fit(tiny)
