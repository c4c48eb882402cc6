"""GAE and VGAE: autoencoders of the adjacency (Kipf and Welling, "Variational Graph Auto-Encoders", 2016).

Two graph convolutions turn features and edges into Z, and inner products of Z tell edges from others:

    Z = A' ReLU(A' X W0) W1,  A' = D^-1/2 (A + I) D^-1/2,  p(A_uv = 1) = s(z_u . z_v)
    GAE:   - E_edges log s(z_u . z_v) - E_others log(1 - s(z_u . z_v))
    VGAE:  the same for z_u drawn from N(mu_u, sigma_u^2), plus KL(N(mu, sigma^2) || N(0, 1)),
           where mu and log sigma share the first layer

What was unclear, and what is done here:

* The paper weighs all N^2 pairs so that edges and others count alike. Here every edge meets one pair
  without an edge, drawn anew in each step: the same in expectation, without the N x N matrix.
* The divergence is divided by N twice, once as a mean over nodes and once because the N^2 pairs
  are a mean too; ``kl_weight`` multiplies that (1 is the paper's bound).
* Rows of X are scaled to length one first; the paper takes them as they are. Rows of many entries
  would otherwise have long vectors and so all the links.
* The embedding is mu. The paper predicts links with it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gigamae.baselines.base import Baseline, GraphData, Sizes
from gigamae.baselines.checks import check_counts, check_range
from gigamae.baselines.unit_rows import unit_rows
from gigamae.graph.graph import Graph
from gigamae.model.autoencoder import GraphAutoencoder
from gigamae.model.convolutions import Step
from gigamae.model.edges import NonEdges, edge_pairs, inner_products, link_loss
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


@dataclass(frozen=True)
class EdgeData(GraphData):
    """A graph with its edges listed once, and a source of pairs without an edge."""

    edges: Tensor  # (2, M)
    others: NonEdges


def edge_data(graph: Graph, device: torch.device) -> EdgeData:
    """What reconstructing edges needs; feature rows have length one."""
    topology = Topology.of(graph, device)
    features = FeatureMatrix(unit_rows(graph.x), device)
    return EdgeData(topology, features, edge_pairs(topology), NonEdges(topology))


@dataclass(kw_only=True, eq=False, repr=False)
class GAE(Baseline):
    """The autoencoder without a distribution.

    Args:
        hidden_dim: width between the two layers.
        out_dim: width of the embedding.
        dropout: on the features and between the layers.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> GAE(out_dim=8, epochs=2).fit_transform(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "gae"
    title: ClassVar[str] = "GAE"
    paper: ClassVar[str] = "Kipf and Welling, NeurIPS workshop 2016"

    hidden_dim: int = 32
    out_dim: int = 16
    dropout: float = 0.0
    learning_rate: float = 0.01

    def check(self) -> None:
        super().check()
        check_counts(self, "hidden_dim", "out_dim")
        check_range(self, "dropout", high=0.95)

    def prepare(self, graph: Graph, device: torch.device) -> EdgeData:
        return edge_data(graph, device)

    def build(self, graph: Graph | Sizes) -> GraphAutoencoder:
        return GraphAutoencoder(graph.num_features, self.hidden_dim, self.out_dim)

    def loss(self, module: GraphAutoencoder, data: EdgeData, generator: torch.Generator) -> Tensor:
        step = Step(data.topology, dropout=self.dropout, generator=generator)
        return reconstruction(module(data.features, step), data, generator)

    def embed(self, module: GraphAutoencoder, data: EdgeData) -> Tensor:
        z: Tensor = module(data.features, Step(data.topology))
        return z


@dataclass(kw_only=True, eq=False, repr=False)
class VGAE(GAE):
    """The variational autoencoder.

    Args:
        hidden_dim, out_dim, dropout: as in :class:`GAE`.
        kl_weight: what the divergence from the prior is multiplied by.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> VGAE(out_dim=8, epochs=2).fit_transform(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "vgae"
    title: ClassVar[str] = "VGAE"

    kl_weight: float = 1.0

    def check(self) -> None:
        super().check()
        check_range(self, "kl_weight", high=1e6)

    def build(self, graph: Graph | Sizes) -> GraphAutoencoder:
        return GraphAutoencoder(graph.num_features, self.hidden_dim, self.out_dim, variational=True)

    def loss(self, module: GraphAutoencoder, data: EdgeData, generator: torch.Generator) -> Tensor:
        step = Step(data.topology, dropout=self.dropout, generator=generator)
        mean, log_std = module.distribution(data.features, step)
        noise = torch.randn(mean.shape, generator=generator, device=mean.device)
        reconstructed = reconstruction(mean + noise * log_std.exp(), data, generator)
        return reconstructed + self.kl_weight * divergence(mean, log_std) / len(mean)


def reconstruction(z: Tensor, data: EdgeData, generator: torch.Generator) -> Tensor:
    """The binary cross-entropy over the edges and as many fresh pairs without one."""
    others = data.others.draw(data.edges.shape[1], generator)
    return link_loss(inner_products(z, data.edges), inner_products(z, others))


def divergence(mean: Tensor, log_std: Tensor) -> Tensor:
    """KL(N(mu, sigma^2) || N(0, 1)), summed over dimensions and averaged over nodes."""
    return 0.5 * (mean.square() + (2 * log_std).exp() - 1 - 2 * log_std).sum(dim=1).mean()
