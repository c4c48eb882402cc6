"""Centred features by their products alone: equal to those of the dense centred matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from gigamae.targets import centred
from gigamae.targets.centred import Centred


def features(rng: np.random.Generator, shape: tuple[int, int], kind: str):  # type: ignore[no-untyped-def]
    x = (rng.random(shape) < 0.2) * rng.normal(size=shape) + 3.0 * (np.arange(shape[1]) % 5 == 0)
    x = x.astype(np.float32)
    return sp.csr_matrix(x) if kind == "sparse" else x


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("shape", [(31, 17), (17, 31)], ids=["N > D", "D > N"])
@pytest.mark.parametrize("block", [8, 4 * 2**20], ids=["small blocks", "one block"])
def test_products(
    shape: tuple[int, int], kind: str, block: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centred, "_BLOCK", block * 10)
    x = features(rng, shape, kind)
    dense = (x.toarray() if kind == "sparse" else x).astype(np.float64)
    dense = dense - dense.mean(axis=0)
    ours = Centred(x)
    assert ours.total == pytest.approx((dense**2).sum(), rel=1e-10)
    v, u = torch.from_numpy(rng.normal(size=(shape[1], 3))), torch.from_numpy(rng.normal(size=(shape[0], 3)))
    np.testing.assert_allclose(ours.times(v), dense @ v.numpy(), atol=1e-9)
    np.testing.assert_allclose(ours.transposed_times(u), dense.T @ u.numpy(), atol=1e-9)
    gram = dense.T @ dense if shape[1] <= shape[0] else dense @ dense.T
    np.testing.assert_allclose(ours.gram(), gram, atol=1e-9)
    w = torch.from_numpy(rng.normal(size=(ours.side, 2)))
    np.testing.assert_allclose(ours.gram_times(w), gram @ w.numpy(), atol=1e-8)


@pytest.mark.parametrize("shape", [(40, 12), (12, 40)])
@pytest.mark.parametrize("cost", [0, 10**9], ids=["sparse product", "dense product"])
def test_both_ways_to_the_gram_matrix_of_sparse_features(
    shape: tuple[int, int], cost: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centred, "_SPARSE_COST", cost)
    x = features(rng, shape, "sparse")
    np.testing.assert_allclose(Centred(x).gram(), Centred(x.toarray()).gram(), atol=1e-9)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e6, -3e-5])
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_constant_features_are_told_from_varying_ones(value: float, kind: str) -> None:
    x = np.full((2000, 3), value, np.float32)
    assert Centred(sp.csr_matrix(x) if kind == "sparse" else x).is_constant
    x[0, 0] = value * 1.001 + 1e-6
    assert not Centred(sp.csr_matrix(x) if kind == "sparse" else x).is_constant
