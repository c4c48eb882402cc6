"""Edge scores: small networks that say from two nodes' vectors whether they are joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from gigamae.model.dropout import dropout
from gigamae.model.edges import rows_at


class Perceptron(nn.Module):
    """Linear layers with ReLU and dropout between them, to one number a row.

    Args:
        in_dim: width of a row.
        width: between the layers.
        num_layers: how many.
        drop: dropout after each ReLU.
    """

    def __init__(self, in_dim: int, width: int, num_layers: int, drop: float) -> None:
        super().__init__()
        widths = [in_dim, *[width] * (num_layers - 1), 1]
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in pairwise(widths))
        self.drop = drop

    def forward(self, x: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """(K, in_dim) -> (K,); dropout acts in training alone."""
        for layer in self.layers[:-1]:
            x = dropout(torch.relu(layer(x)), self.drop if self.training else 0.0, generator)
        out: Tensor = self.layers[-1](x)
        return out.squeeze(1)


def cross_products(layers: Sequence[Tensor], pairs: Tensor) -> Tensor:
    """(K, L^2 d) the products h_u^k * h_v^j of every two layers' vectors at (2, K) pairs.

    Example:
        >>> h = torch.tensor([[1.0], [2.0]])
        >>> cross_products([h, 10 * h], torch.tensor([[0], [1]])).tolist()
        [[2.0, 20.0, 20.0, 200.0]]
    """
    ours = [rows_at(h, pairs[0]) for h in layers]
    theirs = [rows_at(h, pairs[1]) for h in layers]
    return torch.cat([u * v for u in ours for v in theirs], dim=1)


def either_way(pairs: Tensor, generator: torch.Generator) -> Tensor:
    """Pairs with u and v changed over at random, for scores that tell u from v."""
    turned = torch.rand(pairs.shape[1], generator=generator, device=pairs.device) < 0.5
    return torch.where(turned, pairs.flip(0), pairs)
