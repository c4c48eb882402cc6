"""Masks and node types, by brute force."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.graph.graph import Graph
from gigamae.model.masking import NodeType, draw_masks, node_types
from gigamae.model.topology import Topology


def random_graph(n=12, m=20, seed=0):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, (m, 2)), x=np.ones((n, 2), np.float32))


@given(st.integers(2, 15), st.integers(0, 40), st.integers(0, 1000))
def test_property_types_by_brute_force(n, m, seed):
    graph = random_graph(n, m, seed)
    masks = draw_masks(Topology.of(graph), 0.5, 0.3, torch.Generator().manual_seed(seed))
    for node in range(n):
        lost = any(
            bool(masks.edge[k]) for k, (u, v) in enumerate(graph.edges.tolist()) if node in (u, v)
        )
        expected = {
            (False, False): NodeType.NONE,
            (True, False): NodeType.EDGE,
            (False, True): NodeType.FEATURE,
            (True, True): NodeType.BOTH,
        }[lost, bool(masks.feature[node])]
        assert int(masks.types[node]) == expected


def test_both_directions_go_together():
    topology = Topology.of(random_graph(30, 80))
    masks = draw_masks(topology, 0.5, 0.5, torch.Generator().manual_seed(0))
    hidden = masks.edge[topology.undirected]
    assert torch.equal(hidden, hidden[topology.reverse])
    assert 0 < int(hidden.sum()) < len(hidden)


def test_reverse_and_undirected_name_the_same_edge():
    topology = Topology.of(random_graph(30, 80))
    assert torch.equal(topology.rows, topology.cols[topology.reverse])
    assert torch.equal(topology.undirected, topology.undirected[topology.reverse])
    assert topology.undirected.bincount().tolist() == [2] * topology.num_edges


def test_shares_are_what_was_asked():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 5000, (20000, 2)), x=np.ones((5000, 1), np.float32))
    masks = draw_masks(Topology.of(graph), 0.3, 0.6, torch.Generator().manual_seed(0))
    assert float(masks.feature.float().mean()) == pytest.approx(0.3, abs=0.02)
    assert float(masks.edge.float().mean()) == pytest.approx(0.6, abs=0.02)


def test_node_zero_is_not_flagged_for_nothing():
    """The release always flags node 0 as edge-masked."""
    topology = Topology.of(random_graph())
    none = torch.zeros(topology.num_edges, dtype=torch.bool)
    assert node_types(topology, torch.zeros(12, dtype=torch.bool), none).tolist() == [0] * 12


def test_same_seed_same_masks():
    topology = Topology.of(random_graph())
    a, b = (draw_masks(topology, 0.5, 0.5, torch.Generator().manual_seed(7)) for _ in range(2))
    assert torch.equal(a.types, b.types)
    assert torch.equal(a.edge, b.edge)
    assert a.counts() == dict(zip("NEFB", a.types.bincount(minlength=4).tolist(), strict=True))
