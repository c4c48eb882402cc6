"""The way that a GPU goes, on torch's meta device: every tensor knows its place and holds no numbers.

A tensor left on the CPU, or a compiled pass of the CPU called with another device's tensors, is an
error there as it is on a GPU. Sparse products are not known to that device; something as wide stands
in for them. Their numbers are tested on the CPU (test_attention.py, test_propagation.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from gigamae.graph.graph import Graph
from gigamae.model import attention, convolutions
from gigamae.model.convolutions import Step
from gigamae.model.encoder import Encoder
from gigamae.model.features import FeatureMatrix
from gigamae.model.infonce import infonce
from gigamae.model.linear import set_low_precision
from gigamae.model.projectors import Projector
from gigamae.model.topology import Topology

META = torch.device("meta")


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("how", [{}, {"symmetric": False}, {"tau": 0.02}, {"intra": False}], ids=str)
def test_projector_and_infonce(how: dict[str, Any], low: bool) -> None:
    projector = Projector(16, 32, 8).to(META)
    set_low_precision(projector, low)
    z = torch.empty(300, 16, device=META, requires_grad=True)
    value = infonce(projector(z), torch.empty(300, 8, device=META), **{"tau": 0.7, **how}, low_precision=low)
    value.backward()
    assert value.device == META
    assert value.dtype == torch.float32
    for tensor in (z, *projector.parameters()):
        assert tensor.grad is not None
        assert (tensor.grad.device, tensor.grad.dtype) == (META, torch.float32)


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("kind", ["gat", "gcn", "sage", "gin"])
def test_encoders(kind: str, low: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def stand_in(h: Any, topology: Topology, values: Any, own: Any) -> Any:
        assert values.shape == topology.cols.shape
        return h * values.sum() * (1 if own is None else own.unsqueeze(1))

    for module in (attention, convolutions):
        monkeypatch.setattr(module, "propagate", stand_in)
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 30, (80, 2)), x=rng.random((30, 8), np.float32))
    topology = Topology.of(graph, META)
    encoder = Encoder(8, 8, 6, kind=kind, heads=2).to(META)  # type: ignore[arg-type]
    encoder.set_low_precision(low)
    hidden = (torch.empty(n, dtype=torch.bool, device=META) for n in (30, topology.num_edges))
    step = Step(topology, **dict(zip(("hidden_features", "hidden_edges"), hidden, strict=True)))
    z = encoder(FeatureMatrix(graph.x, META), step)
    z.sum().backward()
    assert (z.shape, z.device, z.dtype) == ((30, 6), META, torch.float32)
    assert all(p.grad is not None and p.grad.device == META for p in encoder.parameters())
