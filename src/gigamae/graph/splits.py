"""Splits: edges into train / validation / test before anything else sees them, nodes at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gigamae.errors import InputError, SettingsError
from gigamae.graph.graph import Graph


@dataclass(frozen=True)
class LinkSplit:
    """A graph that knows only its training edges, and the pairs it is judged on.

    Attributes:
        train: the same nodes with the training edges alone; features that were made from the
            edges are made anew from these.
        val_pos, test_pos: (K, 2) edges held out, u < v.
        val_neg, test_neg: (K, 2) as many pairs without an edge in the whole graph, u < v; no
            pair is in both.
    """

    train: Graph
    val_pos: np.ndarray
    val_neg: np.ndarray
    test_pos: np.ndarray
    test_neg: np.ndarray


class NodeSplit(NamedTuple):
    """Node numbers to train on and to test on, each sorted."""

    train: np.ndarray
    test: np.ndarray


def split_links(graph: Graph, *, val: float = 0.05, test: float = 0.10, seed: int = 0) -> LinkSplit:
    """Hold out shares of the undirected edges and draw as many true non-edges.

    The split depends on the edges and the seed alone, so every method gets the same one.

    Raises:
        SettingsError: shares that are negative or leave nothing to train on.
        InputError: a graph with too few edges to hold any out, or so dense that it has not
            enough pairs without an edge.

    Example:
        >>> ring = Graph.from_edges([(i, (i + 1) % 40) for i in range(40)])
        >>> split = split_links(ring, seed=0)
        >>> split.train.num_edges, len(split.val_pos), len(split.test_neg)
        (34, 2, 4)
    """
    if not (val >= 0 and test >= 0 and 0 < val + test < 1):
        raise SettingsError(
            f"val={val} and test={test}: give shares of the edges, not negative, whose sum is "
            "more than 0 and less than 1."
        )
    edges, weights = graph.edges, graph.edge_weights
    num_val, num_test = int(len(edges) * val), int(len(edges) * test)
    if (val > 0 and num_val == 0) or (test > 0 and num_test == 0):
        raise InputError(
            f"{graph.name}: {len(edges)} edges are too few to hold out {val:.0%} for validation "
            f"and {test:.0%} for testing; give a larger graph or larger shares."
        )
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(edges))
    in_val, in_test = order[:num_val], order[num_val : num_val + num_test]
    kept = np.sort(order[num_val + num_test :])
    negatives = sample_non_edges(graph, num_val + num_test, rng)
    return LinkSplit(
        train=graph.with_edges(edges[kept], None if weights is None else weights[kept]),
        val_pos=edges[in_val],
        val_neg=negatives[:num_val],
        test_pos=edges[in_test],
        test_neg=negatives[num_val:],
    )


def sample_non_edges(graph: Graph, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, 2) different pairs u < v that are not edges, every such pair equally likely.

    Raises:
        InputError: the graph has fewer pairs without an edge than asked for.
    """
    n = graph.num_nodes
    taken = graph.edges @ np.array([n, 1])  # a pair's key is u * n + v; these are sorted
    free = n * (n - 1) // 2 - len(taken)
    if free < count:
        raise InputError(
            f"{graph.name}: {count} pairs of nodes without an edge are needed as negatives, but "
            f"this dense graph has only {free}; hold out a smaller share of its edges."
        )
    if free < 4 * count or n < 64:  # few are free (then there are few pairs): list them all
        u, v = np.triu_indices(n, k=1)
        found = np.setdiff1d(u * n + v, taken, assume_unique=True)
        found = rng.permutation(found)[:count]
    else:
        found = np.empty(0, dtype=np.int64)
        while len(found) < count:
            pairs = rng.integers(0, n, size=(2 * (count - len(found)) + 32, 2))
            pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
            keys = pairs @ np.array([n, 1])
            if len(taken):
                place = np.minimum(np.searchsorted(taken, keys), len(taken) - 1)
                keys = keys[taken[place] != keys]
            found = np.concatenate([found, keys])
            first = np.unique(found, return_index=True)[1]
            found = found[np.sort(first)]  # in the order drawn: cutting a sorted list is not fair
        found = found[:count]
    return np.stack([found // n, found % n], axis=1)


def split_nodes(
    num_nodes: int, train_share: float = 0.1, *, seed: int = 0, y: np.ndarray | None = None
) -> NodeSplit:
    """A random share of the nodes to train a classifier on, all others to test it.

    With labels ``y``, nodes whose label is unknown (-1) are in neither part.

    Example:
        >>> train, test = split_nodes(10, 0.2, seed=0)
        >>> len(train), len(test)
        (2, 8)
    """
    if not 0 < train_share < 1:
        raise SettingsError(f"train_share={train_share}: give a number between 0 and 1.")
    nodes = np.arange(num_nodes)
    if y is not None:
        if len(y) != num_nodes:
            raise InputError(f"{len(y)} labels for {num_nodes} nodes; give one label a node.")
        nodes = nodes[np.asarray(y) >= 0]
    if len(nodes) < 2:
        raise InputError(f"{len(nodes)} labelled nodes cannot be split; at least 2 are needed.")
    count = min(max(int(len(nodes) * train_share), 1), len(nodes) - 1)
    order = np.random.default_rng(seed).permutation(nodes)
    return NodeSplit(train=np.sort(order[:count]), test=np.sort(order[count:]))
