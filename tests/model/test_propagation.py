"""Sparse propagation against dense products, in value and in every gradient."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gigamae.graph.graph import Graph
from gigamae.model.propagation import gcn_values, mean_values, neighbourhood_mean, propagate
from gigamae.model.topology import Topology


@pytest.fixture
def topology() -> Topology:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 25, (60, 2)), num_nodes=27)  # some are isolated
    return Topology.of(graph)


def dense(topology: Topology, values: torch.Tensor) -> torch.Tensor:
    n = topology.num_nodes
    return torch.zeros(n, n).index_put((topology.rows, topology.cols), values)


def test_value_and_gradients_are_those_of_a_dense_product(topology: Topology) -> None:
    generator = torch.Generator().manual_seed(1)
    shapes = ((27, 6), (len(topology.cols),), (27,))
    inputs = [torch.randn(*s, generator=generator, requires_grad=True) for s in shapes]
    h, values, own = inputs
    fast = propagate(h, topology, values, own)
    slow = (dense(topology, values) + torch.diag(own)) @ h
    weight = torch.randn(27, 6, generator=generator)
    torch.testing.assert_close(fast, slow, atol=1e-5, rtol=1e-5)
    found, expected = (torch.autograd.grad((out * weight).sum(), inputs) for out in (fast, slow))
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


def test_gcn_is_the_normalised_adjacency_of_the_edges_that_are_left(topology: Topology) -> None:
    hidden = torch.rand(topology.num_edges, generator=torch.Generator().manual_seed(2)) < 0.4
    kept = (~hidden)[topology.undirected].float()
    a = dense(topology, kept) + torch.eye(27)
    root = torch.diag(a.sum(dim=1).rsqrt())
    values, own = gcn_values(topology, hidden)
    torch.testing.assert_close(dense(topology, values) + torch.diag(own), root @ a @ root)


def test_means(topology: Topology) -> None:
    h = torch.randn(27, 4, generator=torch.Generator().manual_seed(3))
    a = dense(topology, torch.ones(len(topology.cols)))
    around = a / a.sum(dim=1, keepdim=True).clamp(min=1)
    torch.testing.assert_close(dense(topology, mean_values(topology, None)), around)
    with_own = a + torch.eye(27)
    torch.testing.assert_close(neighbourhood_mean(h, topology), with_own @ h / with_own.sum(1, keepdim=True))
