"""The compiled bfloat16 projector against the plain layers."""

from __future__ import annotations

import pytest
import torch

from gigamae.model.projectors import Projector


@pytest.mark.parametrize("n", [9, 37, 700])
def test_output_gradients_and_running_statistics_are_those_of_the_layers(n: int) -> None:
    torch.manual_seed(0)
    plain, low = Projector(24, 48, 10), Projector(24, 48, 10)
    with torch.no_grad():
        plain.norm.weight.uniform_(0.5, 1.5)
        plain.norm.bias.uniform_(-0.5, 0.5)
        plain.first.bias += 3.0
    low.load_state_dict(plain.state_dict())
    low.first.low_precision = low.second.low_precision = True
    z = torch.randn(n, 24)
    upstream = torch.randn(n, 10)
    found = {}
    for name, projector in (("plain", plain), ("low", low)):
        at = z.clone().requires_grad_()
        out = projector(at)
        out.backward(upstream)
        found[name] = {"out": out.detach(), "z": at.grad}
        found[name] |= {k: p.grad for k, p in projector.named_parameters() if k != "first.bias"}
        found[name] |= {k: b for k, b in projector.named_buffers() if b.is_floating_point()}
    for key, expected in found["plain"].items():
        error = (found["low"][key] - expected).norm() / expected.norm()
        assert float(error) < 0.05, (key, n)
    assert low.norm.num_batches_tracked == 1
    assert (low.first.bias.grad == 0).all(), "it drops out of the batch norm"


def test_inference_uses_the_running_statistics() -> None:
    torch.manual_seed(1)
    projector = Projector(8, 16, 4)
    projector.first.low_precision = projector.second.low_precision = True
    for _ in range(200):
        projector(torch.randn(64, 8))
    projector.eval()
    with torch.no_grad():
        one, many = torch.randn(1, 8), torch.randn(50, 8)
        assert torch.allclose(projector(torch.cat([one, many]))[:1], projector(one), atol=1e-2)
