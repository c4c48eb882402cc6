"""The linear probe: L2-normalised rows, logistic regression, C by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gigamae.errors import InputError, SettingsError
from gigamae.evaluate.inputs import as_embeddings
from gigamae.evaluate.logistic import regularisation_path, rotate

C_GRID: tuple[float, ...] = tuple(2.0**k for k in range(-10, 10))


@dataclass(frozen=True)
class Probe:
    """A fitted linear classifier.

    Attributes:
        weights: (d + 1, K) one column a class, the intercept last.
        classes: (K,) the labels of the columns.
        c: the C that cross-validation chose.
        validation: mean validation accuracy for each C of the grid, smallest C first.
    """

    weights: np.ndarray
    classes: np.ndarray
    c: float
    validation: np.ndarray

    def predict(self, z: Any) -> np.ndarray:
        """(N,) the class of each row; rows are normalised here."""
        return self.predict_unit(unit_rows(as_embeddings(z)))

    def predict_unit(self, unit: np.ndarray) -> np.ndarray:
        """The same for rows that are normalised already."""
        scores = unit @ self.weights[:-1].astype(unit.dtype) + self.weights[-1]  # (N, K)
        return self.classes[scores.argmax(axis=1)]


def fit_probe(z: Any, y: np.ndarray, *, folds: int = 5, grid: Sequence[float] = C_GRID) -> Probe:
    """Choose C by stratified cross-validation on these rows alone, then fit them all with it.

    The same model and choice as ``GridSearchCV(OneVsRestClassifier(LogisticRegression(
    solver="liblinear")), cv=folds)``: one classifier a class, penalised intercept, the mean of the
    folds' accuracies decides, the smallest C wins a tie. A class that a fold's training part
    lacks cannot be predicted there; one class in all rows is predicted everywhere.

    Example:
        >>> probe = fit_probe(np.repeat(np.eye(2), 5, axis=0), np.repeat([3, 8], 5))
        >>> probe.predict(np.eye(2)).tolist()
        [3, 8]
    """
    return fit_unit_probe(unit_rows(as_embeddings(z)), np.asarray(y), folds, checked_grid(grid))


def fit_unit_probe(unit: np.ndarray, y: np.ndarray, folds: int, grid: tuple[float, ...]) -> Probe:
    """:func:`fit_probe` for rows that are normalised and settings that are checked already."""
    if folds < 2 or len(unit) < folds:
        raise InputError(
            f"{folds}-fold cross-validation needs at least 2 folds and as many rows; got "
            f"{len(unit)} training rows. Label more nodes or raise the training ratio."
        )
    classes, codes = np.unique(y, return_inverse=True)
    n, k = len(y), len(classes)
    fold = stratified_folds(codes, folds)
    # The last "fold" leaves nothing out: the fit on all rows comes from the same path.
    train = np.arange(folds + 1) != fold[:, None]  # (n, F + 1)
    # Two classes mirror each other: one column does for both, as in one-vs-rest.
    told = np.arange(1, 2) if k == 2 else np.arange(k)
    signs = np.where(codes[:, None] == told, 1, -1)  # (n, k')
    present = np.stack([np.bincount(codes[rows], minlength=k) > 0 for rows in train.T])
    a, basis = rotate(unit)
    path = regularisation_path(a, np.tile(signs, folds + 1), np.repeat(train, len(told), axis=1), grid)
    a = a.astype(np.float32)
    fitted, validation = [], np.empty(len(grid))
    for number, w in enumerate(path):
        fitted.append(w[:, folds * len(told) :])
        scores = (a @ w).reshape(n, folds + 1, len(told))[np.arange(n), fold]  # held-out rows
        if k == 2:
            scores = np.concatenate([-scores, scores], axis=1)
        right = np.where(present[fold], scores, -np.inf).argmax(axis=1) == codes
        validation[number] = np.mean([right[fold == f].mean() for f in range(folds)])
    best = int(validation.argmax())
    weights = basis @ fitted[best]
    if k == 2:
        weights = np.concatenate([-weights, weights], axis=1)
    return Probe(weights=weights, classes=classes, c=grid[best], validation=validation)


def stratified_folds(codes: np.ndarray, folds: int) -> np.ndarray:
    """(n,) the fold of each row: every class spread evenly, in the order of the rows.

    The folds of scikit-learn's ``StratifiedKFold`` without shuffling, except that classes with
    fewer members than folds are no reason to warn: they are absent from some folds.
    """
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # classes numbered by first appearance
    dealt = np.sort(codes)
    fold = np.empty(len(codes), dtype=np.int64)
    for k in range(len(first)):
        # Cards dealt round the table in the order of classes; a fold gets as many of each class.
        share = np.bincount(np.flatnonzero(dealt == k) % folds, minlength=folds)
        fold[codes == k] = np.repeat(np.arange(folds), share)
    return fold


def unit_rows(z: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1; rows of zeros stay."""
    length = np.sqrt(np.einsum("ij,ij->i", z, z, dtype=np.float64))
    length[length == 0] = 1
    return (z / length[:, None]).astype(np.float32)


def checked_grid(grid: Sequence[float]) -> tuple[float, ...]:
    """The values of C, ascending; positive numbers only."""
    values = tuple(sorted(float(c) for c in grid))
    if not values or not all(0 < c < np.inf for c in values):
        raise SettingsError(f"grid must be positive numbers, the values of C to try; got {grid!r}.")
    return values
