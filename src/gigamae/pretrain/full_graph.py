"""Full graph: every epoch is one step on the whole graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from gigamae.graph.graph import Graph
from gigamae.model.features import FeatureMatrix
from gigamae.model.objective import concatenated
from gigamae.model.topology import Topology
from gigamae.model.weights import Subset
from gigamae.pretrain.loop import Batch


class FullGraph:
    """One batch, laid out once.

    Args:
        graph: what passes messages.
        targets: the standardised matrix of each target, (N, d_n).
        chosen: the subsets that have a term.
        device: where it all lives.
    """

    def __init__(
        self,
        graph: Graph,
        targets: Sequence[np.ndarray],
        chosen: Sequence[Subset],
        device: torch.device | str = "cpu",
    ) -> None:
        self.topology = Topology.of(graph, device)
        self.features = FeatureMatrix(graph.x, device)
        self.batch = Batch(self.topology, self.features, targets_by_subset(targets, chosen, device))

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        yield self.batch


def targets_by_subset(
    targets: Sequence[np.ndarray], chosen: Sequence[Subset], device: torch.device | str
) -> Mapping[Subset, Tensor]:
    """The concatenation of every subset."""
    tensors = [torch.from_numpy(np.ascontiguousarray(t, dtype=np.float32)).to(device) for t in targets]
    return {s: concatenated(tensors, s) for s in chosen}
