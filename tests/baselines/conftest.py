"""What the tests of every baseline share: a small planted graph, and a judge of what was learned on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae import evaluate
from gigamae.graph.graph import Graph

Learned = Callable[[Any], tuple[float, float]]


def planted_graph(n: int, classes: int = 3, words: int = 60) -> Graph:
    """Blocks of nodes whose edges and words both lean, weakly, towards their own block."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    share = np.where(y[:, None] == y[None, :], 0.06, 0.012)
    edges = np.argwhere(np.triu(rng.random((n, n)) < share, 1))
    own = np.arange(words) % classes == y[:, None]
    x = (rng.random((n, words)) < np.where(own, 0.09, 0.05)).astype("float32")
    return Graph.from_edges(edges, sp.csr_matrix(x), num_nodes=n, y=y, name="planted")


@pytest.fixture(scope="session")
def planted() -> Graph:
    return planted_graph(240)


@pytest.fixture(scope="session")
def tiny() -> Graph:
    """Thirty nodes: for slow loops."""
    return planted_graph(30)


@pytest.fixture(scope="session")
def meshed() -> Graph:
    """Thirty nodes and about four edges each: for slow loops over edges."""
    rng = np.random.default_rng(1)
    edges = np.argwhere(np.triu(rng.random((30, 30)) < 0.14, 1))
    x = (rng.random((30, 12)) < 0.2).astype("float32")
    return Graph.from_edges(edges, sp.csr_matrix(x), num_nodes=30, name="meshed")


@pytest.fixture(scope="session")
def learned(planted: Graph) -> Learned:
    """Accuracies of a linear probe on a tenth of the nodes: after training, and with first weights."""
    assert planted.y is not None

    def judge(model: Any) -> tuple[float, float]:
        first = type(model)(**{**model.get_params(), "epochs": 1, "learning_rate": 0.0})
        before, after = (m.fit_transform(planted) for m in (first, model))
        found = [evaluate.classification(z, planted.y, seed=0).accuracy.mean for z in (after, before)]
        return found[0], found[1]

    return judge
