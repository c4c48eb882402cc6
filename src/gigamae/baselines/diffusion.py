"""Diffusion: personalised PageRank kept sparse, the second view of MVGRL.

S = alpha (I - (1 - alpha) A~)^-1 with A~ = D^-1/2 (A + I) D^-1/2 is dense for any connected graph.
Its entries fall off quickly with distance, so what matters of each row is found by pushing:
probability that starts at a node is moved along the edges until no node has more than a small
remainder for its degree (Andersen, Chung and Lang, 2006). What a row costs does not depend on the
size of the graph. Small entries, and all but the largest of a row, are let go.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gigamae.graph.graph import Graph
from gigamae.targets.compiled import Team, kernel, share

#: No kept entry is off by more than this share of the threshold.
FINER = 0.1


def sparse_ppr(
    graph: Graph, alpha: float = 0.2, threshold: float = 1e-3, most: int = 64, *, team: Team | None = None
) -> sp.csr_matrix:
    """(N, N) float32, symmetric: the entries of S that reach ``threshold``, the largest of each row.

    Pushing from s until every remainder is below ``e`` times its node's degree leaves an error in
    S[s, t] of at most e sqrt(d_s d_t). With e = FINER threshold / d_s, the row of whichever end
    has the higher degree is good to FINER threshold; S is symmetric and pushing never overshoots,
    so the larger of the two estimates is taken.

    Args:
        graph: its edge weights count.
        alpha: chance of jumping back to the start, above 0.
        threshold: smaller entries are dropped; above 0.
        most: how many entries a row keeps; a row has more where others keep theirs with it.
        team: the threads to use; by default one for each core. The result does not depend on it.

    Example:
        >>> print(sparse_ppr(Graph.from_edges([[0, 1]])).toarray().round(3))
        [[0.6 0.4]
         [0.4 0.6]]
    """
    n = graph.num_nodes
    most = min(most, n)
    weights = np.ones(len(graph.indices), np.float32) if graph.weights is None else graph.weights
    degree = np.asarray(graph.adjacency().sum(axis=1), dtype=np.float64).ravel() + 1.0
    cols, values = np.empty((n, most), np.int64), np.zeros((n, most))
    counts = np.zeros(n, np.int64)

    def work(member: int, members: int) -> None:
        first, last = share(n, member, members)
        _push_rows(
            graph.indptr, graph.indices, weights, degree, alpha, threshold, first, last, cols, values, counts
        )

    if team is not None:
        team.run(work)
    else:
        with Team() as own:
            own.run(work)
    kept = np.arange(most) < counts[:, None]
    rows = np.repeat(np.arange(n), counts)
    found = sp.csr_matrix((values[kept].astype(np.float32), (rows, cols[kept])), shape=(n, n))
    return sp.csr_matrix(found.maximum(found.T))


@kernel
def _push_rows(  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    indptr, indices, weights, degree, alpha, threshold, first, last, cols, values, counts
):
    """Rows first..last of S into ``cols`` and ``values``, ``counts`` of them in each row."""
    n, most = cols.shape
    settled, remainder, found = np.zeros(n), np.zeros(n), np.empty(n)
    queue, waiting = np.empty(n, np.int64), np.zeros(n, np.bool_)
    touched, seen = np.empty(n, np.int64), np.zeros(n, np.bool_)
    for s in range(first, last):
        precision = FINER * threshold / degree[s]
        head, length, reached = 0, 1, 1
        queue[0], touched[0] = s, s
        waiting[s] = seen[s] = True
        remainder[s] = 1.0
        while length > 0:
            u = queue[head]
            head = head + 1 if head + 1 < n else 0
            length -= 1
            waiting[u] = False
            moved = remainder[u]
            settled[u] += alpha * moved
            onward = (1.0 - alpha) * moved / degree[u]
            remainder[u] = onward  # along the self-loop
            for e in range(indptr[u] - 1, indptr[u + 1]):
                v = u
                if e >= indptr[u]:
                    v = indices[e]
                    remainder[v] += onward * weights[e]
                    if not seen[v]:
                        seen[v] = True
                        touched[reached] = v
                        reached += 1
                if not waiting[v] and remainder[v] >= precision * degree[v]:
                    waiting[v] = True
                    place = head + length
                    queue[place if place < n else place - n] = v
                    length += 1
        large = 0
        for k in range(reached):  # from the walk's row to the symmetric one
            t = touched[k]
            value = settled[t] * np.sqrt(degree[s] / degree[t])
            settled[t] = remainder[t] = 0.0
            seen[t] = False
            if value >= threshold:
                touched[large] = t
                found[large] = value
                large += 1
        counts[s] = min(large, most)
        if large > most:
            order = np.argsort(-found[:large], kind="mergesort")
            for k in range(most):
                cols[s, k], values[s, k] = touched[order[k]], found[order[k]]
        else:
            cols[s, :large], values[s, :large] = touched[:large], found[:large]
