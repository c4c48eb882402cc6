"""GCA: GRACE that drops what matters less more often (Zhu et al., WWW 2021).

The loss is that of :mod:`gigamae.baselines.grace`. What a view loses depends on the centrality
phi of nodes (degree, eigenvector or PageRank):

    edge (u, v):  s = log( (phi(u) + phi(v)) / 2 )
    column i:     s = log( sum_u |x_ui| phi(u) )
    dropped with: p = min( (s_max - s) / (s_max - s_mean) * p_e, p_tau )       (p_f for columns)

What the paper leaves unclear, and what was decided:

- The release scores a directed entry by its sink alone; the paper has the mean of both ends for
  undirected graphs, which is here, and an edge goes in both directions at once.
- Sparse columns count by presence, dense ones by size, as in the release; empty columns are left
  out of the mean (the release's logarithm of zero would make it minus infinity).
- p_tau = 0.7, as in paper and release. Eigenvector centrality gets 1e-8 before its logarithm, as in
  the release: it is zero outside one component.
- RReLU, which the release uses on some graphs, draws from the global random state: PReLU instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from gigamae.baselines.augment import View, draw_view
from gigamae.baselines.base import GraphData
from gigamae.baselines.centrality import (
    CENTRALITIES,
    column_scores,
    drop_probabilities,
    edge_scores,
    node_centrality,
)
from gigamae.baselines.checks import check_choice, check_range
from gigamae.baselines.grace import GRACE
from gigamae.graph.graph import Graph
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


@dataclass(frozen=True)
class ScoredGraph(GraphData):
    """The graph with the score of every edge (M,) and column (D,): high ones stay."""

    edge_scores: np.ndarray
    column_scores: np.ndarray


@dataclass(kw_only=True, eq=False, repr=False)
class GCA(GRACE):
    """GRACE with adaptive augmentation.

    Args:
        centrality: degree, eigenvector or pagerank.
        most_dropped: p_tau, above which no edge's or column's probability goes.

    The other settings are those of :class:`~gigamae.baselines.grace.GRACE`; its ``drop_...`` are
    mean probabilities here.

    Example:
        >>> from gigamae import load_dataset
        >>> model = GCA(epochs=2, hidden_dim=16, out_dim=8, negatives=100)
        >>> model.fit_transform(load_dataset("demo")).shape[1]
        8
    """

    name: ClassVar[str] = "gca"
    title: ClassVar[str] = "GCA"
    paper: ClassVar[str] = "Zhu et al., Graph Contrastive Learning with Adaptive Augmentation, 2021"

    hidden_dim: int = 512
    out_dim: int = 256
    projector_dim: int = 256
    activation: str = "prelu"
    centrality: str = "degree"
    most_dropped: float = 0.7

    def check(self) -> None:
        super().check()
        check_choice(self, "centrality", CENTRALITIES)
        check_range(self, "most_dropped")

    def prepare(self, graph: Graph, device: torch.device) -> ScoredGraph:
        phi = node_centrality(graph, self.centrality)
        return ScoredGraph(
            Topology.of(graph, device),
            FeatureMatrix(graph.x, device),
            edge_scores(graph, phi),
            column_scores(graph.x, phi),
        )

    def views(self, data: ScoredGraph, generator: torch.Generator) -> tuple[View, View]:
        def probabilities(scores: np.ndarray, mean: float) -> Tensor:
            drop = drop_probabilities(scores, mean, self.most_dropped)
            return torch.from_numpy(drop.astype(np.float32)).to(data.features.device)

        first, second = (
            draw_view(
                data.topology,
                data.features,
                probabilities(data.edge_scores, edge),
                probabilities(data.column_scores, column),
                generator,
            )
            for edge, column in (
                (self.drop_edge_1, self.drop_feature_1),
                (self.drop_edge_2, self.drop_feature_2),
            )
        )
        return first, second
