import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier

from gigamae.errors import InputError, SettingsError
from gigamae.evaluate import C_GRID, fit_probe
from gigamae.evaluate.probe import stratified_folds, unit_rows


def blobs(rng, n, d, k, spread=1.0):
    y = rng.permutation(np.arange(n) % k)
    return rng.standard_normal((k, d))[y] + spread * rng.standard_normal((n, d)), y


@given(st.lists(st.integers(0, 4), min_size=10, max_size=60), st.integers(2, 5))
def test_folds_are_scikit_learns(labels, folds):
    y = np.array(labels)
    if np.bincount(y).max() < folds:
        return
    expected = np.empty(len(y), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of classes smaller than the folds
        for number, (_, held_out) in enumerate(StratifiedKFold(folds).split(y, y)):
            expected[held_out] = number
    assert np.array_equal(stratified_folds(y, folds), expected)


@pytest.mark.parametrize(("k", "d"), [(2, 6), (3, 6), (4, 90)])
def test_the_same_model_as_one_vs_rest_liblinear(rng, k, d):
    z, y = blobs(rng, 80, d, k, spread=2.0)
    z = unit_rows(z.astype(np.float32)).astype(float)
    search = GridSearchCV(
        OneVsRestClassifier(LogisticRegression(solver="liblinear", tol=1e-6)),
        {"estimator__C": list(C_GRID)},
        cv=5,
    ).fit(z, y)
    probe = fit_probe(z, y)
    assert probe.c == search.best_params_["estimator__C"]
    assert np.allclose(probe.validation, search.cv_results_["mean_test_score"], atol=1.01 / 80)
    fresh = unit_rows(rng.standard_normal((500, d)).astype(np.float32))
    assert (probe.predict(fresh) == search.predict(fresh)).mean() >= 0.99
    weights = np.array([m.coef_[0] for m in search.best_estimator_.estimators_])
    mine = probe.weights[:-1].T[-len(weights) :]
    assert np.abs(mine - weights).max() < 0.01 * np.abs(weights).max()


def test_the_smallest_c_wins_a_tie():
    probe = fit_probe(np.repeat(np.eye(3), 10, axis=0), np.repeat([0, 1, 2], 10))
    assert probe.validation[0] == probe.validation.max()
    assert probe.c == C_GRID[0]


@pytest.mark.parametrize(
    "y",
    [
        [4] * 12,
        [0] * 11 + [1],
        [0] * 10 + [1, 2],
        list(range(12)),
        [0, 1] * 6,
    ],
    ids=["one class", "a class of one", "two classes of one", "all alone", "balanced"],
)
@pytest.mark.parametrize("z", ["random", "constant", "zero"])
def test_rare_classes_and_empty_rows_are_no_reason_to_stop(rng, y, z):
    rows = {"random": rng.standard_normal((12, 3)), "constant": np.ones((12, 3)), "zero": np.zeros((12, 3))}[
        z
    ]
    probe = fit_probe(rows, np.array(y))
    assert np.isfinite(probe.weights).all()
    assert set(probe.predict(rows)) <= set(y)
    if len(set(y)) == 1:
        assert (probe.predict(rows) == y[0]).all()


def test_too_few_rows_and_settings_out_of_range_are_told():
    with pytest.raises(InputError, match="4 training rows"):
        fit_probe(np.eye(4), np.array([0, 1, 0, 1]))
    for grid in ([], [0.0], [-1.0], [np.inf]):
        with pytest.raises(SettingsError, match="grid"):
            fit_probe(np.eye(6), np.arange(6) % 2, grid=grid)
