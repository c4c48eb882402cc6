"""Encoders: each layer against PyG's with the same weights; sparse features against dense ones."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric import nn as pyg

from gigamae.graph.graph import Graph
from gigamae.model.convolutions import GATv2Layer, GCNLayer, GINLayer, SAGELayer, Step
from gigamae.model.encoder import ENCODERS, Encoder
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


@pytest.fixture
def graph():
    rng = np.random.default_rng(0)
    x = rng.random((30, 8), np.float32)
    x[x < 0.7] = 0
    return Graph.from_edges(rng.integers(0, 29, (70, 2)), x=x)


def both(graph, ours, theirs):
    edge_index = torch.from_numpy(graph.edge_index)
    expected = theirs(torch.from_numpy(graph.x), edge_index)
    return ours(FeatureMatrix(graph.x), Step(Topology.of(graph))), expected


def test_gcn(graph):
    ours, theirs = GCNLayer(8, 5), pyg.GCNConv(8, 5)
    theirs.lin.weight.data = ours.lift.weight.data.T
    a, b = both(graph, ours, theirs)
    assert torch.allclose(a, b, atol=1e-5)


def test_sage(graph):
    ours, theirs = SAGELayer(8, 5), pyg.SAGEConv(8, 5)
    theirs.lin_l.weight.data = ours.lift.weight.data.T
    theirs.lin_l.bias.data.zero_()
    theirs.lin_r.weight.data = ours.lift_self.weight.data.T
    a, b = both(graph, ours, theirs)
    assert torch.allclose(a, b, atol=1e-5)


def test_gatv2(graph):
    ours, theirs = GATv2Layer(8, 6, heads=2), pyg.GATv2Conv(8, 3, heads=2)
    theirs.lin_l.weight.data = ours.lift_src.weight.data.T
    theirs.lin_r.weight.data = ours.lift_dst.weight.data.T
    theirs.lin_l.bias.data.zero_()
    theirs.lin_r.bias.data.zero_()
    theirs.att.data = ours.att.data.unsqueeze(0)
    a, b = both(graph, ours, theirs)
    assert torch.allclose(a, b, atol=1e-5)


def test_gin(graph):
    ours = GINLayer(8, 5)
    mlp = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.ReLU(), torch.nn.Linear(5, 5))
    mlp[0].weight.data, mlp[0].bias.data = ours.lift.weight.data.T, ours.bias.data
    mlp[2].weight.data, mlp[2].bias.data = ours.second.weight.data, ours.second.bias.data
    a, b = both(graph, ours, pyg.GINConv(mlp))
    assert torch.allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("kind", ENCODERS)
def test_sparse_features_give_what_dense_ones_give(graph, kind):
    torch.manual_seed(0)
    encoder = Encoder(8, 8, 6, kind=kind, heads=2)
    topology = Topology.of(graph)
    hidden = torch.rand(30, generator=torch.Generator().manual_seed(1)) < 0.4
    edges = torch.rand(topology.num_edges, generator=torch.Generator().manual_seed(2)) < 0.4
    step = Step(topology, hidden_features=hidden, hidden_edges=edges)
    dense = FeatureMatrix(graph.x)
    sparse = FeatureMatrix.__new__(FeatureMatrix)
    sparse.shape, sparse.dense = dense.shape, None
    sparse._keep_sparse(sp.csr_matrix(graph.x), "cpu")
    found = []
    for x in (dense, sparse):
        encoder.zero_grad()
        z = encoder(x, step)
        z.square().sum().backward()
        found.append([z.detach(), *(p.grad.clone() for p in encoder.parameters() if p.grad is not None)])
    for a, b in zip(*found, strict=True):
        assert torch.allclose(a, b, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("kind", ENCODERS)
def test_hidden_edges_pass_no_message(graph, kind):
    """What a masked edge carried must not be seen at its other end, in either direction."""
    encoder = Encoder(8, 8, 6, kind=kind, heads=2).eval()
    topology = Topology.of(graph)
    step = Step(topology, hidden_edges=torch.ones(topology.num_edges, dtype=torch.bool))
    changed = graph.x.copy()
    changed[0] += 1.0
    a, b = (encoder(FeatureMatrix(x), step) for x in (graph.x, changed))
    assert torch.equal(a[1:], b[1:])
    assert not torch.equal(a[0], b[0])


def test_hidden_features_are_not_seen(graph):
    encoder = Encoder(8, 8, 6, heads=2).eval()
    hidden = torch.zeros(30, dtype=torch.bool)
    hidden[3] = True
    step = Step(Topology.of(graph), hidden_features=hidden)
    changed = graph.x.copy()
    changed[3] = 9.0
    a, b = (encoder(FeatureMatrix(x), step) for x in (graph.x, changed))
    assert torch.equal(a, b)


def test_large_sparse_features_are_never_dense():
    x = sp.random(3000, 40000, density=1e-3, format="csr", dtype=np.float32, random_state=0)
    features = FeatureMatrix(x)
    assert features.is_sparse
    weight = torch.randn(40000, 4, requires_grad=True)
    out = features.project(weight)
    out.sum().backward()
    assert np.allclose(out.detach().numpy(), x @ weight.detach().numpy(), atol=1e-4)
    expected = np.repeat(np.asarray(x.sum(axis=0)).reshape(-1, 1), 4, axis=1)
    assert np.allclose(weight.grad.numpy(), expected, atol=1e-4)
