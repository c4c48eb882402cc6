"""Feature masking: nodes whose features are hidden behind a learned token, as GraphMAE does it.

The first layer of an encoder computes X~ W. X~ is never made: its rows are rows of X W, some from
other nodes, and one more row, the token's. So sparse features stay sparse.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gigamae.model.edges import rows_at
from gigamae.model.features import FeatureMatrix


@dataclass(frozen=True)
class FeatureMask:
    """One draw.

    Attributes:
        masked: (K,) nodes that the loss is taken on: hidden or replaced.
        hidden: (N,) bool, those that show the token.
        replaced: (R,) those that show another node's features.
        lenders: (R,) whose.
    """

    masked: Tensor
    hidden: Tensor
    replaced: Tensor
    lenders: Tensor


def draw_feature_mask(
    num_nodes: int, mask_rate: float, replace_rate: float, generator: torch.Generator
) -> FeatureMask:
    """Mask a share of the nodes; of those, a share shows another node's features, the rest the token."""
    device = generator.device
    masked = torch.randperm(num_nodes, generator=generator, device=device)[: int(mask_rate * num_nodes)]
    replaced = masked[: int(replace_rate * len(masked))]
    lenders = torch.randperm(num_nodes, generator=generator, device=device)[: len(replaced)]
    hidden = torch.zeros(num_nodes, dtype=torch.bool, device=device)
    hidden[masked[len(replaced) :]] = True
    return FeatureMask(masked, hidden, replaced, lenders)


class MaskedFeatures(FeatureMatrix):
    """Features with some rows replaced by a token or by other rows, for a layer that projects them.

    Args:
        x: the features.
        token: (D,) takes gradients.
        mask: where.
    """

    def __init__(self, x: FeatureMatrix, token: Tensor, mask: FeatureMask) -> None:
        self.shape, self.x, self.token, self.mask = x.shape, x, token, mask
        self.dense = x.dense

    @property
    def device(self) -> torch.device:
        return self.x.device

    def project(
        self,
        weight: Tensor,
        *,
        hidden: Tensor | None = None,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """dropout(X~) W, (N, out); the token itself is not dropped, and ``hidden`` is the mask's."""
        mask = self.mask
        lent = torch.zeros_like(mask.hidden).index_fill_(0, mask.lenders, True)
        unseen = mask.hidden & ~lent
        rows = self.x.project(weight, hidden=unseen, dropout=dropout, generator=generator)
        # What follows is done in place: a pass over N x out costs as much as all the rest here.
        behind = (mask.hidden & lent).nonzero().squeeze(1)  # hidden, but somebody shows its row
        shown = rows_at(rows, mask.lenders) - rows_at(rows, mask.replaced)
        rows.index_add_(0, torch.cat([mask.replaced, behind]), torch.cat([shown, -rows_at(rows, behind)]))
        return rows.addr_(mask.hidden.to(rows.dtype), self.token @ weight)
