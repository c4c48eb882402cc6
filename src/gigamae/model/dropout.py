"""Dropout whose random numbers come from a generator that is passed in."""

from __future__ import annotations

import torch
from torch import Tensor


def dropout(x: Tensor, p: float, generator: torch.Generator | None) -> Tensor:
    """x with each entry zeroed with probability p and the others scaled by 1 / (1 - p)."""
    if p <= 0:
        return x
    kept = torch.rand(x.shape, generator=generator, device=x.device) >= p
    return x * kept.to(x.dtype).div_(1.0 - p)
