"""A tiny graph and a plan that takes no time."""

from __future__ import annotations

import numpy as np
import pytest

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
