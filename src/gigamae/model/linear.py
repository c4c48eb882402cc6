"""Linear: a dense layer whose product may run in bfloat16, with float32 in and out.

On the CPU a bfloat16 product of a shape that was never seen before is compiled first, which takes
longer than the product and keeps about two megabytes for good. How many nodes are masked differs from
step to step, so rows are rounded up (:func:`in_few_shapes`) and the shapes are few.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

#: Rows of bfloat16 products on the CPU come in multiples of this.
ROWS = 256


def in_few_shapes(t: Tensor, multiple: int = ROWS) -> Tensor:
    """A matrix in bfloat16; on the CPU with rows of zeros below, up to a multiple.

    Example:
        >>> in_few_shapes(torch.ones(5, 2)).shape
        torch.Size([256, 2])
    """
    if t.device.type != "cpu" or len(t) % multiple == 0:
        return t.bfloat16()
    out = torch.zeros(rounded_up(len(t), multiple), t.shape[1], dtype=torch.bfloat16)
    out[: len(t)] = t
    return out


def rounded_up(n: int, multiple: int) -> int:
    """The least multiple that is no less than n.

    Example:
        >>> rounded_up(5, 4)
        8
    """
    return -(-n // multiple) * multiple


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
        n, a, b = len(a), in_few_shapes(a), b.bfloat16()
        ctx.save_for_backward(a, b)
        return (a @ b)[:n].float()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:  # type: ignore[override]
        a, b = ctx.saved_tensors
        n, grad = len(grad), in_few_shapes(grad)
        grad_a = (grad @ b.T)[:n].float() if ctx.needs_input_grad[0] else None
        grad_b = (a.T @ grad).float() if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


def set_low_precision(module: nn.Module, on: bool) -> None:
    """Switch every :class:`Linear` inside ``module``."""
    for part in module.modules():
        if isinstance(part, Linear):
            part.low_precision = on
