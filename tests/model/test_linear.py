"""The dense layer in bfloat16, and its rows rounded up."""

from __future__ import annotations

import pytest
import torch

from gigamae.model import infonce_tiles, linear
from gigamae.model.infonce import infonce
from gigamae.model.linear import Linear, in_few_shapes, product
from gigamae.model.projectors import Projector


@pytest.mark.parametrize("n", [1, 255, 256, 300])
def test_a_low_precision_product_and_its_gradients_are_close(n: int) -> None:
    torch.manual_seed(0)
    a, b = torch.randn(n, 24, requires_grad=True), torch.randn(24, 10, requires_grad=True)
    upstream = torch.randn(n, 10)
    exact, low = product(a, b), product(a, b, True)
    assert low.dtype == torch.float32
    assert low.shape == exact.shape
    wanted = torch.autograd.grad(exact, (a, b), upstream)
    found = torch.autograd.grad(low, (a, b), upstream)
    for x, y in zip((exact, *wanted), (low, *found), strict=True):
        assert float((x - y).detach().norm() / x.detach().norm()) < 0.01


def test_rows_of_zeros_stand_below() -> None:
    rows = torch.randn(5, 3)
    found = in_few_shapes(rows, 4)
    assert found.shape == (8, 3)
    assert torch.equal(found[:5], rows.bfloat16())
    assert (found[5:] == 0).all()
    assert in_few_shapes(rows[:4], 4).shape == (4, 3)


def test_the_number_of_masked_nodes_hardly_changes_the_shapes_that_are_multiplied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each new shape costs its compilation and two megabytes that never come back."""
    seen: set[tuple[int, int]] = set()
    rounded = in_few_shapes

    def noted(t: torch.Tensor, multiple: int = linear.ROWS) -> torch.Tensor:
        out = rounded(t, multiple)
        seen.add((out.shape[0], out.shape[1]))
        return out

    monkeypatch.setattr(linear, "in_few_shapes", noted)
    monkeypatch.setattr(infonce_tiles, "in_few_shapes", noted)
    projector, layer = Projector(16, 32, 8), Linear(16, 8)
    projector.first.low_precision = projector.second.low_precision = layer.low_precision = True
    for n in range(520, 620, 7):
        z = torch.randn(n, 16)
        infonce(projector(z) + layer(z), torch.randn(n, 8), 0.7, low_precision=True).backward()
    assert {rows for rows, _ in seen} <= {128, 256, 384, 512, 640, 768}
