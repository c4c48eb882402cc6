"""The reference computes what the library computes: the same loss and the same gradients."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from gigamae.graph.graph import Graph
from gigamae.model.convolutions import Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.gigamae import GiGaMAEModule
from gigamae.model.masking import draw_masks
from gigamae.model.objective import ObjectiveOptions, concatenated, masked_loss
from gigamae.model.topology import Topology
from gigamae.model.weights import resolve_term_weights
from gigamae.settings import Settings

Load = Callable[[str], ModuleType]


def made_up(n: int = 120, edges: int = 400) -> Graph:
    rng = np.random.default_rng(1)
    x = sp.random(n, 40, 0.2, "csr", np.float32, rng)
    return Graph.from_edges(rng.integers(n, size=(edges, 2)), x)


def copy_weights(module: GiGaMAEModule, reference: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    """Give the reference the library's weights; the reference's parameter by the library's name."""
    names = {}
    for layer in ("first", "second"):
        for theirs, ours in (("att_src", "att_src"), ("att_dst", "att_dst"), ("bias", "bias"),
                             ("lin.weight", "lift.weight")):  # fmt: skip
            names[f"encoder.{layer}.{ours}"] = f"{layer}.{theirs}"
    for part in ("weight", "bias"):
        names[f"encoder.norm.{part}"] = f"norm.{part}"
        for k, key in enumerate(("0", "1", "0+1")):
            for place, layer in ((0, "first"), (1, "norm"), (3, "second")):
                names[f"projectors.{key}.{layer}.{part}"] = f"projectors.{k}.{place}.{part}"
    given, taken = dict(module.named_parameters()), dict(reference.named_parameters())
    assert set(names) == set(given)
    assert set(names.values()) == set(taken)
    with torch.no_grad():
        for ours, theirs in names.items():
            value = given[ours].T if ours.endswith("lift.weight") else given[ours]
            taken[theirs].copy_(value.reshape(taken[theirs].shape))
    return {ours: taken[theirs] for ours, theirs in names.items()}


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("masks_at", [(0.4, 0.4), (0.7, 0.05)])
def test_same_loss_and_gradients(load: Load, symmetric: bool, masks_at: tuple[float, float]) -> None:
    graph = made_up()
    rng = np.random.default_rng(2)
    targets = [torch.from_numpy(rng.normal(size=(graph.num_nodes, d)).astype(np.float32)) for d in (8, 13)]
    told = {"E": [5.0, 2.0, 6.0], "F": [2.0, 5.0, 6.0], "B": [1.0, 1.0, 3.0]}
    weights = resolve_term_weights(["structure", "attributes"], term_weights=told)
    settings = Settings(hidden_dim=32, out_dim=24, heads=4, dropout=0, attention_dropout=0)
    module = GiGaMAEModule(graph.num_features, (8, 13), weights, settings)
    topology, features = Topology.of(graph), FeatureMatrix(graph.x)
    masks = draw_masks(topology, *masks_at, torch.Generator().manual_seed(3))

    z = module.encoder(features, Step(topology, masks.edge, masks.feature))
    by_subset = {s: concatenated(targets, s) for s in module.subsets}
    options = ObjectiveOptions(tau=0.5, symmetric=symmetric)
    ours = masked_loss(z, masks, by_subset, weights, module.projectors.project, options).total

    model = load("reference").Reference(
        graph.num_features, (8, 13), told, hidden_dim=32, out_dim=24, heads=4, dropout=0,
        attention_dropout=0, tau=0.5, symmetric=symmetric,
    )  # fmt: skip
    pairs = copy_weights(module, model)
    theirs = model.loss(
        torch.from_numpy(graph.x.toarray()), torch.stack([topology.rows, topology.cols]),
        topology.undirected, targets, masks.feature, masks.edge,
    )  # fmt: skip
    assert min(masks.counts().values()) > 0, "every node type has a term in it"
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-5, abs=1e-5)

    ours.backward()
    theirs.backward()
    for name, given in module.named_parameters():
        expected = pairs[name].grad
        assert given.grad is not None, name
        assert expected is not None, name
        found = given.grad.T if name.endswith("lift.weight") else given.grad
        scale = max(float(expected.abs().max()), 0.1)  # a bias before a batch norm has none but rounding
        assert torch.allclose(found.reshape(expected.shape), expected, atol=1e-4 * scale), name


def test_epochs_of_the_reference_learn(load: Load) -> None:
    reference = load("reference")
    graph = made_up()
    topology = Topology.of(graph)
    x = torch.from_numpy(graph.x.toarray())
    edges = torch.stack([topology.rows, topology.cols])
    targets = [x[:, :8], x[:, 8:20]]
    torch.manual_seed(0)
    model = reference.Reference(40, (8, 12), {k: [1, 1, 1] for k in "EFB"}, hidden_dim=32, out_dim=24,
                                dropout=0, attention_dropout=0)  # fmt: skip
    nothing = torch.zeros(graph.num_nodes, dtype=torch.bool)
    half = torch.arange(graph.num_edges) % 2 == 0
    fixed = (x, edges, topology.undirected, targets, nothing, half)
    before = model.loss(*fixed).item()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(20):
        reference.train_epoch(model, optimizer, x, edges, topology.undirected, targets)
    assert model.loss(*fixed).item() < before - 0.5
