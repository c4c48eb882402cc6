"""PCA as one writes it first: make the features dense, centre them, take torch's SVD."""

from __future__ import annotations

import torch
from torch import Tensor


def reference_pca(
    x: Tensor,
    ratio: float | None = None,
    *,
    k: int | None = None,
    criterion: str = "variance",
    whiten: bool = True,
) -> Tensor:
    """(N, k) principal component scores of dense (N, D) float32 features.

    Args:
        x: dense features.
        ratio: keep the fewest components whose cumulative share of ``criterion`` reaches this.
        k: or keep this many.
        criterion: "variance" or "singular_values".
        whiten: scale every component to unit variance.
    """
    centred = x - x.mean(dim=0)
    u, s, _ = torch.linalg.svd(centred, full_matrices=False)  # (N, r), (r,), r = min(N, D)
    if k is None:
        if ratio is None:
            raise ValueError("give ratio or k")
        share = s**2 if criterion == "variance" else s
        k = int((share.cumsum(0) / share.sum() < ratio).sum()) + 1
    u, s = u[:, :k], s[:k]
    return u * len(x) ** 0.5 if whiten else u * s
