"""InfoNCE: the lower bound of mutual information that every term of the objective is made of.

For unit rows p_i (projected) and q_i (target), with D(a, b) = exp(a . b / tau), equation 4 reads

    l(p_i, q_i) = log D(p_i, q_i) - log( sum_j D(p_i, q_j) + sum_{j != i} D(p_i, p_j) )

and equation 5 is its mean over i, symmetric: (l(p_i, q_i) + l(q_i, p_i)) / 2. The authors' release
has l(q_i, p_i) alone (the target is the anchor); both are here.

:func:`infonce_plain` is the formula as written. :func:`infonce` is what training calls: the same
numbers from row tiles, with the gradient taken in the same pass, so that memory grows with N
(:mod:`gigamae.model.infonce_tiles`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor

from gigamae.model.infonce_tiles import Anchors, Options
from gigamae.targets.compiled import share

#: Entries that are held at a time for a view (anchors x columns, all threads together): 16 MiB in
#: bfloat16, 32 MiB in float32.
TILE_ENTRIES = 1 << 23
#: Fewer anchors than this are not worth a thread.
LEAST_ROWS = 256


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
    options = Options(tau, symmetric, intra, columns, tile_entries, low_precision)
    value: Tensor = _TiledInfoNCE.apply(p, q if learn_q else q.detach(), options)
    return value


class _TiledInfoNCE(torch.autograd.Function):
    """Value and gradient in one pass over row tiles; only (n, d) tensors outlive a tile."""

    @staticmethod
    def forward(ctx: Any, p: Tensor, q: Tensor, options: Options) -> Tensor:  # type: ignore[override]
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


def _anchored(
    a: Tensor, b: Tensor, grad_a: Tensor | None, grad_b: Tensor | None, options: Options
) -> Tensor:
    """sum_i l(a_i, b_i), adding its gradient to ``grad_a`` or ``grad_b`` where they are given.

    On the CPU each thread takes a run of anchors and its products run in that thread alone: threads
    that share every small product wait for each other most of the time.
    """
    work = Anchors(a, b, grad_a, grad_b, options)
    members = min(torch.get_num_threads(), -(-len(a) // LEAST_ROWS)) if a.device.type == "cpu" else 1
    rows = max(1, min(-(-len(a) // members), options.tile_entries // (members * max(1, work.num_columns))))
    done: list[tuple[Tensor, list[Tensor]]] = []
    if members == 1:
        done.append(work.run(0, len(a), rows))
    else:
        threads = torch.get_num_threads()
        ranges = [share(len(a), i, members) for i in range(members)]
        try:
            torch.set_num_threads(1)
            with ThreadPoolExecutor(members - 1, initializer=torch.set_num_threads, initargs=(1,)) as pool:
                others = [pool.submit(work.run, *r, rows) for r in ranges[1:]]
                done.append(work.run(*ranges[0], rows))
                done += [other.result() for other in others]
        finally:
            torch.set_num_threads(threads)
    for grad, view in ((grad_b, 0), (grad_a, 1)):
        if grad is not None and view < len(work.views):
            for _, gathered in done:
                _subtract_gathered(grad, gathered[view], options.columns)
    return torch.stack([total for total, _ in done]).sum()


def _subtract_gathered(grad: Tensor, gathered: Tensor, columns: Tensor | None) -> None:
    if columns is None:
        grad -= gathered
    else:
        grad.index_add_(0, columns, gathered, alpha=-1)
