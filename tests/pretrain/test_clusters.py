"""Clusters: each epoch sees every node once, and each step exactly what is inside its parts."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.graph.graph import Graph
from gigamae.pretrain.clusters import Clusters, induced
from gigamae.pretrain.full_graph import FullGraph
from gigamae.pretrain.loop import train


def numbered(n=60, m=150, seed=0):
    """A weighted graph whose features and target are the node's own number."""
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, size=(m, 2))
    number = np.arange(n, dtype=np.float32)[:, None]
    graph = Graph.from_edges(edges, number, weights=rng.random(m) + 0.5, y=np.arange(n) % 3)
    return graph, number


def nodes_of(batch):
    return batch.features.dense[:, 0].long().numpy()


@given(st.integers(0, 1000), st.integers(1, 70), st.integers(1, 9))
def test_every_node_once_an_epoch(seed, parts, parts_a_step):
    graph, number = numbered(seed=seed)
    clusters = Clusters(graph, [number], [(0,)], parts=parts, parts_a_step=parts_a_step, seed=seed)
    steps = [nodes_of(b) for b in clusters.epoch(torch.Generator().manual_seed(seed))]
    assert np.array_equal(np.sort(np.concatenate(steps)), np.arange(60))
    assert len(steps) == len(clusters) == -(-min(parts, 60) // parts_a_step)


def test_a_step_sees_the_edges_features_and_targets_of_its_own_nodes():
    graph, number = numbered()
    dense = graph.adjacency().toarray()
    clusters = Clusters(graph, [number, -number], [(0,), (0, 1)], parts=6, parts_a_step=2)
    for batch in clusters.epoch(torch.Generator()):
        nodes = nodes_of(batch)
        t = batch.topology
        found = sp.csr_matrix((t.weights.numpy(), t.cols.numpy(), t.indptr.numpy()), shape=(len(nodes),) * 2)
        assert np.array_equal(found.toarray(), dense[np.ix_(nodes, nodes)])
        assert np.array_equal(batch.targets[(0, 1)].numpy(), np.hstack([number, -number])[nodes])


def test_the_order_is_new_in_every_epoch_and_the_same_for_a_seed():
    graph, number = numbered()

    def epochs(seed):
        generator = torch.Generator().manual_seed(seed)
        clusters = Clusters(graph, [number], [(0,)], parts=8, parts_a_step=2)
        return [[nodes_of(b).tolist() for b in clusters.epoch(generator)] for _ in range(2)]

    once = epochs(1)
    assert once == epochs(1)
    assert once[0] != once[1]
    assert once != epochs(2)


def test_all_nodes_together_are_the_full_graph(problem):
    whole = FullGraph(problem.graph, problem.matrices, [(0,), (1,)]).batch
    clusters = Clusters(problem.graph, problem.matrices, [(0,), (1,)], parts=3, parts_a_step=3)
    (batch,) = clusters.epoch(problem.generator())
    for name in ("indptr", "cols", "rows", "reverse", "undirected"):
        assert torch.equal(getattr(batch.topology, name), getattr(whole.topology, name))
    assert all(torch.equal(batch.targets[s], whole.targets[s]) for s in whole.targets)
    weight = torch.randn(400, 3)
    assert torch.equal(batch.features.project(weight), whole.features.project(weight))


def test_it_learns(problem):
    module = problem.module()
    clusters = Clusters(problem.graph, problem.matrices, module.subsets, parts=6, parts_a_step=2)
    settings = problem.settings(epochs=12)
    history = train(module, clusters, settings, problem.options, problem.generator())
    assert history.losses[-1] < history.losses[0] - 1


@pytest.mark.parametrize("nodes", [[], [3], [0, 7, 59]])
def test_induced_graphs_of_few_nodes(nodes):
    graph, _ = numbered()
    inside = induced(graph, np.array(nodes, dtype=np.int64))
    assert inside.num_nodes == len(nodes)
    assert inside.y is None
    assert np.array_equal(inside.adjacency().toarray(), graph.adjacency().toarray()[np.ix_(nodes, nodes)])
