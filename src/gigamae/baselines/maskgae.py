"""MaskGAE: a masked autoencoder of edges and degrees (Li et al., "What's Behind the Mask", KDD 2023).

Edges are hidden one by one or along random walks, a GCN encodes the rest, and two small networks say
from Z which pairs are hidden edges and how many edges each node lost:

    y_uv = MLP(z_u * z_v),   d_v = MLP'(z_v)
    L = - mean over hidden log s(y_uv) - mean over others log(1 - s(y_uv))
        + alpha mean over nodes (d_v - degree of v among the hidden edges)^2

The embedding is the concatenation of all layers' outputs on the whole graph.

What was unclear, and what is done here:

* An edge is hidden in both directions, so that its reverse does not give it away.
* Walks for path masking start at a share of the nodes and take uniform steps; an edge that several
  walks take is hidden once.
* Pairs without an edge are true non-edges of the graph given, not of what remains of it.
* Rows of X are scaled to length one first.
* d_v is a plain number; the public code puts a ReLU after it, which can die.
* The paper scales the embedding of the citation graphs to unit rows for its classifier; here
  ``normalise`` does, and it is on unless a preset says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from gigamae.baselines.base import Baseline, Sizes
from gigamae.baselines.checks import check_choice, check_counts, check_range
from gigamae.baselines.edge_scores import Perceptron
from gigamae.baselines.s2gae import random_edges
from gigamae.baselines.vgae import EdgeData, edge_data
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import GCNLayer, Step
from gigamae.model.edges import link_loss, rows_at
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology

MASKS = ("path", "edge")


class EdgeAutoencoder(nn.Module):
    """Graph convolutions with batch norm and ELU, and the two decoders."""

    def __init__(
        self, in_dim: int, widths: list[int], decoder_dim: int, decoder_layers: int, decoder_dropout: float
    ) -> None:
        super().__init__()
        ins = [in_dim, *widths[:-1]]
        self.layers = nn.ModuleList(GCNLayer(i, o) for i, o in zip(ins, widths, strict=True))
        self.norms = nn.ModuleList(nn.BatchNorm1d(o) for o in widths)
        parts = (widths[-1], decoder_dim, decoder_layers, decoder_dropout)
        self.edge, self.degree = Perceptron(*parts), Perceptron(*parts)

    def forward(self, x: FeatureMatrix, step: Step) -> list[Tensor]:
        """The output of every layer, (N, width) each."""
        h: Any = x
        outs = []
        for layer, norm in zip(self.layers, self.norms, strict=True):
            h = layer(h, step)
            if not (self.training and len(h) == 1):  # one node has no variance: leave it as it is
                h = norm(h)
            h = functional.elu(h)
            outs.append(h)
        return outs


@dataclass(kw_only=True, eq=False, repr=False)
class MaskGAE(Baseline):
    """MaskGAE.

    Args:
        hidden_dim: width of all layers but the last.
        out_dim: width of the last layer.
        num_layers: of the encoder.
        mask: what is hidden: "path" for random walks, "edge" for single edges.
        mask_rate: share of the nodes at which a walk starts, or of the edges that are hidden.
        walk_length: steps of a walk.
        dropout: on the input of each layer.
        decoder_dim, decoder_layers, decoder_dropout: of both decoders.
        degree_weight: alpha.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
        >>> MaskGAE(hidden_dim=8, out_dim=4, epochs=2).fit_transform(graph).shape
        (4, 12)
    """

    name: ClassVar[str] = "maskgae"
    title: ClassVar[str] = "MaskGAE"
    paper: ClassVar[str] = "Li et al., KDD 2023"

    hidden_dim: int = 128
    out_dim: int = 64
    num_layers: int = 2
    mask: str = "path"
    mask_rate: float = 0.7
    walk_length: int = 3
    dropout: float = 0.8
    decoder_dim: int = 32
    decoder_layers: int = 2
    decoder_dropout: float = 0.2
    degree_weight: float = 0.001
    normalise: bool = True
    epochs: int = 500
    learning_rate: float = 0.01
    weight_decay: float = 5e-5
    clip_norm: float = 1.0

    def check(self) -> None:
        super().check()
        check_counts(
            self, "hidden_dim", "out_dim", "num_layers", "walk_length", "decoder_dim", "decoder_layers"
        )
        check_choice(self, "mask", MASKS)
        check_range(self, "mask_rate")
        check_range(self, "dropout", "decoder_dropout", high=0.95)
        check_range(self, "degree_weight", high=1e3)

    def prepare(self, graph: Graph, device: torch.device) -> EdgeData:
        return edge_data(graph, device)

    def build(self, graph: Graph | Sizes) -> EdgeAutoencoder:
        widths = [*[self.hidden_dim] * (self.num_layers - 1), self.out_dim]
        return EdgeAutoencoder(
            graph.num_features, widths, self.decoder_dim, self.decoder_layers, self.decoder_dropout
        )

    def loss(self, module: EdgeAutoencoder, data: EdgeData, generator: torch.Generator) -> Tensor:
        if self.mask == "path":
            hidden = walked_edges(data.topology, self.mask_rate, self.walk_length, generator)
        else:
            hidden = random_edges(data.edges.shape[1], self.mask_rate, generator)
        step = Step(data.topology, hidden_edges=hidden, dropout=self.dropout, generator=generator)
        z = module(data.features, step)[-1]
        positive = data.edges[:, hidden]
        negative = data.others.draw(positive.shape[1], generator)
        scores = [
            module.edge(rows_at(z, pairs[0]) * rows_at(z, pairs[1]), generator)
            for pairs in (positive, negative)
        ]
        lost = torch.bincount(positive.flatten(), minlength=len(z)).to(z.dtype)
        degrees = functional.mse_loss(module.degree(z, generator), lost)
        return link_loss(*scores) + self.degree_weight * degrees

    def embed(self, module: EdgeAutoencoder, data: EdgeData) -> Tensor:
        return torch.cat(module(data.features, Step(data.topology)), dim=1)


def walked_edges(topology: Topology, rate: float, length: int, generator: torch.Generator) -> Tensor:
    """(M,) bool: the edges that walks of ``length`` uniform steps take, from a share of the nodes."""
    device, n = topology.device, topology.num_nodes
    chosen = torch.zeros(topology.num_edges, dtype=torch.bool, device=device)
    at = torch.randperm(n, generator=generator, device=device)[: int(rate * n)]
    degree = topology.indptr.diff()
    at = at[degree[at] > 0]
    for _ in range(length):
        share = torch.rand(len(at), generator=generator, device=device, dtype=torch.float64)
        entry = topology.indptr[at] + (share * degree[at]).long()
        chosen[topology.undirected[entry]] = True
        at = topology.cols[entry]
    return chosen
