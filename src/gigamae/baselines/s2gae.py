"""S2GAE: a masked autoencoder of edges (Tan et al., "S2GAE", WSDM 2023).

A share of the edges is hidden, a GCN of K layers encodes the rest, and a cross-correlation decoder
tells hidden edges from pairs without one by all products of layers:

    h_e = concat over k, j of (h_u^k * h_v^j),   y_e = MLP(h_e)
    L = - mean over hidden edges log s(y_e) - mean over others log(1 - s(y_e))

The embedding is the concatenation of all layers' outputs on the whole graph.

What was unclear, and what is done here:

* The paper masks single directions ("direction-aware"), where the encoder still sees u -> v while it is
  asked for v -> u. Here an edge goes with both directions, or the answer would lie in the question.
* h_e of (u, v) is not h_e of (v, u): each pair is shown one way or the other, at random.
* The public code draws any two nodes as a pair without an edge; here they are true non-edges.
* The public code steps after every 1,024 hidden edges with a new pass of the encoder; here an epoch
  is one step on all of them.
* Rows of X are scaled to length one first.
* The last layer is followed by ReLU too, as in the public code, so that all layers are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from gigamae.baselines.base import Baseline, Sizes
from gigamae.baselines.checks import check_counts, check_range
from gigamae.baselines.edge_scores import Perceptron, cross_products, either_way
from gigamae.baselines.vgae import EdgeData, edge_data
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import GCNLayer, Step
from gigamae.model.edges import link_loss
from gigamae.model.features import FeatureMatrix


class CrossLayerAutoencoder(nn.Module):
    """Graph convolutions whose outputs are all kept, and the decoder."""

    def __init__(
        self, in_dim: int, width: int, num_layers: int, decoder_dim: int, decoder_layers: int, drop: float
    ) -> None:
        super().__init__()
        ins = [in_dim, *[width] * (num_layers - 1)]
        self.layers = nn.ModuleList(GCNLayer(i, width) for i in ins)
        self.decoder = Perceptron(num_layers**2 * width, decoder_dim, decoder_layers, drop)

    def forward(self, x: FeatureMatrix, step: Step) -> list[Tensor]:
        """(N, width) for every layer; the features themselves are not dropped out."""
        h = torch.relu(self.layers[0](x, Step(step.topology, hidden_edges=step.hidden_edges)))
        outs = [h]
        for layer in self.layers[1:]:
            h = torch.relu(layer(h, step))
            outs.append(h)
        return outs


@dataclass(kw_only=True, eq=False, repr=False)
class S2GAE(Baseline):
    """S2GAE.

    Args:
        hidden_dim: width of every layer; the embedding has ``num_layers`` times that.
        num_layers: of the encoder.
        mask_rate: share of the edges that are hidden.
        dropout: between layers, of the encoder and of the decoder.
        decoder_dim, decoder_layers: of the decoder's perceptron.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
        >>> S2GAE(hidden_dim=8, epochs=2).fit_transform(graph).shape
        (4, 16)
    """

    name: ClassVar[str] = "s2gae"
    title: ClassVar[str] = "S2GAE"
    paper: ClassVar[str] = "Tan et al., WSDM 2023"

    hidden_dim: int = 128
    num_layers: int = 2
    mask_rate: float = 0.5
    dropout: float = 0.5
    decoder_dim: int = 256
    decoder_layers: int = 2
    epochs: int = 500
    learning_rate: float = 0.01
    clip_norm: float = 1.0

    def check(self) -> None:
        super().check()
        check_counts(self, "hidden_dim", "num_layers", "decoder_dim", "decoder_layers")
        check_range(self, "mask_rate")
        check_range(self, "dropout", high=0.95)

    def prepare(self, graph: Graph, device: torch.device) -> EdgeData:
        return edge_data(graph, device)

    def build(self, graph: Graph | Sizes) -> CrossLayerAutoencoder:
        return CrossLayerAutoencoder(
            graph.num_features, self.hidden_dim, self.num_layers,
            self.decoder_dim, self.decoder_layers, self.dropout,
        )  # fmt: skip

    def loss(self, module: CrossLayerAutoencoder, data: EdgeData, generator: torch.Generator) -> Tensor:
        hidden = random_edges(data.edges.shape[1], self.mask_rate, generator)
        step = Step(data.topology, hidden_edges=hidden, dropout=self.dropout, generator=generator)
        layers = module(data.features, step)
        positive = data.edges[:, hidden]
        negative = data.others.draw(positive.shape[1], generator)
        scores = [
            module.decoder(cross_products(layers, either_way(pairs, generator)), generator)
            for pairs in (positive, negative)
        ]
        return link_loss(*scores)

    def embed(self, module: CrossLayerAutoencoder, data: EdgeData) -> Tensor:
        return torch.cat(module(data.features, Step(data.topology)), dim=1)


def random_edges(num_edges: int, rate: float, generator: torch.Generator) -> Tensor:
    """(M,) bool: a random share of the undirected edges, rounded down."""
    device = generator.device
    order = torch.randperm(num_edges, generator=generator, device=device)
    chosen = torch.zeros(num_edges, dtype=torch.bool, device=device)
    chosen[order[: int(rate * num_edges)]] = True
    return chosen
