"""Graphs and features that are generated: what the benchmarks run on without downloaded data."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gigamae.graph.graph import Graph

#: Nodes, edges, binary features and classes of the graph of co-bought computers.
COMPUTERS = (13_752, 245_861, 767, 10)


def attributed_graph(nodes: int, edges: int, features: int, classes: int, seed: int = 0) -> Graph:
    """Communities, degrees with a heavy tail, binary features (about a third ones) that hint at the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=nodes)
    pull = rng.pareto(1.6, nodes) + 0.3  # how often a node is somebody's neighbour
    pull = np.minimum(pull, 300 * pull.mean())
    order = np.argsort(y, kind="stable")
    cumulated = np.cumsum(pull[order])
    bounds = np.concatenate([[0], np.cumsum(np.bincount(y, minlength=classes))])
    reach = np.concatenate([[0.0], cumulated])[bounds]

    def drawn(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        place = np.searchsorted(cumulated, low + rng.random(len(low)) * (high - low))
        return order[np.minimum(place, nodes - 1)]

    pairs = np.empty((0, 2), dtype=np.int64)
    while len(pairs) < edges:
        m = int(1.4 * (edges - len(pairs))) + 64
        a = drawn(np.zeros(m), np.full(m, cumulated[-1]))
        inside = rng.random(m) < 0.75
        b = drawn(np.where(inside, reach[y[a]], 0.0), np.where(inside, reach[y[a] + 1], cumulated[-1]))
        new = np.stack([np.minimum(a, b), np.maximum(a, b)], axis=1)[a != b]
        pairs = np.unique(np.concatenate([pairs, new]), axis=0)
    pairs = pairs[rng.permutation(len(pairs))[:edges]]
    likely = np.clip(rng.beta(0.6, 1.2, (classes, features)), 0.02, 0.95).astype(np.float32)
    x = (rng.random((nodes, features), dtype=np.float32) < likely[y]).astype(np.float32)
    return Graph.from_edges(pairs, sp.csr_matrix(x), num_nodes=nodes, y=y, name="made up")


def word_counts(documents: int, words: int, a_document: int = 33, seed: int = 0) -> sp.csr_matrix:
    """Sparse rows of a few topics each and words with a heavy tail, as bags of words are."""
    rng = np.random.default_rng(seed)
    topics = 2 * int(words**0.5)
    per_topic = words // 8
    favourite = rng.integers(words, size=(topics, per_topic))
    weight = 1.0 / np.arange(1, topics + 1) ** 0.5
    topic = rng.choice(topics, size=(documents, 2), p=weight / weight.sum())
    pick = topic[np.arange(documents)[:, None], rng.integers(2, size=(documents, a_document))]
    place = (per_topic * rng.random((documents, a_document)) ** 3).astype(np.int64)
    rows = np.repeat(np.arange(documents), a_document)
    values = np.ones(rows.size, np.float32)
    x = sp.csr_matrix((values, (rows, favourite[pick, place].ravel())), shape=(documents, words))
    x.data[:] = 1.0
    return x
