"""GRACE: each node against itself in another view (Zhu et al., ICML workshop 2020).

Two views are drawn, encoded by the same GCN into U and V, and projected by the same two-layer MLP.
With D(a, b) = exp(cos(a, b) / tau) an anchor's positive is itself in the other view, its negatives
are every other node in both views:

    l(u_i, v_i) = log D(u_i, v_i) - log( D(u_i, v_i) + sum_{k != i} D(u_i, v_k) + sum_{k != i} D(u_i, u_k) )
    loss = -1/(2N) sum_i ( l(u_i, v_i) + l(v_i, u_i) )

This is InfoNCE as in :mod:`gigamae.model.infonce` with both sides learning: row tiles, the gradient
taken in the same pass, so that nothing N x N is kept. In graphs of more than ``negatives`` nodes as
many are drawn in each step, shared by all anchors, and stand for all. The embedding is the encoder's
output for the whole graph; the projector is left behind.

What the paper leaves unclear, and what was decided:

- The layer between is twice as wide as the embedding in the release; here each width has a name.
- Edges are dropped in both directions at once (:mod:`gigamae.baselines.augment`); columns are
  dropped once a view for all nodes, as paper and release do.
- The paper has its negatives from all nodes whatever N is; drawing some is ours, above 4,096.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from gigamae.baselines.augment import View, draw_view, whole
from gigamae.baselines.base import Baseline, GraphData, Sizes
from gigamae.baselines.checks import check_choice, check_counts, check_range
from gigamae.baselines.gcn import ACTIVATIONS, GCN, layer_widths
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.model.infonce import infonce
from gigamae.model.linear import Linear


@dataclass(kw_only=True, eq=False, repr=False)
class GRACE(Baseline):
    """Node vectors that tell each node from all others across two views.

    Args:
        hidden_dim: width between the layers.
        out_dim: width of the embedding.
        num_layers: graph convolutions.
        projector_dim: hidden width of the projector.
        activation: of the encoder: relu, prelu or elu.
        tau: temperature.
        drop_edge_1, drop_edge_2: share of edges dropped in each view.
        drop_feature_1, drop_feature_2: share of feature columns dropped in each view.
        negatives: how many nodes to draw as negatives where the graph has more; None for all.

    Example:
        >>> from gigamae import load_dataset
        >>> model = GRACE(epochs=2, hidden_dim=16, out_dim=8, negatives=100)
        >>> model.fit_transform(load_dataset("demo")).shape[1]
        8
    """

    name: ClassVar[str] = "grace"
    title: ClassVar[str] = "GRACE"
    paper: ClassVar[str] = "Zhu et al., Deep Graph Contrastive Representation Learning, 2020"

    learning_rate: float = 5e-4
    weight_decay: float = 1e-5
    hidden_dim: int = 256
    out_dim: int = 128
    num_layers: int = 2
    projector_dim: int = 128
    activation: str = "relu"
    tau: float = 0.4
    drop_edge_1: float = 0.2
    drop_edge_2: float = 0.4
    drop_feature_1: float = 0.3
    drop_feature_2: float = 0.4
    negatives: int | None = 4096

    def check(self) -> None:
        super().check()
        check_counts(self, "hidden_dim", "out_dim", "num_layers", "projector_dim")
        check_counts(self, "negatives", optional=True)
        check_choice(self, "activation", tuple(ACTIVATIONS))
        check_range(self, "drop_edge_1", "drop_edge_2", "drop_feature_1", "drop_feature_2")
        check_range(self, "tau", high=100.0)
        if self.tau == 0:
            raise SettingsError("tau=0 must be above 0.")

    def build(self, graph: Graph | Sizes) -> nn.Module:
        widths = layer_widths(graph.num_features, self.hidden_dim, self.out_dim, self.num_layers)
        return Contrast(GCN(widths, activation=self.activation), self.projector_dim)

    def loss(self, module: Contrast, data: Any, generator: torch.Generator) -> Tensor:
        u, v = (module(view) for view in self.views(data, generator))
        return -infonce(u, v, self.tau, negatives=self.negatives, generator=generator, learn_q=True)

    def views(self, data: Any, generator: torch.Generator) -> tuple[View, View]:
        """The two views of a step."""
        return (
            draw_view(data.topology, data.features, self.drop_edge_1, self.drop_feature_1, generator),
            draw_view(data.topology, data.features, self.drop_edge_2, self.drop_feature_2, generator),
        )

    def embed(self, module: Contrast, data: GraphData) -> Tensor:
        z: Tensor = module.encoder(whole(data.topology, data.features))
        return z


class Contrast(nn.Module):
    """The encoder, and the projector in whose space views are compared."""

    def __init__(self, encoder: GCN, projector_dim: int) -> None:
        super().__init__()
        width = encoder.widths[-1]
        self.encoder = encoder
        self.projector = nn.Sequential(Linear(width, projector_dim), nn.ELU(), Linear(projector_dim, width))

    def forward(self, view: View) -> Tensor:
        """(N, out_dim) projected."""
        out: Tensor = self.projector(self.encoder(view))
        return out
