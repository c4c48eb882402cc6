"""Clusters: every step sees a few parts of the graph, so that memory does not grow with all of it.

The graph is cut once into parts with few edges between them. An epoch takes the parts in a new
order and joins a few of them for each step: the edges between the joined ones are back, and which
those are changes from epoch to epoch. Features and targets of the other nodes are not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from gigamae.graph.graph import Graph
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology
from gigamae.model.weights import Subset
from gigamae.pretrain.full_graph import targets_by_subset
from gigamae.pretrain.loop import Batch
from gigamae.pretrain.partition import partition


class Clusters:
    """Batches of a few parts each, made when they are asked for and kept no longer.

    Args:
        graph: the whole of it.
        targets: the standardised matrix of each target, (N, d_n).
        chosen: the subsets that have a term.
        device: where a batch lives; the graph and the targets stay where they are.
        parts: how many parts are cut, at most one a node.
        parts_a_step: how many of them are joined for a step.
        seed: of the cut.

    Example:
        >>> ring = Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> batches = Clusters(ring, [np.eye(12)], [(0,)], parts=4, parts_a_step=2)
        >>> [batch.topology.num_nodes for batch in batches.epoch(torch.Generator())]
        [6, 6]
    """

    def __init__(
        self,
        graph: Graph,
        targets: Sequence[np.ndarray],
        chosen: Sequence[Subset],
        device: torch.device | str = "cpu",
        *,
        parts: int,
        parts_a_step: int,
        seed: int = 0,
    ) -> None:
        self.graph, self.targets, self.chosen, self.device = graph, targets, chosen, device
        label = partition(graph, parts, seed=seed)
        order = np.argsort(label, kind="stable")
        self.parts = np.split(order, np.cumsum(np.bincount(label))[:-1])  # ascending node numbers
        self.parts_a_step = parts_a_step

    def __len__(self) -> int:
        """Steps of an epoch."""
        return -(-len(self.parts) // self.parts_a_step)

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        order = torch.randperm(len(self.parts), generator=generator, device=generator.device).tolist()
        for start in range(0, len(order), self.parts_a_step):
            joined = [self.parts[part] for part in order[start : start + self.parts_a_step]]
            yield self.batch(np.sort(np.concatenate(joined)))

    def batch(self, nodes: np.ndarray) -> Batch:
        """What a step on ``nodes`` (ascending) sees."""
        inside = induced(self.graph, nodes)
        return Batch(
            Topology.of(inside, self.device),
            FeatureMatrix(inside.x, self.device),
            targets_by_subset([t[nodes] for t in self.targets], self.chosen, self.device),
        )


def induced(graph: Graph, nodes: np.ndarray) -> Graph:
    """The graph of ``nodes`` (ascending) and the edges between them, without labels and ids."""
    degree = graph.degree[nodes]
    inside = np.full(graph.num_nodes, -1, dtype=np.int64)
    inside[nodes] = np.arange(len(nodes))
    ends = np.cumsum(degree)
    # the places in graph.indices of all entries of these rows, row after row
    place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(graph.indptr[nodes] - (ends - degree), degree)
    column = inside[graph.indices[place]]
    kept = column >= 0
    row = np.repeat(np.arange(len(nodes)), degree)[kept]
    indptr = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=len(nodes)), out=indptr[1:])
    return replace(
        graph,
        indptr=indptr,
        indices=column[kept],
        x=graph.x[nodes],
        weights=None if graph.weights is None else graph.weights[place[kept]],
        y=None,
        node_ids=None,
    )
