"""Leading eigenpairs: block Lanczos against the whole decomposition, and where it gives up."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gigamae.errors import MemoryLimitError
from gigamae.targets import spectrum
from gigamae.targets.centred import Centred
from gigamae.targets.spectrum import block_lanczos, eigenvalues


def symmetric(values: np.ndarray, rng: np.random.Generator) -> torch.Tensor:
    q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return torch.from_numpy((q * values) @ q.T)


@pytest.mark.parametrize("about", [None, 9])
def test_eigenpairs_of_a_fading_spectrum(about: int | None, rng: np.random.Generator) -> None:
    values = 100 * 0.9 ** np.arange(400)
    a = symmetric(values, rng)
    found = block_lanczos(lambda v: a @ v, 400, lambda values: 9, about=about, seed=1)
    assert found is not None
    np.testing.assert_allclose(found[0], values[:9], rtol=1e-8)
    np.testing.assert_allclose(a @ found[1], found[1] * found[0], atol=1e-6)
    np.testing.assert_allclose(found[1].T @ found[1], np.eye(9), atol=1e-9)


def test_repeated_eigenvalues_are_all_found(rng: np.random.Generator) -> None:
    """A single vector's Krylov space has one direction of each eigenspace; a block has more."""
    values = np.concatenate([np.full(6, 5.0), 0.5 ** np.arange(194)])
    a = symmetric(values, rng)
    found = block_lanczos(lambda v: a @ v, 200, lambda values: 7)
    assert found is not None
    np.testing.assert_allclose(found[0], values[:7], rtol=1e-8)


def test_a_matrix_of_low_rank_ends_the_basis(rng: np.random.Generator) -> None:
    a = symmetric(np.concatenate([[9.0, 4.0, 1.0], np.zeros(297)]), rng)
    found = block_lanczos(lambda v: a @ v, 300, lambda values: 5)
    assert found is not None
    np.testing.assert_allclose(found[0], [9, 4, 1, 0, 0], atol=1e-8)
    np.testing.assert_allclose(found[1].T @ found[1], np.eye(5), atol=1e-8)


@pytest.mark.parametrize("about", [150, None])
def test_where_a_large_share_is_wanted_it_gives_up(about: int | None, rng: np.random.Generator) -> None:
    a = symmetric(np.linspace(2, 1, 300), rng)
    assert block_lanczos(lambda v: a @ v, 300, lambda values: 150, about=about) is None


def test_all_eigenvalues(rng: np.random.Generator) -> None:
    x = rng.normal(size=(30, 8)).astype(np.float32)
    expected = np.linalg.svd(x - x.mean(axis=0), compute_uv=False).astype(np.float64) ** 2
    np.testing.assert_allclose(eigenvalues(Centred(x)), expected, rtol=1e-4)


def test_what_would_not_fit_is_refused(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectrum, "LARGEST_SIDE", 5)
    with pytest.raises(MemoryLimitError, match="Give k, max_components"):
        eigenvalues(Centred(rng.normal(size=(30, 8))))
