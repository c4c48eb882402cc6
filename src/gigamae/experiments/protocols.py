"""Protocols: what is fitted on which graph, judged how, so that every method is treated alike.

Labels are read only here, after training is over; test edges only by the last line of
:func:`judge_split`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from gigamae.evaluate.result import Evaluation, LinksResult
from gigamae.graph.graph import Graph
from gigamae.graph.splits import LinkSplit, split_links

#: The five splits that every method shares.
SPLIT_SEEDS = (0, 1, 2, 3, 4)
LABEL_TASKS = ("classification", "clustering")


class Embedder(Protocol):
    """What a method must have to be judged."""

    def fit(self, graph: Graph) -> Any: ...

    def transform(self, graph: Graph) -> np.ndarray: ...


def judge_embedding(
    z: np.ndarray, y: np.ndarray, *, tasks: Iterable[str] = LABEL_TASKS, seed: int = 0
) -> Evaluation:
    """Classification and clustering of an embedding of the whole, unmasked graph.

    Args:
        z: (N, d).
        y: (N,) labels, -1 where unknown.
        tasks: which of the two.
        seed: of the classifier's splits and of K-means.
    """
    from gigamae import evaluate

    tasks = set(tasks)
    return Evaluation(
        classification=evaluate.classification(z, y, seed=seed) if "classification" in tasks else None,
        clustering=evaluate.clustering(z, y, seed=seed) if "clustering" in tasks else None,
    )


def judge_links(
    make_model: Callable[[int], Embedder],
    graph: Graph,
    split_seeds: Sequence[int] = SPLIT_SEEDS,
    *,
    progress: Any = None,
) -> LinksResult:
    """Link prediction over several splits, each with a model of its own.

    For each seed the edges are split 85/5/10; a model is fitted on the 85% alone, validation AUC
    picks the epoch where the method lets it, and the test edges are scored once.

    Args:
        make_model: an unfitted model, from the split's seed.
        graph: the whole graph.
        split_seeds: one split each.
        progress: a watcher (:class:`gigamae.pretrain.progress.Progress`).
    """
    results = []
    for place, seed in enumerate(split_seeds, 1):
        if progress is not None:
            progress.stage(f"link split {place} of {len(split_seeds)}")
        split = split_links(graph, seed=seed)
        results.append(judge_split(fit_on_split(make_model(seed), split, progress=progress), split))
    return LinksResult.joined(results)


def fit_on_split(model: Any, split: LinkSplit, *, progress: Any = None) -> Any:
    """The model, fitted on the training edges; validation AUC picks the epoch where it can."""

    def validate(z: np.ndarray) -> float:
        from gigamae import evaluate

        return evaluate.links(z, split, part="val").auc.mean

    return fit_with(model, split.train, validate=validate, progress=progress)


def fit_with(model: Any, graph: Graph, **extras: Any) -> Any:
    """The model, fitted with whichever of the extras its fit knows: a baseline may know none."""
    known = inspect.signature(model.fit).parameters
    model.fit(graph, **{k: v for k, v in extras.items() if k in known})
    return model


def judge_split(model: Embedder, split: LinkSplit) -> LinksResult:
    """The one look at the test edges: messages pass along training edges alone."""
    from gigamae import evaluate

    return evaluate.links(model.transform(split.train), split, part="test")
