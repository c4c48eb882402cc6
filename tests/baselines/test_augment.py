"""Views: what a draw hides, and that sparse features stay sparse while they are hidden."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.baselines.augment import draw, draw_view, whole, without_columns
from gigamae.graph.graph import Graph
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology

X = np.random.default_rng(0).random((9, 30)).astype("float32")
X[X < 0.97] = 0


@pytest.mark.parametrize("x", [X, sp.csr_matrix(X)])
def test_columns_go_for_every_node(x: np.ndarray | sp.csr_matrix) -> None:
    features = FeatureMatrix(x)
    assert features.is_sparse == sp.issparse(x)
    gone = torch.arange(30) % 3 == 0
    weight = torch.randn(30, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    expected = torch.from_numpy(np.where(gone.numpy(), 0, X)) @ weight
    view = without_columns(features, gone)
    assert view.is_sparse == features.is_sparse
    torch.testing.assert_close(view.project(weight), expected)
    (grad,) = torch.autograd.grad(view.project(weight).square().sum(), weight)
    torch.testing.assert_close(grad, torch.autograd.grad(expected.square().sum(), weight)[0])
    torch.testing.assert_close(features.project(weight), torch.from_numpy(X) @ weight)  # left as it was


@given(st.floats(0.05, 0.95), st.integers(0, 2**31))
def test_a_share_is_drawn(share: float, seed: int) -> None:
    gone = draw(4000, share, torch.Generator().manual_seed(seed), torch.device("cpu"))
    assert gone is not None
    assert abs(gone.float().mean().item() - share) < 6 * (share * (1 - share) / 4000) ** 0.5


def test_each_has_a_probability_of_its_own() -> None:
    chances = torch.tensor([0.0, 1.0, 0.0, 1.0])
    drawn = draw(4, chances, torch.Generator().manual_seed(0), torch.device("cpu"))
    assert drawn is not None
    assert drawn.tolist() == [False, True, False, True]


def test_nothing_to_drop_draws_nothing() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], np.eye(3, dtype="float32"))
    topology, features = Topology.of(graph), FeatureMatrix(graph.x)
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state()
    view = draw_view(topology, features, 0.0, 0.0, generator)
    assert torch.equal(before, generator.get_state())
    assert view.features is features
    assert view.step.hidden_edges is None
    assert whole(topology, features).step.hidden_edges is None
