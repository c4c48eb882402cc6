"""node2vec: vectors of nodes from biased random walks (Grover and Leskovec, 2016), the structural target."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.targets.base import Modality, Target

log = logging.getLogger(__name__)

_WALKS_AT_A_TIME = 2**22  # places of walks kept: 16 MiB


@dataclass(frozen=True)
class Node2Vec(Target):
    """Vectors whose inner products say which nodes meet on short random walks.

    Args:
        dim: width of a vector.
        walk_length: steps of a walk, which thus has one node more.
        context: how many nodes in a row count as near one another.
        walks_per_node: walks that start at each node in an epoch.
        epochs: passes, each over new walks.
        p: return parameter: above 1 keeps a walk from stepping straight back.
        q: in-out parameter: above 1 keeps a walk near its start, below 1 sends it outward.
        negatives: what random pairs weigh, in numbers of true pairs.
        power: a node is drawn as a negative in proportion to its degree to this power; 0 for all
            nodes alike.
        learning_rate: of Adagrad at the beginning; it falls linearly to a tenth.
        weighted: whether walks follow edge weights, where the graph has them.
        modality: for which node types the target weighs most.

    Walks and vectors are the same for any number of threads. A node without neighbours has no
    walk: its vector is zero, which the standardisation and the loss read as "no vector here".

    Example:
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> Node2Vec(dim=8).fit(graph).shape
        (3, 8)
    """

    name: ClassVar[str] = "node2vec"

    dim: int = 64
    walk_length: int = 20
    context: int = 10
    walks_per_node: int = 10
    epochs: int = 3
    p: float = 1.0
    q: float = 1.0
    negatives: float = 1.0
    power: float = 0.0
    learning_rate: float = 0.05
    weighted: bool = True
    modality: Modality = "structure"

    def __post_init__(self) -> None:
        for word in ("dim", "walk_length", "walks_per_node", "epochs"):
            value = getattr(self, word)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SettingsError(
                    f"{self.name}: {word} must be a whole number of at least 1; got {value!r}."
                )
        if not isinstance(self.context, int) or self.context < 2:
            raise SettingsError(
                f"{self.name}: context must be a whole number of at least 2; got {self.context!r}."
            )
        for word in ("p", "q", "learning_rate"):
            if not 0 < getattr(self, word) < math.inf:
                raise SettingsError(f"{self.name}: {word} must be above 0; got {getattr(self, word)!r}.")
        for word in ("negatives", "power"):
            if not 0 <= getattr(self, word) < math.inf:
                raise SettingsError(f"{self.name}: {word} must be at least 0; got {getattr(self, word)!r}.")

    def fit(self, graph: Graph, *, seed: int = 0) -> np.ndarray:
        """(N, dim) float32; rows of zeros for nodes without neighbours."""
        from gigamae.targets.compiled import Team
        from gigamae.targets.skipgram import BATCH, SkipGram
        from gigamae.targets.walks import random_walks

        walkers = np.flatnonzero(graph.degree > 0)
        if len(walkers) < graph.num_nodes:
            log.info("%s: %d nodes have no neighbours; their vectors are zero.", self.name,
                     graph.num_nodes - len(walkers))  # fmt: skip
        if not len(walkers):
            return np.zeros((graph.num_nodes, self.dim), np.float32)
        frequency = np.where(graph.degree > 0, np.maximum(graph.degree, 1.0) ** self.power, 0.0)
        model = SkipGram(
            graph.num_nodes, self.dim, window=self.context, negatives=self.negatives,
            frequency=frequency, seed=seed,
        )  # fmt: skip
        weights = graph.weights if self.weighted else None
        rng = np.random.default_rng([seed, 1])
        at_a_time = max(_WALKS_AT_A_TIME // (self.walk_length + 1) // BATCH, 1) * BATCH
        total, done = self.epochs * self.walks_per_node * len(walkers), 0
        with Team() as team:
            for _ in range(self.epochs):
                starts = rng.permutation(np.repeat(walkers, self.walks_per_node))
                for low in range(0, len(starts), at_a_time):
                    part = starts[low : low + at_a_time]
                    walks = random_walks(
                        graph.indptr, graph.indices, weights, part, self.walk_length, self.p, self.q,
                        seed=int(rng.integers(2**62)), team=team,
                    )  # fmt: skip
                    begin = self._rate(done / total)
                    done += len(part)
                    model.train(walks, begin, end_rate=self._rate(done / total), team=team)
        model.table[graph.degree == 0] = 0
        return model.table

    def _rate(self, share: float) -> float:
        return self.learning_rate * (1 - 0.9 * share)
