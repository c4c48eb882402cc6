"""A tiny graph and a plan that takes no time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gigamae.errors import DatasetError
from gigamae.experiments.cells import Cell
from gigamae.experiments.plan import Plan, make_plan
from gigamae.graph.graph import Graph

SMALL = {"epochs": 2, "hidden_dim": 16, "out_dim": 8, "heads": 2, "check_every": 1}
WALKS = {"node2vec": {"dim": 8, "walk_length": 5, "walks_per_node": 2, "epochs": 1}}


@pytest.fixture
def tiny() -> Graph:
    """Seventy nodes in two blocks, named by text, whose features tell the blocks apart."""
    rng = np.random.default_rng(0)
    y = np.arange(70) % 2
    share = np.where(y[:, None] == y[None, :], 0.25, 0.03)
    edges = np.argwhere(np.triu(rng.random((70, 70)) < share, 1))
    x = (rng.random((70, 12)) < 0.2 + 0.4 * (np.arange(12) % 2 == y[:, None])).astype("float32")
    ids = [f"n{i:02}" for i in range(70)]
    return Graph.from_edges(edges, x, num_nodes=70, y=y, node_ids=ids, name="tiny")


@pytest.fixture
def plan(tiny: Graph) -> Plan:
    return make_plan(tiny, settings=SMALL, target_settings=WALKS)


@pytest.fixture
def on_tiny(monkeypatch: pytest.MonkeyPatch, tiny: Graph) -> Iterator[None]:
    """Every dataset is the tiny graph, but for wikics, which is not there."""
    from gigamae.experiments import cell_run
    from gigamae.graph import datasets

    def load(name: str, root: object = None, **kwargs: object) -> Graph:
        if name == "wikics":
            raise DatasetError("WikiCS is not here.")
        return tiny

    monkeypatch.setattr(datasets, "load_dataset", load)
    read = cell_run._graph  # a test may put another in its place
    read.cache_clear()
    yield
    read.cache_clear()


@pytest.fixture(scope="session")
def told() -> Callable[..., dict[str, Any]]:
    """What a cell's file would hold, had it been run with these scores (fractions)."""
    return make_record


def make_record(cell: Cell, value: float, spread: float = 0.01, seconds: float = 2.0) -> dict[str, Any]:
    score = {"mean": value, "std": spread, "values": [value - spread, value + spread]}
    if cell.task == "labels":
        scores = {"classification": {"accuracy": score}, "clustering": {"nmi": score, "ari": score}}
    else:
        scores = {"links": {"auc": score, "ap": score}}
    return {
        "protocol": 1, "key": cell.key, "method": cell.method, "dataset": cell.dataset, "task": cell.task,
        "seed": cell.seed, "split": cell.split, "scores": scores,
        "seconds": {"target pca": 0.5, "training": 1.0, "model": seconds, "total": seconds + 1},
        "peak_memory": 2**30, "device": "cpu", "threads": 1,
        "machine": {"system": "Linux", "processor": "a processor", "cores": 2, "memory": 2**34, "gpu": None},
        "versions": {"gigamae": "0"}, "date": "2026-01-02T03:04:05+00:00", "preset": cell.preset,
        "settings": dict(cell.settings), "targets": {k: dict(v) for k, v in cell.targets.items()},
    }  # fmt: skip
