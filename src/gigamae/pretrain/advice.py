"""Advice: settings for a graph nobody has tuned for, from its size, density and features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gigamae.graph.graph import Graph

#: Below this many nodes the default width is more than the graph can fill.
SMALL = 1000
#: Mean degrees outside these bounds call for another edge mask than 0.4.
THIN, DENSE = 3.0, 30.0
#: Up to this many feature columns PCA keeps most of what there is.
FEW_COLUMNS = 100
#: More components than this cost time and do not help the joint target.
MOST_COMPONENTS = 512


@dataclass
class Advice:
    """What to start from, and why.

    Attributes:
        settings: setting -> value, only what differs from the defaults.
        targets: target's name -> its recipe.
        reasons: a plain sentence for each choice.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    targets: dict[str, dict[str, Any]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)


def advise(graph: Graph) -> Advice:
    """Settings and targets for an unknown graph. Labels are not looked at.

    Example:
        >>> ring = Graph.from_edges([(i, (i + 1) % 40) for i in range(40)])
        >>> list(advise(ring).targets)
        ['node2vec']
    """
    advice = Advice()
    _by_features(graph, advice)
    _by_density(graph, advice)
    _by_size(graph, advice)
    return advice


def _by_features(graph: Graph, advice: Advice) -> None:
    d = graph.num_features
    if graph.num_edges:
        advice.targets["node2vec"] = {"name": "node2vec"}
    if graph.features_made:
        advice.reasons.append(
            "target node2vec alone: there are no features, and those made from the edges tell nothing more."
        )
        advice.targets.setdefault("node2vec", {"name": "node2vec"})
        return
    if _constant(graph):
        advice.reasons.append("target node2vec alone: every node has the same features.")
        advice.targets.setdefault("node2vec", {"name": "node2vec"})
        return
    ratio = 0.9 if d <= FEW_COLUMNS else 0.5
    advice.targets["pca"] = {"name": "pca", "ratio": ratio}
    why = "few columns" if d <= FEW_COLUMNS else "many columns, the first components say most"
    advice.reasons.append(f"pca ratio {ratio:g}: {d:,} feature columns ({why}).")
    if min(d, graph.num_nodes) > MOST_COMPONENTS:
        advice.targets["pca"]["max_components"] = MOST_COMPONENTS
        advice.reasons.append(f"pca keeps at most {MOST_COMPONENTS} components, to save time.")


def _by_density(graph: Graph, advice: Advice) -> None:
    if graph.num_edges == 0:
        advice.settings["mask_edge"] = 0.0
        advice.reasons.append("mask_edge 0 and no node2vec: the graph has no edges.")
        return
    mean = 2 * graph.num_edges / graph.num_nodes
    if mean > DENSE:
        advice.settings["mask_edge"] = 0.6
        advice.reasons.append(f"mask_edge 0.6: at {mean:.0f} neighbours a node, hiding fewer is too easy.")
    elif mean < THIN:
        advice.settings["mask_edge"] = 0.2
        advice.reasons.append(f"mask_edge 0.2: at {mean:.1f} neighbours a node, hiding more isolates many.")


def _by_size(graph: Graph, advice: Advice) -> None:
    from gigamae.pretrain.resources import ALL_NEGATIVES_UP_TO, DRAWN_NEGATIVES

    n = graph.num_nodes
    if n < SMALL:
        advice.settings.update(hidden_dim=128, out_dim=128, epochs=200)
        advice.reasons.append(
            f"hidden_dim and out_dim 128, 200 epochs: {n:,} nodes cannot fill 512 dimensions, "
            "and their epochs are short."
        )
    if n > ALL_NEGATIVES_UP_TO:
        advice.settings["negatives"] = DRAWN_NEGATIVES
        advice.reasons.append(
            f"negatives {DRAWN_NEGATIVES:,}: with {n:,} nodes, comparing each with all others is slow "
            "and no better."
        )


def _constant(graph: Graph) -> bool:
    x = graph.x
    if isinstance(x, np.ndarray):
        return bool((x == x[:1]).all())
    low = x.min(axis=0).toarray()
    return bool((low == x.max(axis=0).toarray()).all())
