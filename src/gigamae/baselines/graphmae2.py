"""GraphMAE2: GraphMAE with two remedies for noisy features (Hou et al., "GraphMAE2", WWW 2023).

As in GraphMAE a GAT encodes the graph whose nodes V~ show a token instead of features. Then

* multi-view random re-mask decoding: K times a random share of the codes gives way to a second token,
  and the decoder reconstructs the features of V~ from each, X^(1) .. X^(K);
* latent representation prediction: a projector g and a predictor p on the masked codes foretell what a
  target network, a moving average xi of encoder and projector, makes of the unmasked graph.

    L_input  = sum over k of mean over V~ of (1 - cos(x_i, x^(k)_i))^gamma
    L_latent = mean over nodes of (1 - cos(p(g(h_i)), g_xi(h_xi,i)))
    L = L_input + lambda L_latent,    xi <- tau xi + (1 - tau) theta

The embedding is the encoder's output on the whole graph, nothing masked.

What was unclear, and what is done here:

* The paper's sum over views is written both with and without 1/K; a sum is taken, so lambda is the
  weight against K views.
* The paper averages L_latent over all nodes; the public code over those not masked. The paper's
  is taken.
* The target network sees the unmasked features, with dropout: the paper does not say, and both networks
  stay comparable that way.
* Both tokens start at zero; the paper does not say where.
* Nothing is replaced by other nodes' features, as the paper dropped that of GraphMAE's.
* The moving average follows each step of the optimiser, not the gradient before it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from gigamae.baselines.base import GraphData, Sizes
from gigamae.baselines.checks import check_counts, check_range
from gigamae.baselines.feature_masking import MaskedFeatures, draw_feature_mask
from gigamae.baselines.gat import scaled_cosine_error
from gigamae.baselines.graphmae import GraphMAE, MaskedAutoencoder
from gigamae.graph.graph import Graph


class LatentAutoencoder(MaskedAutoencoder):
    """GraphMAE's parts, the token of the decoder, and what predicts the target network."""

    def __init__(self, in_dim: int, width: int, num_layers: int, heads: int, projector_dim: int) -> None:
        super().__init__(in_dim, width, num_layers, heads)
        self.code_token = nn.Parameter(torch.zeros(width))
        self.projector = nn.Sequential(
            nn.Linear(width, projector_dim), nn.PReLU(), nn.Linear(projector_dim, width)
        )
        self.predictor = nn.Sequential(nn.PReLU(), nn.Linear(width, width))
        self.target = nn.ModuleList([deepcopy(self.encoder), deepcopy(self.projector)])
        self.target.requires_grad_(False)

    @torch.no_grad()
    def follow(self, momentum: float) -> None:
        """Move the target network a little towards this one."""
        for ours, mean in zip((self.encoder, self.projector), self.target, strict=True):
            for new, old in zip(ours.parameters(), mean.parameters(), strict=True):
                old.lerp_(new, 1 - momentum)


@dataclass(kw_only=True, eq=False, repr=False)
class GraphMAE2(GraphMAE):
    """GraphMAE2; what is not listed is as in :class:`GraphMAE`.

    Args:
        views: K, how often the codes are masked again and decoded.
        remask_rate: share of the codes that are masked in each view.
        latent_weight: lambda, of the latent prediction against the reconstruction.
        momentum: tau, how much of itself the target network keeps in a step.
        projector_dim: width within the projector.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> GraphMAE2(hidden_dim=8, epochs=2).fit_transform(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "graphmae2"
    title: ClassVar[str] = "GraphMAE2"
    paper: ClassVar[str] = "Hou et al., WWW 2023"

    replace_rate: float = 0.0
    views: int = 3
    remask_rate: float = 0.5
    latent_weight: float = 1.0
    momentum: float = 0.996
    projector_dim: int = 256

    def check(self) -> None:
        super().check()
        check_counts(self, "views", "projector_dim")
        check_range(self, "remask_rate", "momentum")
        check_range(self, "latent_weight", high=1e3)

    def build(self, graph: Graph | Sizes) -> LatentAutoencoder:
        return LatentAutoencoder(
            graph.num_features, self.hidden_dim, self.num_layers, self.heads, self.projector_dim
        )

    def loss(self, module: LatentAutoencoder, data: GraphData, generator: torch.Generator) -> Tensor:
        n, step = data.topology.num_nodes, self.step(data, generator)
        mask = draw_feature_mask(n, self.mask_rate, self.replace_rate, generator)
        h = module.encoder(MaskedFeatures(data.features, module.token, mask), step)
        code = module.between(h)
        views = [remasked(code, module.code_token, self.remask_rate, generator) for _ in range(self.views)]
        cosines = module.decoder.similarities(views, data.features, mask.masked, step)
        loss = torch.stack([scaled_cosine_error(cosine, self.gamma) for cosine in cosines]).sum()
        if self.latent_weight > 0:
            encoder, projector = module.target
            with torch.no_grad():
                wanted = projector(encoder(data.features, step))
            guess = module.predictor(module.projector(h))
            latent = scaled_cosine_error(functional.cosine_similarity(guess, wanted, dim=1), 1.0)
            loss = loss + self.latent_weight * latent
        return loss

    def after_step(self, module: LatentAutoencoder, step: int, total: int) -> None:
        module.follow(self.momentum)


def remasked(code: Tensor, token: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """The codes, a random share of them (rounded down) replaced by the token."""
    order = torch.randperm(len(code), generator=generator, device=code.device)
    hidden = torch.zeros(len(code), 1, dtype=torch.bool, device=code.device)
    hidden[order[: int(rate * len(code))]] = True
    return torch.where(hidden, token, code)
