"""CCA-SSG: the loss against slow loops and against its other form, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.baselines.cca_ssg import CCASSG, correlation_loss, unit_columns


def loops(a: list[list[float]], b: list[list[float]], redundancy: float) -> float:
    """The paper's equation, one number at a time."""
    n, d = len(a), len(a[0])

    def standardised(z: list[list[float]]) -> list[list[float]]:
        out = [[0.0] * d for _ in range(n)]
        for k in range(d):
            mean = sum(row[k] for row in z) / n
            deviation = math.sqrt(sum((row[k] - mean) ** 2 for row in z) / n)
            for i in range(n):
                out[i][k] = (z[i][k] - mean) / (deviation * math.sqrt(n))
        return out

    a, b = standardised(a), standardised(b)
    invariance = sum((a[i][k] - b[i][k]) ** 2 for i in range(n) for k in range(d))
    decorrelation = 0.0
    for z in (a, b):
        for k in range(d):
            for m in range(d):
                entry = sum(z[i][k] * z[i][m] for i in range(n))
                decorrelation += (entry - (k == m)) ** 2
    return invariance + 2 * redundancy * decorrelation


def pair(n: int = 12, d: int = 5, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(n, d, generator=generator, dtype=torch.float64) for _ in range(2)]


@pytest.mark.parametrize("redundancy", [0.0, 1e-3, 2.0])
def test_the_loss_is_the_equation(redundancy: float) -> None:
    a, b = pair()
    expected = loops(a.tolist(), b.tolist(), redundancy)
    assert correlation_loss(a, b, redundancy).item() == pytest.approx(expected, rel=1e-9)


def test_the_trace_form_has_the_same_gradient_but_for_a_factor_of_two() -> None:
    """-tr(Z_A^T Z_B) + lambda (...), which the release descends."""
    a, b = (z.requires_grad_() for z in pair())
    z_a, z_b, eye = unit_columns(a), unit_columns(b), torch.eye(5)
    trace = -(z_a.T @ z_b).trace()
    trace = trace + 0.1 * ((z_a.T @ z_a - eye).square().sum() + (z_b.T @ z_b - eye).square().sum())
    theirs = torch.autograd.grad(trace, [a, b])
    ours = torch.autograd.grad(correlation_loss(a, b, 0.1), [a, b])
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, 2 * other)


@given(st.integers(0, 1000), st.floats(0.1, 50), st.floats(-20, 20))
def test_scale_and_shift_of_columns_do_not_matter(seed: int, scale: float, shift: float) -> None:
    a, b = pair(seed=seed)
    moved = correlation_loss(scale * a + shift, b, 0.1)
    assert moved.item() == pytest.approx(correlation_loss(a, b, 0.1).item(), rel=1e-6)


def test_a_constant_column_gives_no_nan() -> None:
    a, b = pair()
    a[:, 0] = 3.0
    loss = correlation_loss(a.requires_grad_(), b, 0.1)
    (grad,) = torch.autograd.grad(loss, a)
    assert math.isfinite(loss.item())
    assert torch.isfinite(grad).all()


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = CCASSG(epochs=60, learning_rate=5e-3, hidden_dim=32, out_dim=16, drop_edge=0.3, drop_feature=0.2)
    after, before = learned(model)
    assert model.history_.losses[-1] < 0.7 * model.history_.losses[0]
    assert after > before + 0.08
