"""exp and row sums in one compiled pass against torch's own, which is also what runs on a GPU."""

from __future__ import annotations

import pytest
import torch

from gigamae.model.exponentials import exp_and_sum


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize(("dtype", "near"), [(torch.float32, 1e-5), (torch.bfloat16, 1e-2)])
def test_the_compiled_pass_equals_torch(dtype: torch.dtype, near: float, shifted: bool) -> None:
    tile = (8 * torch.randn(40, 70, generator=torch.Generator().manual_seed(0))).to(dtype)
    tile[3, 5], tile[7] = -torch.inf, -90.0
    shift = tile.float().amax(dim=1) if shifted else None
    plain = tile.double() - (0 if shift is None else shift.double().unsqueeze(1))
    expected = plain.clone()
    sums = exp_and_sum(expected)  # in double precision it is torch that works
    torch.testing.assert_close(expected, plain.exp())
    found = exp_and_sum(tile, shift)
    torch.testing.assert_close(tile.double(), expected, rtol=near, atol=1e-12)  # good to 5e-6 above e^-30
    torch.testing.assert_close(found, sums, rtol=1e-5, atol=1e-30)
