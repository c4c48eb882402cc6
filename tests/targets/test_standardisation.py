"""Standardisation: each choice does what its line in the table says, and no more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gigamae.errors import SettingsError
from gigamae.targets.standardisation import STANDARDISATIONS, standardise

EMPTY = (3, 7)  # rows without a vector


@pytest.fixture
def matrix(rng: np.random.Generator) -> np.ndarray:
    m = rng.normal(size=(12, 4)) * [1, 10, 100, 0.1] + [0, 5, -3, 2]
    m[list(EMPTY)] = 0
    return m.astype(np.float32)


def there(m: np.ndarray) -> np.ndarray:
    return np.delete(m, EMPTY, axis=0).astype(np.float64)


def test_zscore(matrix: np.ndarray) -> None:
    rows = there(standardise(matrix, "zscore"))
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(rows.std(axis=0), 1, atol=1e-6)


def test_unit(matrix: np.ndarray) -> None:
    rows = there(standardise(matrix, "unit"))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    cosines = (rows * there(matrix)).sum(axis=1) / np.linalg.norm(there(matrix), axis=1)
    np.testing.assert_allclose(cosines, 1, atol=1e-6)


@pytest.mark.parametrize(("how", "measure"), [("scale", lambda norms: norms.mean()),
                                              ("block", lambda norms: (norms**2).mean())])  # fmt: skip
def test_one_factor_for_the_matrix(how, measure, matrix: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    rows = there(standardise(matrix, how))
    assert measure(np.linalg.norm(rows, axis=1)) == pytest.approx(1, abs=1e-6)
    factors = rows / there(matrix)
    np.testing.assert_allclose(factors, factors[0, 0], rtol=1e-5)


def test_none_leaves_it_and_copies(matrix: np.ndarray) -> None:
    same = standardise(matrix, "none")
    assert (same == matrix).all()
    assert not np.shares_memory(same, matrix)


@pytest.mark.parametrize("how", STANDARDISATIONS)
def test_rows_of_zeros_enter_no_statistic_and_stay(how: str, matrix: np.ndarray) -> None:
    whole = standardise(matrix, how)  # type: ignore[arg-type]
    assert not whole[list(EMPTY)].any()
    without = standardise(np.delete(matrix, EMPTY, axis=0), how)  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.delete(whole, EMPTY, axis=0), without)


@pytest.mark.parametrize("how", STANDARDISATIONS)
@given(m=hnp.arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 4)),
                    elements=st.floats(-(2.0**120), 2.0**120, width=32)))  # fmt: skip
def test_property_finite_float32_of_the_same_shape(how: str, m: np.ndarray) -> None:
    out = standardise(m, how)  # type: ignore[arg-type]
    assert out.shape == m.shape
    assert out.dtype == np.float32
    assert np.isfinite(out).all()


def test_a_constant_column_becomes_zero() -> None:
    m = np.array([[1.1, 1.0], [1.1, 2.0], [1.1, 4.0]])
    assert not standardise(m, "zscore")[:, 0].any()


def test_an_unknown_choice() -> None:
    with pytest.raises(SettingsError, match="'norm' is not known; choose one of none, zscore"):
        standardise(np.ones((1, 1)), "norm")  # type: ignore[arg-type]
