"""The projector in bfloat16 on the CPU: its three layers as one step, with a backward of its own.

Between the two products stand a batch norm and a ReLU over (n, hidden) entries. As tensor operations
they cost more than the products: float32 copies, a pass each for bias, norm and ReLU, and all of it
kept for the backward. Here the hidden rows stay in bfloat16, two compiled passes do the rest forward
and two backward, and what is kept is half as wide. Sums over rows are float32 and better. The bias
before the norm drops out of everything but the running mean. Rows are rounded up with zeros
(:func:`gigamae.model.linear.in_few_shapes`); the compiled passes see the true ones alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor, nn

from gigamae.model.linear import in_few_shapes

_compiled: Any = njit(parallel=True, fastmath={"contract", "reassoc", "nsz", "arcp"}, cache=True)
_ROWS = 256  # summed up by one thread at a time
_HALF = np.uint32(1 << 15)


def project_cpu(x: Tensor, first: nn.Linear, norm: nn.BatchNorm1d, second: nn.Linear) -> Tensor:
    """second(relu(norm(first(x)))) with the batch's statistics: (n, in) -> (n, out), float32."""
    out: Tensor = _Project.apply(
        x, first.weight, first.bias, norm.weight, norm.bias, second.weight, second.bias, norm
    )
    return out


class _Project(torch.autograd.Function):
    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, x: Tensor, w1: Tensor, b1: Tensor, gamma: Tensor, beta: Tensor, w2: Tensor, b2: Tensor,
        norm: nn.BatchNorm1d,
    ) -> Tensor:  # fmt: skip
        n = len(x)
        x, w1, w2 = in_few_shapes(x), w1.bfloat16(), w2.bfloat16()
        h = x @ w1.T  # (n and more, hidden)
        sums, squares = (torch.from_numpy(a).sum(0) for a in _moments(_bits(h)[:n]))
        mean = sums / n
        variance = (squares / n - mean.square()).clamp_(min=0)  # (hidden,) float64
        inverse = (variance + norm.eps).rsqrt()
        scale = (gamma * inverse).float()
        y = torch.empty_like(h)
        y[n:] = 0
        _norm_relu(_bits(h)[:n], scale.numpy(), (beta - mean * scale).float().numpy(), _bits(y)[:n])
        if norm.track_running_stats:
            assert norm.running_mean is not None
            assert norm.running_var is not None
            assert norm.num_batches_tracked is not None
            assert norm.momentum is not None
            norm.running_mean.lerp_((mean + b1).float(), norm.momentum)
            norm.running_var.lerp_((variance * (n / (n - 1))).float(), norm.momentum)
            norm.num_batches_tracked.add_(1)
        ctx.save_for_backward(x, h, y, w1, w2, mean, inverse, scale)
        return (y @ w2.T)[:n].float().add_(b2)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        x, h, y, w1, w2, mean, inverse, scale = ctx.saved_tensors
        n, low = len(grad), in_few_shapes(grad)
        g = low @ w2  # (n and more, hidden), of the ReLU's output
        bits = _bits(g)[:n], _bits(y)[:n], _bits(h)[:n]
        sums, products = (torch.from_numpy(a).sum(0) for a in _backward_sums(*bits))
        g_gamma = (products - mean * sums) * inverse  # (hidden,) float64
        # Of the norm's input: scale (g - mean(g) - h^ mean(g h^)), h^ the normed rows.
        along = -scale * inverse * g_gamma / n
        level = -scale * sums / n - along * mean
        line = (scale.numpy(), along.float().numpy(), level.float().numpy())
        _norm_backward(*bits, *line)
        g_x = (g @ w1)[:n].float() if ctx.needs_input_grad[0] else None
        g_w1, g_w2 = (g.T @ x).float(), (low.T @ y).float()
        return g_x, g_w1, torch.zeros_like(scale), g_gamma.float(), sums.float(), g_w2, grad.sum(0), None


def _bits(t: Tensor) -> np.ndarray:
    """A bfloat16 matrix as numpy sees it: (r, c) uint16, the same memory."""
    bits: np.ndarray = t.view(torch.int16).numpy().view(np.uint16)
    return bits


@njit(inline="always")
def _wide(bits):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    return np.uint32(np.uint32(bits) << np.uint32(16)).view(np.float32)


@njit(inline="always")
def _narrow(value):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    return np.uint16(np.uint32(np.float32(value).view(np.uint32) + _HALF) >> np.uint32(16))


@_compiled
def _moments(h):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Sums and sums of squares of blocks of rows, (blocks, c) float64 each."""
    n, c = h.shape
    blocks = (n + _ROWS - 1) // _ROWS
    sums, squares = np.zeros((blocks, c)), np.zeros((blocks, c))
    for b in prange(blocks):
        s, q = np.zeros(c, np.float32), np.zeros(c, np.float32)
        for i in range(b * _ROWS, min((b + 1) * _ROWS, n)):
            for f in range(c):
                v = _wide(h[i, f])
                s[f] += v
                q[f] += v * v
        for f in range(c):
            sums[b, f] = s[f]
            squares[b, f] = q[f]
    return sums, squares


@_compiled
def _norm_relu(h, scale, level, y):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in prange(h.shape[0]):
        for f in range(h.shape[1]):
            y[i, f] = _narrow(max(_wide(h[i, f]) * scale[f] + level[f], np.float32(0)))


@_compiled
def _backward_sums(g, y, h):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Sums of g and of g h over the rows where the ReLU let through, by block as above."""
    n, c = h.shape
    blocks = (n + _ROWS - 1) // _ROWS
    sums, products = np.zeros((blocks, c)), np.zeros((blocks, c))
    for b in prange(blocks):
        s, q = np.zeros(c, np.float32), np.zeros(c, np.float32)
        for i in range(b * _ROWS, min((b + 1) * _ROWS, n)):
            for f in range(c):
                v = _wide(g[i, f]) if y[i, f] != 0 else np.float32(0)
                s[f] += v
                q[f] += v * _wide(h[i, f])
        for f in range(c):
            sums[b, f] = s[f]
            products[b, f] = q[f]
    return sums, products


@_compiled
def _norm_backward(g, y, h, scale, along, level):  # type: ignore[no-untyped-def]  # pragma: no cover
    """g <- scale g + along h + level, g taken as 0 where the ReLU let nothing through; in place."""
    for i in prange(h.shape[0]):
        for f in range(h.shape[1]):
            v = _wide(g[i, f]) if y[i, f] != 0 else np.float32(0)
            g[i, f] = _narrow(scale[f] * v + along[f] * _wide(h[i, f]) + level[f])
