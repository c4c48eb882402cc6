"""Protocols: the test edges are seen by nobody but the last line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gigamae.experiments.protocols import fit_on_split, fit_with, judge_embedding, judge_links
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links


@pytest.fixture
def graph(rng: np.random.Generator) -> Graph:
    y = np.arange(90) % 3
    share = np.where(y[:, None] == y[None, :], 0.3, 0.02)
    edges = np.argwhere(np.triu(rng.random((90, 90)) < share, 1))
    return Graph.from_edges(edges, np.eye(90, dtype="float32"), num_nodes=90, y=y)


class Spectral:
    """A method without settings: leading eigenvectors of the adjacency it was fitted on."""

    seen: list[Graph]

    def __init__(self) -> None:
        self.seen = []

    def fit(self, graph: Graph) -> Spectral:
        self.seen.append(graph)
        return self

    def transform(self, graph: Graph) -> np.ndarray:
        self.seen.append(graph)
        values, vectors = np.linalg.eigh(graph.adjacency().toarray())
        return vectors[:, -3:] * np.sqrt(np.abs(values[-3:]))


class Watched(Spectral):
    """A method that lets validation pick its epoch."""

    scores: list[float]

    def fit(self, graph: Graph, *, validate: Any = None, progress: Any = None) -> Watched:  # type: ignore[override]
        super().fit(graph)
        self.progress = progress
        self.scores = [validate(self.transform(graph)), validate(np.ones((graph.num_nodes, 2)))]
        return self


def test_a_model_sees_the_training_edges_alone(graph: Graph) -> None:
    models: dict[int, Spectral] = {}
    result = judge_links(lambda seed: models.setdefault(seed, Spectral()), graph, (3, 5))
    assert len(result.auc.values) == 2
    assert result.auc.mean > 0.7
    for seed, model in models.items():
        split = split_links(graph, seed=seed)
        hidden = {tuple(e) for e in np.concatenate([split.val_pos, split.test_pos])}
        for seen in model.seen:
            assert seen.fingerprint() == split.train.fingerprint()
            assert not hidden & {tuple(e) for e in seen.edges}


def test_validation_scores_the_validation_part(graph: Graph) -> None:
    from gigamae import evaluate

    split = split_links(graph, seed=1)
    model = fit_on_split(Watched(), split, progress="watcher")
    expected = evaluate.links(model.transform(split.train), split, part="val").auc.mean
    assert model.scores == [expected, 0.5]
    assert model.progress == "watcher"


def test_extras_that_a_method_does_not_know_are_left_out(graph: Graph) -> None:
    assert fit_with(Spectral(), graph, progress="watcher", validate=None).seen == [graph]


def test_tasks_can_be_judged_alone() -> None:
    y = np.arange(600) % 3
    z = np.eye(3)[y]
    both = judge_embedding(z, y)
    assert both.to_dict()["classification"]["accuracy"] == {"mean": 1.0, "std": 0.0}
    assert both.to_dict()["clustering"]["nmi"]["mean"] == pytest.approx(1.0)
    one = judge_embedding(z, y, tasks=["clustering"])
    assert set(one.to_dict()) == {"clustering"}
