"""A small problem that the tests of this room share."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch

from gigamae.graph.demo import demo_graph
from gigamae.graph.graph import Graph
from gigamae.model.gigamae import GiGaMAEModule
from gigamae.model.objective import ObjectiveOptions
from gigamae.model.weights import resolve_term_weights
from gigamae.settings import Settings

NARROW: dict[str, Any] = {
    "hidden_dim": 16, "out_dim": 8, "heads": 2, "epochs": 4, "dropout": 0.1, "attention_dropout": 0.1,
    "norm_momentum": 0.1, "learning_rate": 0.01,
}  # fmt: skip


@dataclass
class Problem:
    """A graph, two target matrices and their weights; settings for a model that trains in no time."""

    graph: Graph
    matrices: list[np.ndarray]
    weights: dict = field(default_factory=lambda: resolve_term_weights(["structure", "attributes"]))
    options: ObjectiveOptions = field(default_factory=ObjectiveOptions)

    def settings(self, **changes: Any) -> Settings:
        return Settings(**{**NARROW, **changes})

    def module(self, seed: int = 0, **changes: Any) -> GiGaMAEModule:
        dims = [m.shape[1] for m in self.matrices]
        return GiGaMAEModule(self.graph.num_features, dims, self.weights, self.settings(**changes), seed=seed)

    def generator(self, seed: int = 0) -> torch.Generator:
        return torch.Generator().manual_seed(seed)


@pytest.fixture
def problem(rng: np.random.Generator) -> Problem:
    graph = demo_graph(120, seed=0)
    assert graph.y is not None
    matrices = [
        (rng.standard_normal((8, d))[graph.y] + 0.3 * rng.standard_normal((120, d))).astype(np.float32)
        for d in (5, 7)
    ]
    return Problem(graph, matrices)
