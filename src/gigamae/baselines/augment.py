"""Augment: the random views that contrastive methods compare, some edges and some columns gone.

Both directions of an undirected edge go together. The public releases of these methods draw each
direction by itself, which drops the same share of messages but leaves half of the dropped edges
open one way; none of the papers asks for that.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import torch
from torch import Tensor

from gigamae.model.convolutions import Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


@dataclass(frozen=True)
class View:
    """A graph as one augmentation left it."""

    features: FeatureMatrix
    step: Step


def draw_view(
    topology: Topology,
    features: FeatureMatrix,
    drop_edge: float | Tensor,
    drop_feature: float | Tensor,
    generator: torch.Generator,
) -> View:
    """A view with each edge and each feature column dropped with a probability.

    Args:
        topology, features: the graph.
        drop_edge: one probability, or (M,) one an undirected edge.
        drop_feature: one probability, or (D,) one a column.
        generator: where both draws come from.
    """
    hidden = draw(topology.num_edges, drop_edge, generator, topology.device)
    gone = draw(features.shape[1], drop_feature, generator, features.device)
    return View(
        features if gone is None else without_columns(features, gone),
        Step(topology, hidden_edges=hidden, generator=generator),
    )


def draw(
    count: int, probability: float | Tensor, generator: torch.Generator, device: torch.device
) -> Tensor | None:
    """(count,) bool, True with the probability; None where nothing can be drawn."""
    if isinstance(probability, int | float) and probability <= 0:
        return None
    return torch.rand(count, generator=generator, device=device) < probability


def without_columns(features: FeatureMatrix, gone: Tensor) -> FeatureMatrix:
    """The same matrix with some columns zero; sparse stays sparse and shares its pattern.

    Args:
        features: (N, D).
        gone: (D,) bool.
    """
    kept = (~gone).float()
    view = copy(features)
    if features.dense is not None:
        view.dense = features.dense * kept
    else:
        view.values = features.values * kept[features.col]
    return view


def whole(topology: Topology, features: FeatureMatrix) -> View:
    """The graph as it is, for embedding."""
    return View(features, Step(topology))
