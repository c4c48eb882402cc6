"""Edges: how well scores of node pairs tell edges from pairs without one.

Shared by what reconstructs edges: the GAE target, and the baselines GAE, VGAE, S2GAE and MaskGAE.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from gigamae.model.topology import Topology

#: Below this share of free pairs they are listed; rejection would throw most draws away.
LIST_BELOW = 0.2


def edge_pairs(topology: Topology, chosen: Tensor | None = None) -> Tensor:
    """(2, M) each undirected edge once, u < v, in the order of their numbers.

    Args:
        topology: the graph.
        chosen: (M,) bool; given, only those.
    """
    upper = topology.rows < topology.cols
    pairs = torch.stack([topology.rows[upper], topology.cols[upper]])
    return pairs if chosen is None else pairs[:, chosen]


class NonEdges:
    """Pairs of different nodes without an edge between them, drawn evenly and with replacement.

    Example:
        >>> from gigamae.graph.graph import Graph
        >>> path = Topology.of(Graph.from_edges([[0, 1], [1, 2]]))
        >>> sorted(set(NonEdges(path).draw(50, torch.Generator()).T.flatten().tolist()))
        [0, 2]
    """

    def __init__(self, topology: Topology) -> None:
        n = self._n = topology.num_nodes
        self._taken = topology.rows * n + topology.cols  # sorted, both directions
        ordered = n * (n - 1)
        self.share = (ordered - len(self._taken)) / ordered if ordered else 0.0
        self._free: Tensor | None = None
        if 0 < self.share < LIST_BELOW:
            free = torch.ones(n * n, dtype=torch.bool, device=topology.device)
            free[self._taken] = False
            free[torch.arange(n, device=topology.device) * (n + 1)] = False
            self._free = free.nonzero().squeeze(1)

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """(2, count) pairs; (2, 0) of a graph in which every pair is an edge."""
        device, n = self._taken.device, self._n
        if self.share == 0 or count == 0:
            return torch.empty((2, 0), dtype=torch.int64, device=device)
        if self._free is not None:
            at = torch.randint(len(self._free), (count,), generator=generator, device=device)
            keys = self._free[at]
            return torch.stack([keys // n, keys % n])
        found = torch.empty(0, dtype=torch.int64, device=device)
        while len(found) < count:
            more = int((count - len(found)) / self.share * 1.05) + 16
            u = torch.randint(n, (more,), generator=generator, device=device)
            v = torch.randint(n - 1, (more,), generator=generator, device=device)
            keys = u * n + v + (v >= u)
            if len(self._taken):
                place = torch.searchsorted(self._taken, keys).clamp_(max=len(self._taken) - 1)
                keys = keys[self._taken[place] != keys]
            found = torch.cat([found, keys])
        found = found[:count]
        return torch.stack([found // n, found % n])


def inner_products(z: Tensor, pairs: Tensor) -> Tensor:
    """(K,) z_u . z_v of (2, K) pairs."""
    return (rows_at(z, pairs[0]) * rows_at(z, pairs[1])).sum(dim=1)


def rows_at(z: Tensor, index: Tensor) -> Tensor:
    """z[index], whose gradient is summed in a fixed order by any number of threads."""
    return functional.embedding(index, z)


def link_loss(positive: Tensor, negative: Tensor) -> Tensor:
    """- mean log s(positive) - mean log(1 - s(negative)), s the sigmoid; an empty side counts 0.

    Example:
        >>> round(link_loss(torch.zeros(3), torch.zeros(3)).item(), 4)  # two times log 2
        1.3863
    """
    edges = -functional.logsigmoid(positive).sum() / max(len(positive), 1)
    others = -functional.logsigmoid(-negative).sum() / max(len(negative), 1)
    return edges + others
