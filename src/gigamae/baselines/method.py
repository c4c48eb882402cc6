"""Method: what a baseline says of itself, in a file that holds its idea and nothing else.

It says what it prepares once (:meth:`Method.prepare`), what learns (:meth:`Method.build`), the loss of
one step (:meth:`Method.loss`) and how nodes are embedded (:meth:`Method.embed`). What is the same for
all is in :mod:`gigamae.baselines.base`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from gigamae.baselines.checks import check_choice, check_counts, check_flags, check_range
from gigamae.baselines.training import SCHEDULES, schedule_factor
from gigamae.graph.graph import Graph
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


@dataclass(frozen=True)
class Sizes:
    """All that :meth:`Method.build` may know of a graph: a model is loaded without one."""

    num_nodes: int
    num_features: int


@dataclass(frozen=True)
class GraphData:
    """What most methods read in every epoch: the edges and the features, on one device."""

    topology: Topology
    features: FeatureMatrix


@dataclass(kw_only=True, eq=False, repr=False)
class Method(ABC):
    """The settings that all methods share, and what each of them fills in.

    Args:
        epochs: how many steps on the whole graph.
        learning_rate: of Adam.
        weight_decay: of Adam.
        schedule: of the learning rate: constant or cosine.
        clip_norm: largest norm of the gradient; 0 for no clipping.
        patience: stop after so many checks without a better validation score (links) or a better
            smoothed loss; None to run all epochs.
        check_every: epochs between two checks.
        normalise: scale each node's vector to length one, so that inner products are cosines; a
            vector of zeros stays.
        random_state: seed of the weights, and of everything drawn in training.
        device: auto, cpu, cuda or cuda:0.

    Attributes:
        name: the method's word.
        title: how people write it.
        paper: where it is from.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]

    epochs: int = 200
    learning_rate: float = 0.001
    weight_decay: float = 0.0
    schedule: str = "constant"
    clip_norm: float = 0.0
    patience: int | None = None
    check_every: int = 10
    normalise: bool = False
    random_state: int = 0
    device: str = "auto"

    def check(self) -> None:
        """Refuse settings that cannot be; subclasses check their own after ``super().check()``.

        Raises:
            SettingsError: the setting, its value and what is allowed.
        """
        check_counts(self, "epochs", "check_every")
        check_counts(self, "patience", optional=True)
        check_counts(self, "random_state", least=0)
        check_range(self, "learning_rate", "weight_decay", "clip_norm", high=1e3)
        check_choice(self, "schedule", SCHEDULES)
        check_flags(self, "normalise")

    def prepare(self, graph: Graph, device: torch.device) -> Any:
        """What every step and :meth:`embed` read, made once for a graph."""
        return GraphData(Topology.of(graph, device), FeatureMatrix(graph.x, device))

    @abstractmethod
    def build(self, graph: Graph | Sizes) -> nn.Module:
        """What learns. Called with the seed set; may read ``num_nodes`` and ``num_features`` alone."""

    @abstractmethod
    def loss(self, module: Any, data: Any, generator: torch.Generator) -> Tensor:
        """The scalar that one step descends; whatever is random in it comes from ``generator``."""

    @abstractmethod
    def embed(self, module: Any, data: Any) -> Tensor:
        """(N, d), nothing masked or dropped; called in eval mode without gradients."""

    def optimizer(self, module: nn.Module) -> torch.optim.Optimizer:
        """Adam over all parameters; a method with groups of its own makes another."""
        return torch.optim.Adam(module.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay)

    def rate_factor(self, epoch: int) -> float:
        """What the learning rate is multiplied by in an epoch (counted from 1)."""
        return schedule_factor(self.schedule, epoch, self.epochs)

    def after_step(self, module: Any, step: int, total: int) -> None:  # noqa: B027 - most need nothing
        """After step number ``step`` (from 1) of ``total``: moving averages and the like."""
