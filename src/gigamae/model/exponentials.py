"""exp of a tile and the sums of its rows, in one pass over it.

torch has no exp for bfloat16 faster than its float32 one, and sums a bfloat16 tile in float32 by way
of a float32 copy. One compiled pass does both, while the tile still lies in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import njit
from torch import Tensor

_compiled: Any = njit(nogil=True, fastmath={"contract", "reassoc", "nsz", "arcp"}, cache=True)
_HALF = np.uint32(1 << 15)


def exp_and_sum(tile: Tensor, shift: Tensor | None = None) -> Tensor:
    """tile <- exp(tile - shift) in place; returns its row sums, (r,) float32.

    Args:
        tile: (r, c), float32 or bfloat16. Entries more than 80 below ``shift`` become 0 (or as
            good as), -inf among them; none may be more than 80 above.
        shift: (r,) float32, or None for 0.
    """
    if tile.device.type != "cpu" or tile.dtype not in (torch.float32, torch.bfloat16):
        if shift is not None:
            tile.sub_(shift.to(tile.dtype).unsqueeze(1))
        return tile.exp_().sum(dim=1, dtype=torch.float32)
    sums = np.empty(len(tile), np.float32)
    down = np.zeros(len(tile), np.float32) if shift is None else shift.numpy()
    if tile.dtype == torch.float32:
        _float32(tile.numpy(), down, sums)
    else:
        _bfloat16(tile.view(torch.int16).numpy().view(np.uint16), down, sums)
    return torch.from_numpy(sums)


@_compiled
def _exp(x):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """exp(x) to 5e-6 for |x| < 30: the series at x / 64, raised to the 64th power by six squarings.

    No table and no branch, so that the loop around it works on many x at once.
    """
    t = max(x, np.float32(-80)) * np.float32(1 / 64)
    e = np.float32(1 / 24) + t * (np.float32(1 / 120) + t * (np.float32(1 / 720) + t * np.float32(1 / 5040)))
    e = np.float32(1) + t * (np.float32(1) + t * (np.float32(1 / 2) + t * (np.float32(1 / 6) + t * e)))
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    return e * e


@_compiled
def _float32(tile, shift, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(tile.shape[0]):
        total, down = np.float32(0), shift[i]
        for j in range(tile.shape[1]):
            e = _exp(tile[i, j] - down)
            total += e
            tile[i, j] = e
        sums[i] = total


@_compiled
def _bfloat16(tile, shift, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    """A bfloat16 is the upper half of a float32: its bits are shifted there and, rounded, back."""
    for i in range(tile.shape[0]):
        total, down = np.float32(0), shift[i]
        for j in range(tile.shape[1]):
            e = _exp(np.uint32(np.uint32(tile[i, j]) << np.uint32(16)).view(np.float32) - down)
            total += e
            tile[i, j] = np.uint16(np.uint32(np.float32(e).view(np.uint32) + _HALF) >> np.uint32(16))
        sums[i] = total
