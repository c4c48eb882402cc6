"""Partition: cut a graph into parts of nearly equal size with few edges between them.

Two passes, both O(M log N) at most. First each part grows from one node by taking, time and again,
the neighbour that has the largest share of its edges inside; what is left over when the last part
grows may lie scattered. Then nodes move to the part in which most of their neighbours are, as long
as sizes stay within bounds, for a few rounds.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from gigamae.graph.graph import Graph
from gigamae.targets.compiled import kernel

#: How far a part's size may lie from N / parts, as a share of it.
SLACK = 0.1
#: Rounds of moving nodes; few move after these.
ROUNDS = 8


def partition(graph: Graph, parts: int, *, seed: int = 0) -> np.ndarray:
    """(N,) int64 the part of each node, 0..parts-1; no part is empty.

    The same graph and seed give the same parts. Weights of edges are not looked at.

    Args:
        graph: what is cut.
        parts: how many; at most one a node is made.
        seed: of the order in which nodes are tried.

    Example:
        >>> two = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])
        >>> label = partition(two, 2)
        >>> bool(label[0] == label[1] == label[2] != label[3] == label[4] == label[5])
        True
    """
    n = graph.num_nodes
    parts = max(1, min(parts, n))
    order = np.random.default_rng(seed).permutation(n)
    sizes = np.diff(np.arange(parts + 1, dtype=np.int64) * n // parts)
    label = _grow(graph.indptr, graph.indices, order, sizes)
    low = max(1, int(np.floor((1 - SLACK) * n / parts)))
    high = int(np.ceil((1 + SLACK) * n / parts))
    _refine(graph.indptr, graph.indices, order, label, parts, low, high, ROUNDS)
    return label


def cut_edges(graph: Graph, label: np.ndarray) -> int:
    """How many undirected edges run between two parts."""
    return int((label[graph.rows] != label[graph.indices]).sum()) // 2


@kernel
def _grow(indptr: np.ndarray, indices: np.ndarray, order: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(N,) parts of exactly the given sizes, each grown from the first free node of ``order``."""
    n = len(indptr) - 1
    label = np.full(n, -1, np.int64)
    inside = np.zeros(n, np.int64)  # edges of a free node into the part that grows
    since = np.full(n, -1, np.int64)  # ... which is this one; older counts are void
    at = 0
    for part in range(len(sizes)):
        heap = [(0.0, np.int64(-1))]
        heap.pop()
        taken = 0
        while taken < sizes[part]:
            if len(heap) == 0:  # a new component, or the first node
                while label[order[at]] >= 0:
                    at += 1
                v = order[at]
            else:
                v = heappop(heap)[1]
                if label[v] >= 0:
                    continue  # an older entry of a node that has been taken
            label[v] = part
            taken += 1
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if label[u] < 0:
                    if since[u] != part:
                        since[u], inside[u] = part, 0
                    inside[u] += 1
                    heappush(heap, (-inside[u] / (indptr[u + 1] - indptr[u]), u))
    return label


@kernel
def _refine(
    indptr: np.ndarray,
    indices: np.ndarray,
    order: np.ndarray,
    label: np.ndarray,
    parts: int,
    low: int,
    high: int,
    rounds: int,
) -> None:
    """Move nodes, in place, to where most of their neighbours are; sizes stay within low..high."""
    size = np.zeros(parts, np.int64)
    for v in range(len(label)):
        size[label[v]] += 1
    links = np.zeros(parts, np.int64)  # edges of the node at hand into each part
    for _ in range(rounds):
        moved = 0
        for v in order:
            home = label[v]
            if size[home] <= low:
                continue
            start, stop = indptr[v], indptr[v + 1]
            for e in range(start, stop):
                links[label[indices[e]]] += 1
            best = home
            for e in range(start, stop):
                there = label[indices[e]]
                if links[there] > links[best] and size[there] < high:
                    best = there
            for e in range(start, stop):
                links[label[indices[e]]] = 0
            if best != home:
                label[v] = best
                size[home] -= 1
                size[best] += 1
                moved += 1
        if moved == 0:
            break
