"""Encoder: f^enc, two convolutions that turn a masked graph into Z (N x d)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from gigamae.model.convolutions import (
    GATLayer,
    GATv2Layer,
    GCNLayer,
    GINLayer,
    Lift,
    SAGELayer,
    Step,
)
from gigamae.model.features import FeatureMatrix
from gigamae.model.linear import set_low_precision

EncoderName = Literal["gat", "gatv2", "gcn", "sage", "gin"]
ENCODERS: tuple[str, ...] = ("gat", "gatv2", "gcn", "sage", "gin")


class Encoder(nn.Module):
    """Two layers: convolution, batch norm, ELU; convolution, ELU. Dropout before each.

    Args:
        in_dim: width of the features, D.
        hidden_dim: width between the layers (all heads together).
        out_dim: width of Z, d.
        kind: which convolution.
        heads: of attention in the first layer; the second has one.
        norm_momentum: how far a step's batch statistics move the ones that inference uses.
    """

    def __init__(
        self,
        in_dim: int,
        hidden_dim: int,
        out_dim: int,
        *,
        kind: EncoderName = "gat",
        heads: int = 4,
        norm_momentum: float = 0.1,
    ) -> None:
        super().__init__()
        self.kind = kind
        self.first: nn.Module
        self.second: nn.Module
        if kind == "gat" or kind == "gatv2":
            layer = GATLayer if kind == "gat" else GATv2Layer
            self.first = layer(in_dim, hidden_dim, heads=heads)
            self.second = layer(hidden_dim, out_dim, heads=1, concat=False)
        else:
            plain = {"gcn": GCNLayer, "sage": SAGELayer, "gin": GINLayer}[kind]
            self.first = plain(in_dim, hidden_dim)
            self.second = plain(hidden_dim, out_dim)
        self.norm = nn.BatchNorm1d(hidden_dim, momentum=norm_momentum)
        self.activation = nn.ELU()

    def forward(self, x: FeatureMatrix, step: Step) -> Tensor:
        """Z: (N, d). In training mode batch statistics are this step's."""
        h = self.first(x, step)
        if self.training and len(h) == 1:  # one node has no variance: leave it as it is
            h = self.activation(h)
        else:
            h = self.activation(self.norm(h))
        z: Tensor = self.activation(self.second(h, step))
        return z

    @torch.no_grad()
    def settle(self, x: FeatureMatrix, step: Step) -> None:
        """Let inference normalise by the statistics of this step's rows from here on."""
        h = self.first(x, step)
        if len(h) > 1:
            assert self.norm.running_mean is not None
            assert self.norm.running_var is not None
            self.norm.running_mean.copy_(h.mean(dim=0))
            self.norm.running_var.copy_(h.var(dim=0))

    def set_low_precision(self, on: bool) -> None:
        """Run the dense products of the second layer in bfloat16."""
        set_low_precision(self, on)
        for part in self.modules():
            if isinstance(part, Lift):
                part.low_precision = on
