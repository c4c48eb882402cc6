"""BGRL: bootstrapped graph latents; no negatives (Thakoor et al., ICLR 2022).

Two views of the graph are drawn in each step. An online encoder E_theta followed by a predictor p
says from one view what a target encoder E_phi makes of the other, and the other way round:

    loss = 2 - 1/N sum_i cos(p(E_theta(G_1))_i, E_phi(G_2)_i)
             - 1/N sum_i cos(p(E_theta(G_2))_i, E_phi(G_1)_i)

No gradient reaches phi; after each step phi <- tau phi + (1 - tau) theta, with tau going from
``momentum`` to 1 along a cosine. The cosines are those of N pairs of rows: nothing is N x N.
The embedding is E_theta of the whole graph; the predictor is left behind.

What the paper leaves unclear, and what was decided:

- Signs: the paper writes -2/N sum cos for one view and adds the mirrored one "in practice"; the
  release's 2 - cos - cos is the same up to a factor and is what is here.
- First weights of E_phi: drawn apart from those of E_theta, as in the release.
- Batch norm: the paper's "decay 0.99" would move the running statistics by 0.01 a step, the release
  passes 0.99 as PyTorch's momentum and so infers with those of the last step. The first needs
  thousands of steps to forget where it began: on Cora after 150 steps links scored AUC .42 with it
  and .90 with the second, which is the default here (``norm_momentum``). E_phi normalises by its
  batch, too.
- Warm-up: the paper's 1,000 of 10,000 steps. Short runs need a share: ``warmup`` is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from gigamae.baselines.augment import View, draw_view, whole
from gigamae.baselines.base import Baseline, GraphData, Sizes
from gigamae.baselines.checks import check_choice, check_counts, check_range
from gigamae.baselines.gcn import ACTIVATIONS, GCN, PReLU, layer_widths
from gigamae.graph.graph import Graph
from gigamae.model.linear import Linear


@dataclass(kw_only=True, eq=False, repr=False)
class BGRL(Baseline):
    """Node vectors that predict each other across two views, without negatives.

    Args:
        hidden_dim: width between the layers.
        out_dim: width of the embedding.
        num_layers: graph convolutions.
        predictor_dim: hidden width of the predictor.
        activation: of the encoder: relu, prelu or elu.
        norm_momentum: of the running statistics of batch norm.
        drop_edge_1, drop_edge_2: share of edges dropped in each view.
        drop_feature_1, drop_feature_2: share of feature columns dropped in each view.
        momentum: tau of the target encoder in the first step; it ends at 1.
        warmup: share of the epochs in which the learning rate rises; then it falls along a cosine.

    Example:
        >>> from gigamae import load_dataset
        >>> BGRL(epochs=2, hidden_dim=16, out_dim=8).fit_transform(load_dataset("demo")).shape[1]
        8
    """

    name: ClassVar[str] = "bgrl"
    title: ClassVar[str] = "BGRL"
    paper: ClassVar[str] = (
        "Thakoor et al., Large-Scale Representation Learning on Graphs via Bootstrapping, 2022"
    )

    epochs: int = 1000
    learning_rate: float = 5e-4
    weight_decay: float = 1e-5
    hidden_dim: int = 512
    out_dim: int = 256
    num_layers: int = 2
    predictor_dim: int = 512
    activation: str = "prelu"
    norm_momentum: float = 0.99
    drop_edge_1: float = 0.3
    drop_edge_2: float = 0.2
    drop_feature_1: float = 0.3
    drop_feature_2: float = 0.4
    momentum: float = 0.99
    warmup: float = 0.1

    def check(self) -> None:
        super().check()
        check_counts(self, "hidden_dim", "out_dim", "num_layers", "predictor_dim")
        check_choice(self, "activation", tuple(ACTIVATIONS))
        check_range(self, "drop_edge_1", "drop_edge_2", "drop_feature_1", "drop_feature_2")
        check_range(self, "norm_momentum", "momentum", "warmup")

    def build(self, graph: Graph | Sizes) -> nn.Module:
        widths = layer_widths(graph.num_features, self.hidden_dim, self.out_dim, self.num_layers)
        online, target = (
            GCN(widths, activation=self.activation, norm_momentum=self.norm_momentum) for _ in range(2)
        )
        return Bootstrap(online, target, self.predictor_dim)

    def loss(self, module: Bootstrap, data: GraphData, generator: torch.Generator) -> Tensor:
        first, second = (
            draw_view(data.topology, data.features, edge, feature, generator)
            for edge, feature in (
                (self.drop_edge_1, self.drop_feature_1),
                (self.drop_edge_2, self.drop_feature_2),
            )
        )
        return module(first, second)

    def embed(self, module: Bootstrap, data: GraphData) -> Tensor:
        z: Tensor = module.online(whole(data.topology, data.features))
        return z

    def optimizer(self, module: nn.Module) -> torch.optim.Optimizer:
        """AdamW, as in the paper: weight decay apart from the gradient; not over phi."""
        learned = [p for p in module.parameters() if p.requires_grad]
        return torch.optim.AdamW(learned, lr=self.learning_rate, weight_decay=self.weight_decay)

    def rate_factor(self, epoch: int) -> float:
        """Up in a line over the warm-up, then down along a half cosine."""
        rising = self.warmup * self.epochs
        if epoch <= rising:
            return epoch / rising
        return 0.5 * (1 + math.cos(math.pi * (epoch - rising) / (self.epochs - rising + 1)))

    def after_step(self, module: Bootstrap, step: int, total: int) -> None:
        module.follow(target_momentum(self.momentum, step, total))


class Bootstrap(nn.Module):
    """The online encoder with its predictor, and the target encoder that follows it."""

    def __init__(self, online: GCN, target: GCN, predictor_dim: int) -> None:
        super().__init__()
        width = online.widths[-1]
        self.online, self.target = online, target.requires_grad_(False)
        self.predictor = nn.Sequential(
            Linear(width, predictor_dim), PReLU(), Linear(predictor_dim, width)
        )

    def forward(self, first: View, second: View) -> Tensor:
        """The loss of one step."""
        with torch.no_grad():
            there = self.target(second), self.target(first)
        said = self.predictor(self.online(first)), self.predictor(self.online(second))
        return bootstrap_loss(said[0], there[0]) + bootstrap_loss(said[1], there[1])

    @torch.no_grad()
    def follow(self, momentum: float) -> None:
        """phi <- momentum phi + (1 - momentum) theta."""
        for mine, theirs in zip(self.target.parameters(), self.online.parameters(), strict=True):
            mine.lerp_(theirs, 1 - momentum)


def bootstrap_loss(said: Tensor, there: Tensor) -> Tensor:
    """1 minus the mean cosine of the rows of two (N, d) matrices."""
    return 1 - nn.functional.cosine_similarity(said, there, dim=1).mean()


def target_momentum(first: float, step: int, total: int) -> float:
    """tau after step ``step`` (from 1) of ``total``: 1 - (1 - first) (cos(pi k / K) + 1) / 2.

    Example:
        >>> target_momentum(0.99, 1, 100), round(target_momentum(0.99, 101, 100), 6)
        (0.99, 1.0)
    """
    return 1 - (1 - first) * (math.cos(math.pi * (step - 1) / total) + 1) / 2
