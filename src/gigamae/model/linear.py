"""Linear: a dense layer whose product may run in bfloat16, with float32 in and out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Linear(nn.Linear):
    """``nn.Linear`` with a switch: set ``low_precision`` to multiply in bfloat16.

    Weights, biases, activations and gradients stay float32; only the three matrix products of a
    layer (forward, and the two of backward) run on bfloat16 copies.
    """

    low_precision = False

    def forward(self, x: Tensor) -> Tensor:
        out = product(x, self.weight.T, self.low_precision)
        return out if self.bias is None else out + self.bias


def product(a: Tensor, b: Tensor, low_precision: bool = False) -> Tensor:
    """a b in float32, or in bfloat16 with a float32 result."""
    if not low_precision:
        return a @ b
    out: Tensor = _LowPrecisionProduct.apply(a, b)
    return out


class _LowPrecisionProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:  # type: ignore[override]
        a, b = a.bfloat16(), b.bfloat16()
        ctx.save_for_backward(a, b)
        return (a @ b).float()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:  # type: ignore[override]
        a, b = ctx.saved_tensors
        grad = grad.bfloat16()
        grad_a = (grad @ b.T).float() if ctx.needs_input_grad[0] else None
        grad_b = (a.T @ grad).float() if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


def set_low_precision(module: nn.Module, on: bool) -> None:
    """Switch every :class:`Linear` inside ``module``."""
    for part in module.modules():
        if isinstance(part, Linear):
            part.low_precision = on
