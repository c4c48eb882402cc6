"""Alignment: the features of another graph, put in the order a model was trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.graph import Graph
from gigamae.graph.ids import some


def check_features(
    graph: Graph, feature_names: Sequence[str] | None, num_features: int
) -> None:
    """Refuse a graph that lacks features the model was trained with, or has others.

    Columns are compared by name where both sides have names, in any order; else by number.

    Raises:
        InputError: columns missing or too many; the message lists them.
    """
    ours, theirs = graph.feature_names, feature_names
    if ours is not None and theirs is not None:
        missing = [name for name in theirs if name not in set(ours)]
        extra = [name for name in ours if name not in set(theirs)]
        if missing or extra:
            told = [f"missing: {some(np.array(missing))}"] if missing else []
            told += [f"unknown to the model: {some(np.array(extra))}"] if extra else []
            raise InputError(
                f"{graph.name}: its feature columns are not those of the model's graph; "
                f"{'; '.join(told)}. {_remedy(graph)}"
            )
    elif graph.num_features != num_features:
        raise InputError(
            f"{graph.name}: {graph.num_features:,} features a node, but the model was trained "
            f"with {num_features:,}. {_remedy(graph)}"
        )


def align_features(
    graph: Graph, feature_names: Sequence[str] | None, num_features: int
) -> Graph:
    """The graph with its columns in the order of ``feature_names``, after :func:`check_features`.

    Example:
        >>> g = Graph.from_edges([(0, 1)], np.eye(2), feature_names=["b", "a"])
        >>> align_features(g, ["a", "b"], 2).x
        array([[0., 1.],
               [1., 0.]], dtype=float32)
    """
    check_features(graph, feature_names, num_features)
    ours, theirs = graph.feature_names, feature_names
    if ours is None or theirs is None or ours == tuple(theirs):
        return graph
    place = {name: j for j, name in enumerate(ours)}
    order = [place[name] for name in theirs]
    return replace(graph, x=graph.x[:, order], feature_names=tuple(theirs))


def _remedy(graph: Graph) -> str:
    if graph.features_made:
        return (
            "This graph came without features, so structural ones were made; give it the "
            "features the model knows."
        )
    return "Give every node the same columns as at training."
