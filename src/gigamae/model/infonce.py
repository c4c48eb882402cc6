"""InfoNCE: the lower bound of mutual information that every term of the objective is made of.

For unit rows p_i (projected) and q_i (target), with D(a, b) = exp(a . b / tau), equation 4 reads

    l(p_i, q_i) = log D(p_i, q_i) - log( sum_j D(p_i, q_j) + sum_{j != i} D(p_i, p_j) )

and equation 5 is its mean over i, symmetric: (l(p_i, q_i) + l(q_i, p_i)) / 2. The authors' release
has l(q_i, p_i) alone (the target is the anchor); both are here.

:func:`infonce_plain` is the formula as written. :func:`infonce` is what training calls: the same
numbers from row tiles, with the gradient taken in the same pass, so that memory grows with N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

#: Entries of a row tile (rows x columns). Tall tiles pay: what a tile says to its columns is added
#: up once a tile. 16 MiB in bfloat16, 32 MiB in float32.
TILE_ENTRIES = 1 << 23


def infonce_plain(p: Tensor, q: Tensor, tau: float, *, symmetric: bool = True) -> Tensor:
    """Equations 4 and 5 with whole n x n matrices; for small n and for tests.

    Args:
        p: (n, d) projected rows, of any length (they are normalised here).
        q: (n, d) target rows, likewise.
        tau: temperature.
        symmetric: both anchors, or the target alone.

    Returns:
        The bound (higher is better), a scalar.

    Example:
        >>> p = torch.eye(3)
        >>> round(float(infonce_plain(p, p, 1.0)), 3)
        -0.904
    """
    p = torch.nn.functional.normalize(p, dim=1)
    q = torch.nn.functional.normalize(q, dim=1)

    def anchored(a: Tensor, b: Tensor) -> Tensor:
        cross = a @ b.T / tau  # (n, n)
        intra = (a @ a.T / tau).fill_diagonal_(-torch.inf)
        return cross.diagonal() - torch.logsumexp(torch.cat([cross, intra], dim=1), dim=1)

    value = anchored(q, p)
    if symmetric:
        value = (value + anchored(p, q)) / 2
    return value.mean()


def infonce(
    p: Tensor,
    q: Tensor,
    tau: float,
    *,
    symmetric: bool = True,
    intra: bool = True,
    negatives: int | None = None,
    generator: torch.Generator | None = None,
    tile_entries: int = TILE_ENTRIES,
    low_precision: bool = False,
    learn_q: bool = False,
) -> Tensor:
    """The bound of :func:`infonce_plain` in tiles; differentiable in ``p``, in ``q`` if asked.

    Args:
        p: (n, d) projected rows; gradients flow through the normalisation made here.
        q: (n, d) target rows, fixed.
        tau: temperature, above 0.
        symmetric: both anchors (the paper), or the target alone (the release).
        intra: whether an anchor's own view is among its negatives; without it the bound is the
            multi-view contrastive one of the paper's ablation.
        negatives: how many nodes to draw, shared by all anchors, as negatives; the sums over them
            are scaled up to stand for all n - 1. None takes all.
        generator: where the draw comes from.
        tile_entries: rows x columns of one tile; only memory and speed depend on it.
        low_precision: products in bfloat16 (the sums stay in float32). About six times faster on
            processors with AMX; similarities are then good to three digits.
        learn_q: let the gradient flow to ``q`` too: it is a second view, not a target.
    """
    p = torch.nn.functional.normalize(p, dim=1)
    q = torch.nn.functional.normalize(q, dim=1)
    columns = None
    if negatives is not None and negatives < len(p):
        columns = torch.randperm(len(p), generator=generator, device=p.device)[:negatives]
    options = _Options(tau, symmetric, intra, columns, tile_entries, low_precision)
    value: Tensor = _TiledInfoNCE.apply(p, q if learn_q else q.detach(), options)
    return value


class _TiledInfoNCE(torch.autograd.Function):
    """Value and gradient in one pass over row tiles; only (n, d) tensors outlive a tile."""

    @staticmethod
    def forward(ctx: Any, p: Tensor, q: Tensor, options: _Options) -> Tensor:  # type: ignore[override]
        learns = zip((p, q), ctx.needs_input_grad[:2], strict=True)
        for_p, for_q = (torch.zeros_like(t) if needed else None for t, needed in learns)
        total = _anchored(q, p, for_q, for_p, options)
        share = 1.0
        if options.symmetric:
            total = total + _anchored(p, q, for_p, for_q, options)
            share = 0.5
        scale = share / len(p)
        ctx.save_for_backward(*(None if g is None else g.mul_(scale) for g in (for_p, for_q)))
        return total * scale

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, Tensor | None, None]:  # type: ignore[override]
        for_p, for_q = (None if g is None else g * upstream for g in ctx.saved_tensors)
        return for_p, for_q, None


@dataclass(frozen=True)
class _Options:
    tau: float
    symmetric: bool
    intra: bool
    columns: Tensor | None
    tile_entries: int
    low_precision: bool


def _anchored(
    a: Tensor, b: Tensor, grad_a: Tensor | None, grad_b: Tensor | None, options: _Options
) -> Tensor:
    """sum_i l(a_i, b_i), adding its gradient to ``grad_a`` or ``grad_b`` where they are given.

    A row of the tile is complete, so its denominator is known at once and the gradient
    d log den_i = sum_j w_ij d(a_i . b_j) / tau, with w_ij the softmax weights, needs no second pass.
    """
    n, tau, columns = len(a), options.tau, options.columns
    views = [b, a] if options.intra else [b]  # what an anchor is held against, cross view first
    if columns is not None:
        views = [v[columns] for v in views]
    k = len(views[0])
    position = torch.arange(n, device=a.device)  # the column of each node, -1 where it has none
    if columns is not None:
        position = torch.full((n,), -1, device=a.device)
        position[columns] = torch.arange(k, device=a.device)
    work = torch.bfloat16 if options.low_precision else a.dtype
    plain = [v.to(work) for v in views]
    scaled = [(v / tau).to(work).T for v in views]  # (d, k)
    rows = max(1, min(n, options.tile_entries // max(1, k)))
    buffers = [torch.empty(rows, k, dtype=work, device=a.device) for _ in views]
    gathered = [torch.zeros(k, b.shape[1], dtype=a.dtype, device=a.device) for _ in views]
    total = torch.zeros((), dtype=torch.float32, device=a.device)

    for start in range(0, n, rows):
        stop = min(n, start + rows)
        at, pair = a[start:stop], b[start:stop]
        positive = (at * pair).sum(dim=1) / tau  # (r,), always in full precision
        here = position[start:stop]
        own = torch.nonzero(here >= 0).squeeze(1)
        at_low = at.to(work)
        tiles = [
            torch.mm(at_low, v, out=m[: stop - start]) for v, m in zip(scaled, buffers, strict=True)
        ]
        # A node is not its own negative; its positive is counted apart from the columns.
        for tile in tiles:
            tile[own, here[own]] = -torch.inf
        top = _largest(tiles, positive, tau)
        negative = torch.zeros(stop - start, dtype=torch.float32, device=a.device)
        for tile in tiles:
            if top is not None:
                tile.sub_(top.to(work).unsqueeze(1))
            tile.exp_()
            negative += tile.sum(dim=1, dtype=torch.float32)
        stands_for = torch.ones_like(negative)
        if columns is not None:  # the drawn negatives stand for all n - 1
            stands_for = (n - 1) / (k - (here >= 0).float()).clamp(min=1)
        shifted = positive if top is None else positive - top.to(work).float()
        denominator = negative * stands_for + shifted.exp()
        total += (shifted - denominator.log()).sum()
        if grad_a is None and grad_b is None:
            continue
        # d l / d(a_i . b_i) = 1 - w_ii; d l / d(a_i . v_j) = -w_ij, all over tau.
        weight = (stands_for / denominator / tau).unsqueeze(1)  # (r, 1), times the tile's entries
        surplus = ((1.0 - shifted.exp() / denominator) / tau).unsqueeze(1)
        weighted = (at * weight).to(work)
        if grad_a is not None:
            grad_a[start:stop] += surplus * pair
            for tile, v in zip(tiles, plain, strict=True):
                grad_a[start:stop] -= (tile @ v).to(a.dtype) * weight
            if options.intra:
                gathered[1] += tile_sum(tiles[1], weighted)
        if grad_b is not None:
            grad_b[start:stop] += surplus * at
            gathered[0] += tile_sum(tiles[0], weighted)
    _subtract_gathered(grad_a if options.intra else None, gathered[-1], columns)
    _subtract_gathered(grad_b, gathered[0], columns)
    return total


def tile_sum(tile: Tensor, weighted: Tensor) -> Tensor:
    """tile^T weighted, (k, d), what a tile's anchors say to each column."""
    return (tile.T @ weighted).to(weighted.dtype if weighted.dtype != torch.bfloat16 else torch.float32)


def _largest(tiles: list[Tensor], positive: Tensor, tau: float) -> Tensor | None:
    """What to subtract before exp, so that it neither overflows nor loses every term.

    Cosines are at most 1, so above tau = 1/30 plain exponentials are safe in float32 (and in
    bfloat16, which has its range): two passes over the tile saved.
    """
    if tau >= 1 / 30:
        return None
    top = torch.stack([t.amax(dim=1) for t in tiles]).amax(dim=0).float()
    return torch.maximum(top, positive)


def _subtract_gathered(grad: Tensor | None, gathered: Tensor, columns: Tensor | None) -> None:
    if grad is None:
        return
    if columns is None:
        grad -= gathered
    else:
        grad.index_add_(0, columns, gathered, alpha=-1)
