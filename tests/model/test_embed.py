"""What the module does to the encoder's output: nothing, or sharper, by the formula."""

import numpy as np
import pytest
import torch

from gigamae import GiGaMAE
from gigamae.graph.graph import Graph
from gigamae.model.propagation import neighbourhood_mean
from gigamae.model.topology import Topology

EDGES = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])  # node 4 stands alone
X = np.random.default_rng(0).random((5, 6), dtype=np.float32)


def graph(weights=None):
    return Graph.from_edges(EDGES, X, num_nodes=5, weights=weights)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 5.0, 2.0, 3.0], np.float32)])
def test_the_mean_is_over_a_node_and_its_neighbours(weights):
    neighbours = {0: [0, 1, 2], 1: [0, 1, 2], 2: [0, 1, 2, 3], 3: [2, 3], 4: [4]}
    h = torch.from_numpy(X)
    mean = neighbourhood_mean(h.clone(), Topology.of(graph(weights)))
    for i, around in neighbours.items():
        assert torch.allclose(mean[i], h[around].mean(dim=0), atol=1e-6)
    assert torch.equal(h, torch.from_numpy(X)), "the rows given stay as they are"


def test_sharpened_rows_go_away_from_the_mean_and_lone_nodes_stay(tmp_path):
    fitted = {
        s: GiGaMAE(["pca"], epochs=2, hidden_dim=8, out_dim=4, mask_edge=0.3, sharpen=s).fit(graph())
        for s in (0.0, 1.5)
    }
    plain, sharp = (fitted[s].transform(graph()) for s in (0.0, 1.5))
    mean = neighbourhood_mean(torch.from_numpy(plain), Topology.of(graph())).numpy()
    assert np.allclose(sharp, plain + 1.5 * (plain - mean), atol=1e-5)
    assert np.allclose(sharp[4], plain[4], atol=1e-6)
    fitted[1.5].save(tmp_path / "model")
    assert np.array_equal(GiGaMAE.load(tmp_path / "model").transform(graph()), sharp)
