"""MVGRL: nodes of one view against the summary of the other (Hassani and Khasahmadi, ICML 2020).

The views are the adjacency A and its diffusion S by personalised PageRank; each has a one-layer GCN of
its own, H_A = PReLU(A~ X W_A + b) and H_S = PReLU(S X W_S + b), and a summary c = sigmoid(mean of its
rows). A bilinear discriminator T(h, c) tells nodes of the graph from nodes of a corrupted one,
whose feature rows are shuffled, across the views; the Jensen-Shannon bound of their mutual
information is maximised by

    loss = 1/(4N) sum_i [ sp(-T(h_i^S, c_A)) + sp(-T(h_i^A, c_S)) + sp(T(h~_i^S, c_A)) + sp(T(h~_i^A, c_S)) ]

with sp the softplus and h~ the corrupted nodes. The embedding is H_A + H_S.

S is never dense: :mod:`gigamae.baselines.diffusion` keeps its entries of at least ``threshold``, at
most about ``top_k`` a row, found by pushing, so memory and time grow with N. The whole graph is one
step; no subgraphs are sampled. A test holds both against the dense inverse.

What the paper leaves unclear, and what was decided:

- The paper describes shared projection heads after the encoders and a readout that concatenates
  layers; the release's code for nodes, which made the paper's numbers for nodes, has neither. Nor
  has this file.
- The release trains on 4 blocks of 2,000 consecutive nodes a step because its matrices are dense.
- The release keeps S whole on one graph, and on another thresholds it and then stretches each
  column to 0..1, which makes it asymmetric; here it is thresholded and not stretched.
- The release adds self-loops to the adjacency twice (A + 2 I); here once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from gigamae.baselines.base import Baseline, GraphData, Sizes
from gigamae.baselines.checks import check_counts, check_range
from gigamae.baselines.diffusion import sparse_ppr
from gigamae.baselines.gcn import PReLU
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Lift, Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.propagation import gcn_values, propagate
from gigamae.model.topology import Topology


@dataclass(frozen=True)
class Operator:
    """A sparse symmetric matrix that rows are multiplied by: (2M,) values and (N,) a diagonal."""

    topology: Topology
    values: Tensor
    diagonal: Tensor

    def __call__(self, h: Tensor) -> Tensor:
        """(N, F) -> (N, F)."""
        return propagate(h, self.topology, self.values, self.diagonal)


@dataclass(frozen=True)
class TwoViews(GraphData):
    """The graph as its neighbourhood and its diffusion see it."""

    adjacency: Operator
    diffusion: Operator


@dataclass(kw_only=True, eq=False, repr=False)
class MVGRL(Baseline):
    """Node vectors from what neighbours and diffusion say of the same graph.

    Args:
        out_dim: width of the embedding.
        alpha: chance of the PageRank walk to jump back to its start.
        threshold: entries of the diffusion below it are dropped.
        top_k: how many entries of the diffusion a row keeps.

    Example:
        >>> from gigamae import load_dataset
        >>> MVGRL(epochs=2, out_dim=8).fit_transform(load_dataset("demo")).shape[1]
        8
    """

    name: ClassVar[str] = "mvgrl"
    title: ClassVar[str] = "MVGRL"
    paper: ClassVar[str] = (
        "Hassani and Khasahmadi, Contrastive Multi-View Representation Learning on Graphs, 2020"
    )

    epochs: int = 300
    out_dim: int = 512
    alpha: float = 0.2
    threshold: float = 0.001
    top_k: int = 64

    def check(self) -> None:
        super().check()
        check_counts(self, "out_dim", "top_k")
        check_range(self, "alpha", "threshold")
        for name in ("alpha", "threshold"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"{name}={getattr(self, name)!r} must be above 0.")

    def prepare(self, graph: Graph, device: torch.device) -> TwoViews:
        topology = Topology.of(graph, device)
        return TwoViews(
            topology,
            FeatureMatrix(graph.x, device),
            Operator(topology, *gcn_values(topology, None)),
            self._diffusion(graph, device),
        )

    def build(self, graph: Graph | Sizes) -> nn.Module:
        return CrossViews(graph.num_features, self.out_dim)

    def loss(self, module: CrossViews, data: TwoViews, generator: torch.Generator) -> Tensor:
        step = Step(data.topology, generator=generator)
        shuffled = torch.randperm(data.topology.num_nodes, generator=generator, device=data.topology.device)
        near, far = module.near.lift(data.features, step), module.far.lift(data.features, step)
        h_near, h_far = module.near(near, data.adjacency), module.far(far, data.diffusion)
        # Shuffling the rows of X W is shuffling those of X: the features are multiplied once.
        wrong_near = module.near(near[shuffled], data.adjacency)
        wrong_far = module.far(far[shuffled], data.diffusion)
        return module.judge(h_near, h_far, wrong_near, wrong_far)

    def embed(self, module: CrossViews, data: TwoViews) -> Tensor:
        step = Step(data.topology)
        near, far = module.near.lift(data.features, step), module.far.lift(data.features, step)
        return module.near(near, data.adjacency) + module.far(far, data.diffusion)

    def _diffusion(self, graph: Graph, device: torch.device) -> Operator:
        """The sparse S, its pattern laid out like a graph's."""
        s = sparse_ppr(graph, self.alpha, self.threshold, self.top_k)
        upper = s.tocoo()
        once = upper.row < upper.col
        pattern = Graph.from_edges(
            np.stack([upper.row[once], upper.col[once]], axis=1),
            np.zeros((graph.num_nodes, 1), np.float32),
            num_nodes=graph.num_nodes,
            weights=upper.data[once],
        )
        topology = Topology.of(pattern, device)
        values = topology.weights
        assert values is not None
        diagonal = torch.from_numpy(s.diagonal().astype(np.float32)).to(device)
        return Operator(topology, values, diagonal)


class Channel(nn.Module):
    """One view's encoder: a linear map, one product with the view's matrix, PReLU."""

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.lift = Lift(in_dim, out_dim)
        self.bias = nn.Parameter(torch.zeros(out_dim))
        self.act = PReLU()

    def forward(self, lifted: Tensor, operator: Operator) -> Tensor:
        """(N, out_dim), from what :attr:`lift` made of the features."""
        out: Tensor = self.act(operator(lifted) + self.bias)
        return out


class CrossViews(nn.Module):
    """An encoder for each view, and the discriminator between nodes and the other view's summary."""

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.near, self.far = Channel(in_dim, out_dim), Channel(in_dim, out_dim)
        self.bilinear = nn.Parameter(torch.empty(out_dim, out_dim))
        self.offset = nn.Parameter(torch.zeros(()))
        nn.init.xavier_uniform_(self.bilinear)

    def judge(self, h_near: Tensor, h_far: Tensor, wrong_near: Tensor, wrong_far: Tensor) -> Tensor:
        """The loss, from (N, d) nodes of both views, true and corrupted."""
        c_near, c_far = h_near.mean(dim=0).sigmoid(), h_far.mean(dim=0).sigmoid()
        softplus = nn.functional.softplus
        total = softplus(-self.score(h_far, c_near)) + softplus(-self.score(h_near, c_far))
        total = total + softplus(self.score(wrong_far, c_near)) + softplus(self.score(wrong_near, c_far))
        return total.mean() / 4

    def score(self, h: Tensor, summary: Tensor) -> Tensor:
        """(N,) h_i^T B c + b."""
        return h @ (self.bilinear @ summary) + self.offset
