"""GAE: vectors whose inner products say which nodes are joined (Kipf and Welling, 2016)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gigamae.errors import SettingsError, TrainingError
from gigamae.graph.graph import Graph
from gigamae.targets.base import Modality, Target


@dataclass(frozen=True)
class GAE(Target):
    """A two-layer GCN autoencoder with the inner-product decoder, trained to tell edges from others.

    The loss of an epoch is taken on every edge and as many pairs without one, drawn anew; the
    original weighs all N^2 pairs, which is the same in expectation and does not fit large graphs.

    Args:
        dim: width of a vector.
        hidden: width between the two layers.
        epochs: steps on the whole graph.
        learning_rate: of Adam.
        modality: for which node types the target weighs most; the vectors carry edges and features.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> GAE(dim=8, epochs=5).fit(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "gae"

    dim: int = 64
    hidden: int = 128
    epochs: int = 200
    learning_rate: float = 0.01
    modality: Modality = "both"

    def __post_init__(self) -> None:
        for word in ("dim", "hidden", "epochs"):
            value = getattr(self, word)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SettingsError(f"gae: {word} must be a whole number of at least 1; got {value!r}.")
        if not 0 < self.learning_rate < math.inf:
            raise SettingsError(f"gae: learning_rate must be above 0; got {self.learning_rate!r}.")

    def fit(self, graph: Graph, *, seed: int = 0) -> np.ndarray:
        """(N, dim) float32.

        Raises:
            TrainingError: the loss is not a finite number.
        """
        import torch

        from gigamae.model.autoencoder import GraphAutoencoder
        from gigamae.model.convolutions import Step
        from gigamae.model.edges import NonEdges, edge_pairs, inner_products, link_loss
        from gigamae.model.features import FeatureMatrix
        from gigamae.model.topology import Topology

        topology, x = Topology.of(graph), FeatureMatrix(graph.x)
        edges, others, step = edge_pairs(topology), NonEdges(topology), Step(topology)
        generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = GraphAutoencoder(graph.num_features, self.hidden, self.dim)
        optimizer = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        for epoch in range(1, self.epochs + 1):
            optimizer.zero_grad(set_to_none=True)
            z = model(x, step)
            pairs = others.draw(edges.shape[1], generator)
            loss = link_loss(inner_products(z, edges), inner_products(z, pairs))
            if not torch.isfinite(loss):
                raise TrainingError(
                    f"gae: the loss is not a finite number in epoch {epoch}. Lower "
                    f"learning_rate={self.learning_rate:g} (a third of it, say)."
                )
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        with torch.no_grad():
            vectors: np.ndarray = model(x, step).numpy()
        return vectors
