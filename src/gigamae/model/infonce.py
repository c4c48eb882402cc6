"""InfoNCE: the lower bound of mutual information that every term of the objective is made of.

For unit rows p_i (projected) and q_i (target), with D(a, b) = exp(a . b / tau), equation 4 reads

    l(p_i, q_i) = log D(p_i, q_i) - log( sum_j D(p_i, q_j) + sum_{j != i} D(p_i, p_j) )

and equation 5 is its mean over i, symmetric: (l(p_i, q_i) + l(q_i, p_i)) / 2. The authors' release
has l(q_i, p_i) alone (the target is the anchor); both are here.

:func:`infonce_plain` is the formula as written. :func:`infonce` is what training calls: the same
numbers from row tiles, with the gradient taken in the same pass, so that memory grows with N.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gigamae.model.exponentials import exp_and_sum
from gigamae.model.linear import in_few_shapes, rounded_up
from gigamae.targets.compiled import share

#: Entries that are held at a time for a view (anchors x columns, all threads together): 16 MiB in
#: bfloat16, 32 MiB in float32.
TILE_ENTRIES = 1 << 23
#: Columns of one product: with its rows a tile that fits the L2 cache.
TILE_COLUMNS = 512
#: Fewer anchors than this are not worth a thread.
LEAST_ROWS = 256
#: Rows and columns of bfloat16 tiles on the CPU come in multiples of this, or every number of masked
#: nodes would have its products compiled anew (:func:`gigamae.model.linear.in_few_shapes`).
MULTIPLE = 128


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

    On the CPU each thread takes a run of anchors and its products run in that thread alone: threads
    that share every small product wait for each other most of the time.
    """
    work = _Anchors(a, b, grad_a, grad_b, options)
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


class _Anchors:
    """What all threads read, and the work on a run of anchors.

    A block of anchors is held against every column, tile by tile, so its denominators are known at
    once and the gradient of log den_i, sum_j w_ij d(a_i . b_j) / tau with w_ij the softmax weights,
    needs no second product. A tile is a contiguous matrix of its own that fits the L2 cache.
    """

    def __init__(
        self, a: Tensor, b: Tensor, grad_a: Tensor | None, grad_b: Tensor | None, options: _Options
    ) -> None:
        self.a, self.b, self.grad_a, self.grad_b, self.options = a, b, grad_a, grad_b, options
        views = [b, a] if options.intra else [b]  # what an anchor is held against, cross view first
        if options.columns is not None:
            views = [v[options.columns] for v in views]
        self.num_columns = len(views[0])
        self.work = torch.bfloat16 if options.low_precision else a.dtype
        self.multiple = MULTIPLE if options.low_precision and a.device.type == "cpu" else 1
        self.views = [self.lay(v) for v in views]  # (k and more, d)
        self.scaled = [self.lay(v / options.tau) for v in views]
        # The column of each node, -1 where it has none.
        self.position = torch.arange(len(a), device=a.device)
        if options.columns is not None:
            self.position = torch.full((len(a),), -1, device=a.device)
            self.position[options.columns] = torch.arange(self.num_columns, device=a.device)
        learns = grad_a is not None
        self.learns = [learns or grad_b is not None, learns]  # by view: its tiles enter a gradient
        # Cosines are at most 1, so above this plain exponentials are safe in float32 (and in
        # bfloat16, which has its range); below it the largest score of a row must be known first.
        self.direct = options.tau >= 1 / 30

    def lay(self, rows: Tensor) -> Tensor:
        """Rows in the type that is worked in, with rows of zeros below where shapes must be few."""
        return in_few_shapes(rows, self.multiple) if self.options.low_precision else rows.to(self.work)

    @torch.no_grad()
    def run(self, first: int, last: int, rows: int) -> tuple[Tensor, list[Tensor]]:
        """sum of l over anchors first:last, and what they say to the columns of each view, (k, d)."""
        a = self.a
        most = rounded_up(self.num_columns, self.multiple)
        gathered = [
            torch.zeros(most if learns else 0, a.shape[1], dtype=a.dtype, device=a.device)
            for learns in self.learns
        ]
        # Tiles that nobody asks for again lie one over the other.
        widths = [
            most if learns or not self.direct else min(TILE_COLUMNS, most) for learns in self.learns
        ]
        height = rounded_up(rows, self.multiple)
        buffers = [
            torch.empty(height * width, dtype=self.work, device=a.device)
            for _, width in zip(self.views, widths, strict=False)
        ]
        total = torch.zeros((), dtype=torch.float32, device=a.device)
        for start in range(first, last, rows):
            total += self._block(start, min(last, start + rows), buffers, gathered)
        return total, [g[: self.num_columns] for g in gathered]

    def _block(self, start: int, stop: int, buffers: list[Tensor], gathered: list[Tensor]) -> Tensor:
        tau, columns = self.options.tau, self.options.columns
        at, pair = self.a[start:stop], self.b[start:stop]
        positive = (at * pair).sum(dim=1) / tau  # (r,), always in full precision
        at_low = self.lay(at)  # (r and more, d)
        tiles: list[tuple[int, slice, Tensor]] = []  # view, columns, exp of the scores
        negative = torch.zeros_like(positive, dtype=torch.float32)
        top = None
        true, height = stop - start, len(at_low)
        for view, buffer in enumerate(buffers):
            for part in _parts(len(self.views[view])):
                width = part.stop - part.start
                low = height * part.start if self.learns[view] or not self.direct else 0
                tile = buffer[low : low + height * width].view(height, width)
                torch.mm(at_low, self.scaled[view][part].T, out=tile)
                self._void_own(tile, start, stop, part)
                if self.direct:
                    negative += exp_and_sum(tile)[:true]
                tiles.append((view, part, tile))
        if not self.direct:
            top = torch.stack([t[:true].amax(dim=1) for _, _, t in tiles]).amax(dim=0).float()
            top = torch.maximum(top, positive.float())
            tops = torch.nn.functional.pad(top, (0, height - true))
            for _, _, tile in tiles:
                negative += exp_and_sum(tile, tops)[:true]
        shifted = positive if top is None else positive - top
        stands_for = torch.ones_like(negative)
        if columns is not None:  # the drawn negatives stand for all n - 1
            own = (self.position[start:stop] >= 0).float()
            stands_for = (len(self.a) - 1) / (self.num_columns - own).clamp(min=1)
        denominator = negative * stands_for + shifted.exp()
        # d l / d(a_i . b_i) = 1 - w_ii; d l / d(a_i . v_j) = -w_ij, all over tau.
        weight = (stands_for / denominator / tau).unsqueeze(1)  # (r, 1), times the tile's entries
        surplus = ((1.0 - shifted.exp() / denominator) / tau).unsqueeze(1)
        weighted = self.lay(at * weight)
        if self.grad_a is not None:
            self.grad_a[start:stop] += surplus * pair
            for view, part, tile in tiles:
                self.grad_a[start:stop] -= (tile @ self.views[view][part])[:true] * weight
        if self.grad_b is not None:
            self.grad_b[start:stop] += surplus * at
        for view, part, tile in tiles:
            if (self.grad_b, self.grad_a)[view] is not None:
                gathered[view][part] += tile.T @ weighted
        return (shifted - denominator.log()).sum()

    def _void_own(self, tile: Tensor, start: int, stop: int, part: slice) -> None:
        """A node is not its own negative; its positive is counted apart from the columns. What was
        added to round up their number is no negative either."""
        if part.stop > self.num_columns:
            tile[:, self.num_columns - part.start :] = -torch.inf
        if self.options.columns is None:
            low, high = max(start, part.start), min(stop, part.stop)
            if low < high:
                own = tile[low - start : high - start, low - part.start : high - part.start]
                own.fill_diagonal_(-torch.inf)
            return
        here = self.position[start:stop]
        rows = torch.nonzero((here >= part.start) & (here < part.stop)).squeeze(1)
        tile[rows, here[rows] - part.start] = -torch.inf


def _parts(num_columns: int) -> Iterator[slice]:
    """Runs of columns, each of one tile."""
    for low in range(0, num_columns, TILE_COLUMNS):
        yield slice(low, min(low + TILE_COLUMNS, num_columns))


def _subtract_gathered(grad: Tensor, gathered: Tensor, columns: Tensor | None) -> None:
    if columns is None:
        grad -= gathered
    else:
        grad.index_add_(0, columns, gathered, alpha=-1)
