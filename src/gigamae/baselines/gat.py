"""GAT: the encoder of GraphMAE and GraphMAE2, and their decoder, which never makes its N x D output.

The decoder is one attention layer with one head, x^_i = sum_j a_ij W h_j + b. The sum and W change
places, so what is kept a node is g_i = sum_j a_ij h_j, and all that the scaled cosine error asks for
follows without x^_i:

    x_i . x^_i = (X W)_i . g_i + x_i . b        |x^_i|^2 = g_i (W^T W) g_i + 2 b . W g_i + b . b
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from gigamae.model.attention import attend
from gigamae.model.convolutions import GATLayer, Step
from gigamae.model.dropout import dropout
from gigamae.model.edges import rows_at
from gigamae.model.features import FeatureMatrix


class GAT(nn.Module):
    """Attention layers with heads side by side, each followed by PReLU.

    Args:
        in_dim: width of the features.
        width: of every layer, all heads together.
        num_layers: how many.
        heads: of each layer.
    """

    def __init__(self, in_dim: int, width: int, num_layers: int = 2, heads: int = 4) -> None:
        super().__init__()
        ins = [in_dim, *[width] * (num_layers - 1)]
        self.layers = nn.ModuleList(GATLayer(i, width, heads=heads) for i in ins)
        self.acts = nn.ModuleList(nn.PReLU() for _ in ins)

    def forward(self, x: FeatureMatrix, step: Step) -> Tensor:
        """(N, width)."""
        h: FeatureMatrix | Tensor = x
        for layer, act in zip(self.layers, self.acts, strict=True):
            h = act(layer(h, step))
        assert isinstance(h, Tensor)
        return h


class FeatureDecoder(nn.Module):
    """One attention layer from codes back to features, told by its errors alone.

    Args:
        in_dim: width of the codes, F.
        out_dim: width of the features, D.
    """

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_dim, in_dim))  # W, (D, F)
        self.bias = nn.Parameter(torch.zeros(out_dim))
        self.att_src = nn.Parameter(torch.empty(1, out_dim))
        self.att_dst = nn.Parameter(torch.empty(1, out_dim))
        for matrix in (self.weight, self.att_src, self.att_dst):
            nn.init.xavier_uniform_(matrix)

    def gather(self, code: Tensor, step: Step) -> Tensor:
        """(N, F) g: the codes, dropped out and averaged by attention."""
        code = dropout(code, step.dropout, step.generator)
        sent = code @ (self.att_src @ self.weight).T  # a . W h, (N, 1)
        received = code @ (self.att_dst @ self.weight).T
        gathered = attend(
            code.unsqueeze(1), sent, received, step.topology,
            dropout=step.attention_dropout, generator=step.generator,
        )  # fmt: skip
        return gathered.squeeze(1)

    def forward(self, code: Tensor, step: Step) -> Tensor:
        """(N, D) the reconstruction itself: for small graphs and for the tests."""
        return self.gather(code, step) @ self.weight.T + self.bias

    def similarities(
        self, codes: list[Tensor], features: FeatureMatrix, nodes: Tensor, step: Step
    ) -> list[Tensor]:
        """For each of several (N, F) codes, (K,) the cosines of x_i and x^_i at K nodes.

        Args:
            codes: what is decoded.
            features: X, with rows of length one; a row of zeros has the cosine 0 with anything.
            nodes: (K,) where.
            step: graph and dropout.
        """
        square = self.weight.T @ self.weight
        shift = self.bias @ self.weight
        crossed = rows_at(features.project(self.weight), nodes)  # (K, F)
        constant = features.project(self.bias.unsqueeze(1))[nodes].squeeze(1)
        found = []
        for code in codes:
            g = rows_at(self.gather(code, step), nodes)
            dots = (crossed * g).sum(dim=1) + constant
            squares = ((g @ square) * g).sum(dim=1) + 2 * (g @ shift) + self.bias.square().sum()
            found.append(dots / squares.clamp(min=1e-24).sqrt())
        return found


def scaled_cosine_error(cosine: Tensor, power: float) -> Tensor:
    """mean of (1 - cos)^power; 0 of no nodes."""
    # Rounding may lift a cosine above 1, and a negative base has no fractional power.
    return (1 - cosine).clamp(min=0).pow(power).sum() / max(len(cosine), 1)
