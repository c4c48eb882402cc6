"""Tiles of InfoNCE: anchors against columns, their sums, and the gradient in the same pass.

The formula is in :mod:`gigamae.model.infonce`; this is how it is computed without an n x n matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from gigamae.model.exponentials import exp_and_sum
from gigamae.model.linear import in_few_shapes, rounded_up

#: Columns of one product: with its rows a tile that fits the L2 cache.
TILE_COLUMNS = 512
#: Rows and columns of bfloat16 tiles on the CPU come in multiples of this, or every number of masked
#: nodes would have its products compiled anew (:func:`gigamae.model.linear.in_few_shapes`).
MULTIPLE = 128


@dataclass(frozen=True)
class Options:
    """What :func:`gigamae.model.infonce.infonce` was asked for, with the columns drawn (None for all)."""

    tau: float
    symmetric: bool
    intra: bool
    columns: Tensor | None
    tile_entries: int
    low_precision: bool


class Anchors:
    """What all threads read, and the work on a run of anchors.

    A block of anchors is held against every column, tile by tile, so its denominators are known at
    once and the gradient of log den_i, sum_j w_ij d(a_i . b_j) / tau with w_ij the softmax weights,
    needs no second product. A tile is a contiguous matrix of its own that fits the L2 cache.
    """

    def __init__(
        self, a: Tensor, b: Tensor, grad_a: Tensor | None, grad_b: Tensor | None, options: Options
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
