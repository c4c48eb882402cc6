"""DeepWalk: vectors from random walks alone (Perozzi et al., "DeepWalk", KDD 2014).

Walks of uniform steps start at every node; a node's vector is moved so that it predicts the nodes
within a window of it on the walks (skip-gram):

    max  sum over walks, positions i and offsets o in [-w, w]  log p(v_(i+o) | v_i)

Features are not looked at, so nodes that were not there at training have no vector: DeepWalk embeds
the one graph it was fitted on.

What was unclear, and what is done here:

* The paper estimates p by a hierarchical softmax; here it is by negative samples, which word2vec has
  shown to do as well, with the walks and the skip-gram of :mod:`gigamae.targets.deepwalk`.
* The paper's gamma (walks a node) is ``walks_per_node``; its passes over them are ``epochs``, each over
  new walks.
* Validation scores pick no epoch: the learning rate falls over a planned length, so an earlier state is
  not a shorter run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import Self

from gigamae.baselines.base import Baseline, GraphData, Sizes
from gigamae.baselines.checks import check_counts
from gigamae.errors import InputError, SettingsError
from gigamae.estimator import as_graph
from gigamae.graph.graph import Graph
from gigamae.pretrain.loop import History

if TYPE_CHECKING:
    from gigamae.pretrain.progress import Progress


class Table(nn.Module):
    """One vector a node, which nothing moves any more."""

    vectors: Tensor

    def __init__(self, num_nodes: int, dim: int) -> None:
        super().__init__()
        self.register_buffer("vectors", torch.zeros(num_nodes, dim))


@dataclass(kw_only=True, eq=False, repr=False)
class DeepWalk(Baseline):
    """DeepWalk.

    Args:
        dim: width of a vector.
        walk_length: steps of a walk.
        context: how many nodes in a row count as near one another.
        walks_per_node: walks that start at each node in an epoch.
        epochs: passes, each over new walks.
        learning_rate: of Adagrad at the beginning; it falls linearly to a tenth.

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> DeepWalk(dim=8, epochs=1).fit_transform(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "deepwalk"
    title: ClassVar[str] = "DeepWalk"
    paper: ClassVar[str] = "Perozzi et al., KDD 2014"

    dim: int = 128
    walk_length: int = 40
    context: int = 10
    walks_per_node: int = 10
    epochs: int = 3
    learning_rate: float = 0.05

    def check(self) -> None:
        super().check()
        check_counts(self, "dim", "walk_length", "walks_per_node")
        check_counts(self, "context", least=2)
        unused = {"weight_decay": 0, "schedule": "constant", "clip_norm": 0, "patience": None}
        for word, value in unused.items():
            if getattr(self, word) != value:
                raise SettingsError(
                    f"DeepWalk has no {word}: its learning rate falls by itself, and all epochs run."
                )

    def build(self, graph: Graph | Sizes) -> Table:
        return Table(graph.num_nodes, self.dim)

    def fit(
        self,
        graph: Any,
        y: Any = None,
        *,
        validate: Callable[[np.ndarray], float] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Walk, and learn the vectors; ``y`` and ``validate`` are not looked at."""
        from gigamae.pretrain.progress import Silent
        from gigamae.targets.deepwalk import DeepWalk as Vectors

        graph = as_graph(graph)
        self.check()
        progress = progress or Silent()
        progress.stage("walking")
        start = time.perf_counter()
        recipe = Vectors(
            dim=self.dim, walk_length=self.walk_length, context=self.context, epochs=self.epochs,
            walks_per_node=self.walks_per_node, learning_rate=self.learning_rate,
        )  # fmt: skip
        module = self.build(graph)
        module.vectors.copy_(torch.from_numpy(recipe.fit(graph, seed=int(self.random_state))))
        self.timings_ = {"training": time.perf_counter() - start}
        self.history_ = History(seconds=self.timings_["training"])
        self._remember(module, graph, self.dim)
        progress.done()
        return self

    def transform(self, graph: Any) -> np.ndarray:
        """The vectors, (N, dim) float32, of the graph fitted on.

        Raises:
            InputError: another graph.
        """
        self._check_fitted()
        graph = as_graph(graph)
        if graph.fingerprint() != self.graph_fingerprint_:
            raise InputError(
                f"{graph.name}: DeepWalk embeds only the graph it was fitted on, for it reads no features. "
                "Fit it on this graph, or take a method that reads features."
            )
        z: np.ndarray = self._as_asked(self._embedded(self.module_, None).copy(), graph.node_ids)
        return z

    def loss(self, module: Table, data: GraphData, generator: torch.Generator) -> Tensor:
        """Nothing: the walks' kernel has moved the vectors already."""
        return module.vectors.new_zeros(())

    def embed(self, module: Table, data: GraphData) -> Tensor:
        return module.vectors
