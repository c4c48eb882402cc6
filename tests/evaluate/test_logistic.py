import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from gigamae.evaluate.logistic import TOLERANCE, regularisation_path, rotate
from gigamae.evaluate.probe import C_GRID


def loss(w, rows, signs, c):
    """The model as it is written: penalised intercept, one term a row; and its slope."""
    margins = signs * (rows @ w)
    value = 0.5 * w @ w + c * np.logaddexp(0, -margins).sum()
    return value, w - c * rows.T @ (signs * np.exp(-np.logaddexp(0, margins)))


# At the default tolerance a solution stops where liblinear's would, short of the minimum.
@pytest.mark.parametrize(("tolerance", "above"), [(TOLERANCE, 0.02), (1e-5, 5e-5)])
@given(st.integers(0, 10**6), st.sampled_from([(12, 3), (10, 30), (25, 25)]))
def test_every_column_of_the_path_is_a_minimum(tolerance, above, seed, shape):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    signs = np.where(rng.random((shape[0], 3)) < 0.5, 1, -1)
    signs[0], signs[1] = 1, -1
    used = rng.random((shape[0], 3)) < 0.8
    used[:2] = True
    grid = (2.0**-10, 0.25, 1.0, 2.0**9)
    a, basis = rotate(x)
    rows = np.concatenate([x, np.ones((shape[0], 1))], axis=1)
    for c, w in zip(grid, regularisation_path(a, signs, used, grid, tolerance), strict=True):
        for p in range(3):
            kept = rows[used[:, p]], signs[used[:, p], p]
            best = minimize(loss, np.zeros(rows.shape[1]), args=(*kept, c), jac=True, tol=1e-9).fun
            assert loss(basis @ w[:, p], *kept, c)[0] <= best * (1 + above) + 1e-6


@pytest.mark.parametrize("shape", [(20, 5), (5, 20), (8, 7)])
def test_rotation_keeps_every_inner_product(rng, shape):
    x = rng.standard_normal(shape)
    a, basis = rotate(x)
    rows = np.concatenate([x, np.ones((shape[0], 1))], axis=1)
    assert np.allclose(a, rows @ basis)
    assert np.allclose(basis.T @ basis, np.eye(a.shape[1]))
    assert np.allclose(a @ a.T, rows @ rows.T)
    gram = a.T @ a
    assert np.allclose(gram, np.diag(np.diag(gram)), atol=1e-9)


def test_dead_and_repeated_columns_cost_no_dimension(rng):
    x = rng.standard_normal((40, 3))
    a, _ = rotate(np.concatenate([x, x, np.zeros((40, 2))], axis=1))
    assert a.shape == (40, 4)


def test_nothing_to_tell_apart_means_no_weights(rng):
    a, _ = rotate(rng.standard_normal((6, 2)))
    signs = np.array([[1, 1]] * 3 + [[1, -1]] * 3)
    used = np.array([[True, True]] * 3 + [[True, False]] * 3)  # each column sees one sign only
    for w in regularisation_path(a, signs, used, C_GRID):
        assert not w.any()


def test_a_duplicated_row_counts_as_a_doubled_c(rng):
    x = rng.standard_normal((15, 4))
    signs = np.where(x[:, :1] > 0, 1, -1)
    used = np.ones((15, 1), bool)
    a, basis = rotate(x)
    b, twice_basis = rotate(np.repeat(x, 2, axis=0))
    (once,) = regularisation_path(a, signs, used, [2.0], tolerance=1e-5)
    (twice,) = regularisation_path(b, np.repeat(signs, 2, 0), np.repeat(used, 2, 0), [1.0], tolerance=1e-5)
    assert np.allclose(basis @ once, twice_basis @ twice, atol=1e-3)
