"""The controls, against slow loops and by what they must not know."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from gigamae.baselines.controls import (
    SGC,
    Node2VecAlone,
    PCAAlone,
    RandomEncoder,
    RawFeatures,
    TargetAlone,
    normalised_adjacency,
)
from gigamae.errors import InputError, NotFittedError, SettingsError
from gigamae.graph.graph import Graph
from gigamae.targets import make_target


@pytest.fixture
def graph(rng: np.random.Generator) -> Graph:
    x = rng.random((12, 5), dtype=np.float32)
    return Graph.from_edges(rng.integers(0, 11, size=(20, 2)), x, num_nodes=12)  # node 11 is isolated


def test_normalised_adjacency_is_the_equation(graph: Graph) -> None:
    n, a = graph.num_nodes, graph.adjacency().toarray() + np.eye(graph.num_nodes)
    expected = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            expected[i, j] = a[i, j] / np.sqrt(a[i].sum() * a[j].sum())
    np.testing.assert_allclose(normalised_adjacency(graph).toarray(), expected, rtol=1e-6)


@pytest.mark.parametrize("hops", [0, 1, 2])
@pytest.mark.parametrize("sparse", [False, True])
def test_sgc_averages_over_hops(graph: Graph, hops: int, sparse: bool) -> None:
    x = np.linalg.matrix_power(normalised_adjacency(graph).toarray().astype(float), hops) @ graph.x
    asked = Graph.from_edges(graph.edges, sp.csr_matrix(graph.x) if sparse else graph.x, num_nodes=12)
    z = SGC(hops).fit(asked).transform(asked)
    assert z.dtype == np.float32
    np.testing.assert_allclose(z, x, rtol=1e-5)


def test_raw_features(graph: Graph) -> None:
    np.testing.assert_array_equal(RawFeatures().fit(graph).transform(graph), graph.x)


def test_random_encoder_is_seeded_and_leaves_the_global_seed(graph: Graph) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    one, two, other = (
        RandomEncoder(hidden_dim=8, out_dim=6, heads=2, random_state=s).fit(graph).transform(graph)
        for s in (0, 0, 1)
    )
    assert torch.equal(before, torch.get_rng_state())
    assert one.shape == (12, 6)
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, other)


def test_random_encoder_needs_fit(graph: Graph) -> None:
    with pytest.raises(NotFittedError):
        RandomEncoder().transform(graph)


def test_a_target_alone_knows_one_graph(graph: Graph) -> None:
    alone = TargetAlone({"name": "pca", "k": 3}).fit(graph)
    assert alone.transform(graph).shape == (12, 3)
    with pytest.raises(InputError, match="only the graph"):
        alone.transform(graph.with_edges(graph.edges[1:]))
    with pytest.raises(NotFittedError):
        TargetAlone("pca").transform(graph)


def test_node2vec_alone_is_the_target_of_that_seed(graph: Graph) -> None:
    first, again, other = (
        Node2VecAlone(dim=8, random_state=seed).fit(graph).transform(graph) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, make_target({"name": "node2vec", "dim": 8}).fit(graph, seed=0))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_pca_alone_keeps_the_share_that_is_asked_for(graph: Graph) -> None:
    values = np.linalg.svd(graph.x - graph.x.mean(axis=0), compute_uv=False) ** 2
    for ratio in (0.5, 0.9):
        kept = int((np.cumsum(values) / values.sum() < ratio).sum()) + 1
        assert PCAAlone(ratio=ratio).fit(graph).transform(graph).shape == (12, kept)


def test_hops_below_zero() -> None:
    with pytest.raises(SettingsError, match="hops=-1"):
        SGC(-1)
