"""Compiled loops over neighbours. It imports numba, so import it where it is used, not before."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def core_numbers(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """(N,) the largest k such that the node lies in a subgraph of minimum degree k.

    Nodes are taken away in order of their remaining degree, kept sorted by buckets: O(N + M)
    (Batagelj and Zaversnik, 2003).
    """
    n = len(indptr) - 1
    core = indptr[1:] - indptr[:-1]
    top = 0
    for v in range(n):
        top = max(top, core[v])
    start = np.zeros(top + 2, np.int64)  # start[d]: where the nodes of degree d begin in ``order``
    for v in range(n):
        start[core[v] + 1] += 1
    for d in range(top + 1):
        start[d + 1] += start[d]
    order, place, fill = np.empty(n, np.int64), np.empty(n, np.int64), start.copy()
    for v in range(n):
        place[v] = fill[core[v]]
        order[place[v]] = v
        fill[core[v]] += 1
    for i in range(n):
        v = order[i]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if core[u] > core[v]:
                # u moves to the front of its bucket and the bucket's front moves past it
                front = max(start[core[u]], i + 1)
                w = order[front]
                order[front], order[place[u]] = u, w
                place[w], place[u] = place[u], front
                start[core[u]] = front + 1
                core[u] -= 1
    return core


@njit(cache=True)
def triangle_counts(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """(N,) the triangles through each node: each found once, from its lowest corner.

    "Lower" is the smaller degree (node number on a tie): a node has at most sqrt(2M) higher
    neighbours, which bounds the work by O(M^1.5) whatever hubs there are.
    """
    n = len(indptr) - 1
    higher_ptr = np.zeros(n + 1, np.int64)
    higher = np.empty(len(indices) // 2, np.int64)
    filled = 0
    for v in range(n):
        degree_v = indptr[v + 1] - indptr[v]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            degree_u = indptr[u + 1] - indptr[u]
            if degree_u > degree_v or (degree_u == degree_v and u > v):
                higher[filled] = u
                filled += 1
        higher_ptr[v + 1] = filled
    count = np.zeros(n, np.int64)
    mark = np.full(n, -1, np.int64)
    for v in range(n):
        for e in range(higher_ptr[v], higher_ptr[v + 1]):
            mark[higher[e]] = v
        for e in range(higher_ptr[v], higher_ptr[v + 1]):
            u = higher[e]
            for f in range(higher_ptr[u], higher_ptr[u + 1]):
                w = higher[f]
                if mark[w] == v:
                    count[v] += 1
                    count[u] += 1
                    count[w] += 1
    return count
