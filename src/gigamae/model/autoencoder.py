"""Graph autoencoder: two graph convolutions, as in Kipf and Welling (2016), variational or not."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from gigamae.model.convolutions import GCNLayer, Step
from gigamae.model.features import FeatureMatrix


class GraphAutoencoder(nn.Module):
    """GCN, ReLU, GCN; the decoder is the inner product and has no weights.

    Args:
        in_dim: width of the features.
        hidden_dim: width between the layers.
        out_dim: width of a node's vector.
        variational: give each node a normal distribution, with a second output layer for the
            logarithm of its standard deviation.
    """

    def __init__(self, in_dim: int, hidden_dim: int, out_dim: int, *, variational: bool = False) -> None:
        super().__init__()
        self.first = GCNLayer(in_dim, hidden_dim)
        self.mean = GCNLayer(hidden_dim, out_dim)
        self.log_std = GCNLayer(hidden_dim, out_dim) if variational else None

    def forward(self, x: FeatureMatrix, step: Step) -> Tensor:
        """(N, out_dim) the vectors, or the means of their distributions."""
        means: Tensor = self.mean(torch.relu(self.first(x, step)), step)
        return means

    def distribution(self, x: FeatureMatrix, step: Step) -> tuple[Tensor, Tensor]:
        """Means and logarithms of standard deviations, (N, out_dim) each."""
        assert self.log_std is not None, "only a variational autoencoder has a spread"
        hidden = torch.relu(self.first(x, step))
        # Above e^10 a sample is noise alone, and exp may overflow.
        return self.mean(hidden, step), self.log_std(hidden, step).clamp(max=10.0)
