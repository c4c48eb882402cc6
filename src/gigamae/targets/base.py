"""What every reconstruction target is: a recipe that turns a graph into one fixed matrix."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from gigamae.graph.graph import Graph

Modality = Literal["structure", "attributes", "both"]


class Target(ABC):
    """A recipe for T_n in the paper: computed once before training, then fixed.

    Subclasses are dataclasses of their settings; :meth:`fit` is pure: the same graph, settings
    and seed give the same matrix, and nothing but the graph is read (no labels).

    Attributes:
        name: the word by which Python, TOML and the command line call it.
        modality: what the matrix carries; it decides the default term weights by node type.
    """

    name: ClassVar[str]
    modality: Modality

    @abstractmethod
    def fit(self, graph: Graph, *, seed: int = 0) -> np.ndarray:
        """The (N, d) float32 matrix of this target, finite everywhere."""

    def params(self) -> dict[str, Any]:
        """The settings, as plain values that JSON and TOML can hold."""
        if not dataclasses.is_dataclass(self):
            return {}
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
