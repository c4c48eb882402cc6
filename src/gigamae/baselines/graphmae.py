"""GraphMAE: a masked autoencoder of node features (Hou et al., "GraphMAE", KDD 2022).

Features of a share of the nodes V~ give way to a learned token, a GAT encodes the masked graph, the
codes of V~ are masked again (re-mask), and a GAT of one layer decodes features X^ from the codes of
the neighbours:

    H = f_E(A, X~),  X^ = f_D(A, remask(H W_c)),
    L = mean over V~ of (1 - cos(x_i, x^_i))^gamma                    (scaled cosine error)

The embedding is H of the whole graph, nothing masked.

What was unclear, and what is done here:

* The paper masks with the token alone and mentions replacing a few masked rows by other nodes' rows;
  the rate of that is ``replace_rate``, a share of the masked nodes, and they are in the loss too.
* The number of masked nodes is fixed, mask_rate N rounded down; which ones is uniform.
* Dropout spares the token's own entries: there is one token and no second draw of it a node.
* The decoder has one head, so its N x D output is never needed (:mod:`gigamae.baselines.gat`).
* Rows of X are scaled to length one first. The loss sees directions alone, so only the encoder's
  input changes; scaled by their sums, as the public code has them, rows of a few hundredths were
  learned from several times more slowly on Cora.
* A node without features has no direction: its cosine counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from gigamae.baselines.base import Baseline, GraphData, Sizes
from gigamae.baselines.checks import check_counts, check_multiple, check_range
from gigamae.baselines.feature_masking import MaskedFeatures, draw_feature_mask
from gigamae.baselines.gat import GAT, FeatureDecoder, scaled_cosine_error
from gigamae.baselines.unit_rows import unit_rows
from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step


class MaskedAutoencoder(nn.Module):
    """Encoder, token, the map between encoder and decoder, and decoder."""

    def __init__(self, in_dim: int, width: int, num_layers: int, heads: int) -> None:
        super().__init__()
        self.encoder = GAT(in_dim, width, num_layers, heads)
        self.token = nn.Parameter(torch.zeros(in_dim))
        self.between = nn.Linear(width, width, bias=False)
        self.decoder = FeatureDecoder(width, in_dim)


@dataclass(kw_only=True, eq=False, repr=False)
class GraphMAE(Baseline):
    """GraphMAE.

    Args:
        hidden_dim: width of every layer and of the embedding, all heads together.
        num_layers: of the encoder.
        heads: of attention.
        mask_rate: share of the nodes whose features are masked.
        replace_rate: share of those which show another node's features instead of the token.
        gamma: power of the scaled cosine error.
        dropout: on the input of each layer.
        attention_dropout: on the attention.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> GraphMAE(hidden_dim=8, epochs=2).fit_transform(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "graphmae"
    title: ClassVar[str] = "GraphMAE"
    paper: ClassVar[str] = "Hou et al., KDD 2022"

    hidden_dim: int = 512
    num_layers: int = 2
    heads: int = 4
    mask_rate: float = 0.5
    replace_rate: float = 0.05
    gamma: float = 3.0
    dropout: float = 0.2
    attention_dropout: float = 0.1
    epochs: int = 1000
    weight_decay: float = 2e-4
    schedule: str = "cosine"

    def check(self) -> None:
        super().check()
        check_counts(self, "hidden_dim", "num_layers", "heads")
        check_multiple(self, "hidden_dim", "heads")
        check_range(self, "mask_rate", "replace_rate")
        check_range(self, "dropout", "attention_dropout", high=0.95)
        check_range(self, "gamma", low=1.0, high=10.0)

    def prepare(self, graph: Graph, device: torch.device) -> GraphData:
        return super().prepare(replace(graph, x=unit_rows(graph.x)), device)

    def build(self, graph: Graph | Sizes) -> nn.Module:
        return MaskedAutoencoder(graph.num_features, self.hidden_dim, self.num_layers, self.heads)

    def loss(self, module: Any, data: GraphData, generator: torch.Generator) -> Tensor:
        step = self.step(data, generator)
        mask = draw_feature_mask(data.topology.num_nodes, self.mask_rate, self.replace_rate, generator)
        code = module.between(module.encoder(MaskedFeatures(data.features, module.token, mask), step))
        code = code.index_fill_(0, mask.masked, 0.0)
        (cosine,) = module.decoder.similarities([code], data.features, mask.masked, step)
        return scaled_cosine_error(cosine, self.gamma)

    def embed(self, module: Any, data: GraphData) -> Tensor:
        z: Tensor = module.encoder(data.features, Step(data.topology))
        return z

    def step(self, data: GraphData, generator: torch.Generator) -> Step:
        """A pass with dropout."""
        return Step(
            data.topology, dropout=self.dropout, attention_dropout=self.attention_dropout, generator=generator
        )
