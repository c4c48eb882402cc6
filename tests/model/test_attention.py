"""Both ways to attend against a list of edges, and against PyG's layer."""

import numpy as np
import pytest
import torch

from gigamae.graph.graph import Graph
from gigamae.model.attention import attend, attend_by_products, keep_entries
from gigamae.model.convolutions import GATLayer, Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology


def setting(n=30, m=80, heads=3, width=5, seed=0):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, n - 1, (m, 2)), x=rng.random((n, 4), np.float32))
    generator = torch.Generator().manual_seed(seed)
    tensors = [
        torch.randn(*shape, generator=generator, requires_grad=True)
        for shape in ((n, heads, width), (n, heads), (n, heads))
    ]
    return graph, Topology.of(graph), tensors


def attend_by_edges(h, a_src, a_dst, topology, keep):
    """The definition, over a list of edges with the self-loops."""
    n = topology.num_nodes
    kept = keep.bool()
    loops = torch.arange(n)
    dst = torch.cat([topology.rows[kept], loops])  # (E,)
    src = torch.cat([topology.cols[kept], loops])
    weight = torch.nn.functional.leaky_relu(a_src[src] + a_dst[dst], 0.2).exp()  # (E, H)
    alpha = weight / torch.zeros(n, h.shape[1]).index_add(0, dst, weight)[dst]
    return torch.zeros_like(h).index_add(0, dst, alpha.unsqueeze(2) * h[src])


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("way", ["compiled", "products"])
def test_equals_edges_in_value_and_gradient(way, share):
    _, topology, tensors = setting()
    hidden = torch.rand(topology.num_edges, generator=torch.Generator().manual_seed(1)) < share
    keep = keep_entries(topology, hidden)
    if way == "compiled":
        fast = attend(*tensors, topology, hidden_edges=hidden)
    else:
        fast = attend_by_products(*tensors, topology, keep, 0.2, 0.0, 0)
    slow = attend_by_edges(*tensors, topology, keep)
    weight = torch.randn(fast.shape, generator=torch.Generator().manual_seed(2))
    g1 = torch.autograd.grad((fast * weight).sum(), tensors)
    g2 = torch.autograd.grad((slow * weight).sum(), tensors)
    assert torch.allclose(fast, slow, atol=1e-5)
    for a, b in zip(g1, g2, strict=True):
        assert torch.allclose(a, b, atol=1e-5)


def test_gradient_with_dropout_is_the_gradient_of_its_value():
    _, topology, (h, a_src, a_dst) = setting()

    def value(x):
        generator = torch.Generator().manual_seed(5)
        return attend(x, a_src, a_dst, topology, dropout=0.5, generator=generator).square().sum()

    (grad,) = torch.autograd.grad(value(h), h)
    direction = torch.randn(h.shape, generator=torch.Generator().manual_seed(3))
    step = 1e-2
    with torch.no_grad():
        slope = (value(h + step * direction) - value(h - step * direction)) / (2 * step)
    assert float((grad * direction).sum()) == pytest.approx(float(slope), rel=1e-3)


@pytest.mark.parametrize("way", ["compiled", "products"])
def test_dropout_keeps_the_mean(way):
    _, topology, (h, a_src, a_dst) = setting()
    generator = torch.Generator().manual_seed(0)
    keep = keep_entries(topology, None)

    def dropped(seed):
        if way == "compiled":
            return attend(h, a_src, a_dst, topology, dropout=0.6, generator=generator)
        return attend_by_products(h, a_src, a_dst, topology, keep, 0.2, 0.6, seed)

    with torch.no_grad():
        exact = attend(h, a_src, a_dst, topology)
        mean = sum(dropped(seed) for seed in range(2000))
    assert torch.allclose(mean / 2000, exact, atol=0.25)


def test_result_does_not_depend_on_the_number_of_threads():
    import numba

    _, topology, tensors = setting(200, 900)
    results = []
    before = numba.get_num_threads()
    for threads in (1, before):
        numba.set_num_threads(threads)
        out = attend(*tensors, topology, dropout=0.5, generator=torch.Generator().manual_seed(1))
        results.append((out, *torch.autograd.grad(out.square().sum(), tensors)))
    numba.set_num_threads(before)
    for a, b in zip(*results, strict=True):
        assert torch.equal(a, b)


def test_layer_equals_pyg():
    from torch_geometric.nn import GATConv

    graph, topology, _ = setting()
    ours = GATLayer(4, 6, heads=2)
    theirs = GATConv(4, 3, heads=2)
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.lift.weight.T)
        theirs.att_src.copy_(ours.att_src.unsqueeze(0))
        theirs.att_dst.copy_(ours.att_dst.unsqueeze(0))
    x = torch.from_numpy(graph.x)
    found = ours(FeatureMatrix(graph.x), Step(topology))
    assert torch.allclose(found, theirs(x, torch.from_numpy(graph.edge_index)), atol=1e-5)
