"""Projectors: for every subset of the targets, a small MLP from Z to that subset's space."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gigamae.model.linear import Linear
from gigamae.model.weights import Subset


def subset_key(subset: Subset) -> str:
    """The name of a subset as a module key: (0, 1) -> "0+1"."""
    return "+".join(map(str, subset))


class Projector(nn.Module):
    """f^proj: a two-layer MLP with batch normalisation and ReLU in between.

    Example:
        >>> Projector(8, 16, 4)(torch.randn(5, 8)).shape
        torch.Size([5, 4])
    """

    def __init__(self, in_dim: int, hidden_dim: int, out_dim: int) -> None:
        super().__init__()
        self.first = Linear(in_dim, hidden_dim)
        self.norm = nn.BatchNorm1d(hidden_dim)
        self.second = Linear(hidden_dim, out_dim)

    def forward(self, z: Tensor) -> Tensor:
        """(n, in_dim) -> (n, out_dim)."""
        if self.training and len(z) > 1 and self.first.low_precision and z.device.type == "cpu":
            from gigamae.model.projector_cpu import project_cpu

            return project_cpu(z, self.first, self.norm, self.second)
        hidden = self.first(z)
        # One row has no variance to normalise by; it passes with the statistics gathered so far.
        if self.training and len(hidden) == 1:
            norm = self.norm
            hidden = nn.functional.batch_norm(
                hidden, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps
            )
        else:
            hidden = self.norm(hidden)
        out: Tensor = self.second(torch.relu_(hidden))
        return out


class Projectors(nn.ModuleDict):
    """One :class:`Projector` a subset, as wide as the concatenation of the subset's targets."""

    def __init__(self, in_dim: int, hidden_dim: int, dims: Sequence[int], chosen: Sequence[Subset]) -> None:
        super().__init__(
            {subset_key(s): Projector(in_dim, hidden_dim, sum(dims[i] for i in s)) for s in chosen}
        )

    def project(self, subset: Subset, z: Tensor) -> Tensor:
        """S_n = f^proj_n(S)."""
        out: Tensor = self[subset_key(subset)](z)
        return out

    def parameters_of(self, subset: Subset) -> list[nn.Parameter]:
        """What f^proj_n learns."""
        return list(self[subset_key(subset)].parameters())
