"""Demo: a generated graph on which neither edges nor features tell enough, but both together do.

A degree-corrected block model with words for features. Some classes differ in their edges alone
(they share the words), some in their words alone (they share the edges), so that an embedding of
only one of the two cannot tell all of them apart.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph

#: Each class: its block of edges, its profile of words, and what it differs in from its twin.
CLASSES = (
    (0, 0, "edges 1"), (1, 0, "edges 2"), (2, 1, "edges 3"), (3, 1, "edges 4"),
    (4, 2, "words 1"), (4, 3, "words 2"), (5, 4, "words 3"), (5, 5, "words 4"),
)  # fmt: skip
NUM_WORDS = 400
#: Words that a profile prefers, and the share of a node's words that comes from them.
OWN_WORDS, OWN_SHARE = 40, 0.5
#: Words drawn for a node, on average.
MEAN_WORDS = 14
MEAN_DEGREE = 8
#: Share of the edges that stay within a block.
INSIDE = 0.7
#: Exponent of the power law of expected degrees, and the largest in multiples of the smallest.
EXPONENT, LARGEST = 2.5, 40.0


def demo_graph(num_nodes: int = 3000, seed: int = 0) -> Graph:
    """A graph of eight classes, in pairs that only edges or only words tell apart.

    Args:
        num_nodes: N; at least 16, two a class.
        seed: of everything; the same numbers give the same graph.

    Example:
        >>> demo_graph()
        Graph('demo', nodes=3,000, edges=11,636, features=400 sparse, classes=8)
    """
    if num_nodes < 2 * len(CLASSES):
        raise SettingsError(f"num_nodes={num_nodes} is too few; the demo graph needs {2 * len(CLASSES)}.")
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(num_nodes) % len(CLASSES))
    block, profile = (np.array([c[k] for c in CLASSES])[y] for k in (0, 1))
    return Graph.from_edges(
        _edges(block, rng),
        _words(profile, rng),
        num_nodes=num_nodes,
        y=y,
        feature_names=[f"word {i}" for i in range(NUM_WORDS)],
        class_names=[c[2] for c in CLASSES],
        name="demo",
    )


def _edges(block: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(M, 2) pairs; loops and repetitions among them are dropped later.

    Both ends are drawn in proportion to a node's expected degree, the second one from the first
    one's block with probability ``INSIDE``, from anywhere otherwise.
    """
    n = len(block)
    low, high = 1.0, LARGEST ** (1 - EXPONENT)  # of the inverse of the power law's distribution
    expected = (low - rng.random(n) * (low - high)) ** (1 / (1 - EXPONENT))
    order = np.argsort(block, kind="stable")
    heap = np.concatenate([[0.0], np.cumsum(expected[order])])  # nodes of a block lie side by side
    bounds = heap[np.searchsorted(block[order], np.arange(block.max() + 2))]

    def draw(start: np.ndarray | float, stop: np.ndarray | float) -> np.ndarray:
        place = start + rng.random(count) * (stop - start)
        return order[np.clip(np.searchsorted(heap, place, side="right") - 1, 0, n - 1)]

    count = n * MEAN_DEGREE // 2
    u = draw(0.0, heap[-1])
    inside = rng.random(count) < INSIDE
    v = draw(np.where(inside, bounds[block[u]], 0.0), np.where(inside, bounds[block[u] + 1], heap[-1]))
    return np.stack([u, v], axis=1)


def _words(profile: np.ndarray, rng: np.random.Generator) -> sp.csr_matrix:
    """(N, NUM_WORDS) float32 CSR of zeros and ones: which words a node has.

    A node draws its words from what is common to all (a few words are frequent, most are rare), or
    from the words of its profile.
    """
    n = len(profile)
    common = 1.0 / np.arange(2, NUM_WORDS + 2)
    common = np.cumsum(rng.permutation(common / common.sum()))
    own = np.stack([rng.choice(NUM_WORDS, OWN_WORDS, replace=False) for _ in range(profile.max() + 1)])
    length = 1 + rng.poisson(MEAN_WORDS - 1, n)
    row = np.repeat(np.arange(n), length)
    word = np.minimum(np.searchsorted(common, rng.random(len(row))), NUM_WORDS - 1)
    from_own = rng.random(len(row)) < OWN_SHARE
    special = own[profile[row], rng.integers(0, OWN_WORDS, len(row))]
    word = np.where(from_own, special, word)
    x = sp.csr_matrix((np.ones(len(row), np.float32), (row, word)), shape=(n, NUM_WORDS))
    x.data[:] = 1.0  # a word drawn twice is there once
    return x
