"""Node classification: a linear probe on a tenth of the nodes, judged on the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gigamae.errors import InputError, SettingsError
from gigamae.evaluate.inputs import as_embeddings, as_labels, require_classes
from gigamae.evaluate.probe import C_GRID, checked_grid, fit_unit_probe, unit_rows
from gigamae.evaluate.result import ClassificationResult, Score
from gigamae.evaluate.workers import run_each

Split = tuple[np.ndarray, np.ndarray]


def classification(
    z: Any,
    y: Any,
    *,
    repeats: int = 10,
    train_ratio: float = 0.1,
    folds: int = 5,
    grid: Sequence[float] = C_GRID,
    seed: int = 0,
    splits: Iterable[Split] | None = None,
) -> ClassificationResult:
    """Accuracy of a linear probe over random splits.

    Rows are L2-normalised; each repeat draws ``train_ratio`` of the labelled nodes at random
    (not stratified), chooses C by cross-validation on those alone, and counts the right answers
    on all others.

    Args:
        z: (N, d) embeddings: array, tensor, data frame or sparse matrix.
        y: (N,) labels; negative, NaN or None means unknown, and such nodes are left out.
        splits: pairs (train nodes, test nodes) to use instead of random ones.

    Raises:
        InputError: fewer than two classes, or fewer training nodes than folds.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> y = np.arange(300) % 3
        >>> z = np.eye(3)[y] + 0.1 * rng.standard_normal((300, 3))
        >>> classification(z, y, repeats=2).accuracy.mean
        1.0
    """
    unit = unit_rows(as_embeddings(z))
    y = as_labels(y, len(unit))
    require_classes(y, "Classification")
    grid = checked_grid(grid)
    if splits is None:
        splits = random_splits(np.flatnonzero(y >= 0), repeats, train_ratio, seed)
    parts = [(train[y[train] >= 0], test[y[test] >= 0]) for train, test in splits]
    for train, test in parts:
        if len(train) < folds or not len(test):
            raise InputError(
                f"Classification: {len(train)} training and {len(test)} test nodes with a label; "
                f"{folds}-fold cross-validation needs at least {folds} to train on, and one to "
                "test. Label more nodes, or raise train_ratio."
            )

    def judge(part: Split) -> tuple[float, float]:
        train, test = part
        probe = fit_unit_probe(unit[train], y[train], folds, grid)
        return float((probe.predict_unit(unit[test]) == y[test]).mean()), probe.c

    accuracy, chosen = zip(*run_each(judge, parts), strict=True)
    return ClassificationResult(accuracy=Score.of(accuracy), chosen_c=chosen)


def random_splits(
    nodes: np.ndarray | int, repeats: int = 10, train_ratio: float = 0.1, seed: int = 0
) -> Iterator[Split]:
    """(train, test) pairs of the nodes, or of 0..N-1: random, not stratified.

    The splits of a seed do not depend on how many are asked for.
    """
    if repeats < 1:
        raise SettingsError(f"repeats must be at least 1; got {repeats}.")
    if not 0 < train_ratio < 1:
        raise SettingsError(f"train_ratio must lie between 0 and 1; got {train_ratio}.")
    nodes = np.arange(nodes) if isinstance(nodes, int) else np.asarray(nodes)
    count = int(train_ratio * len(nodes) + 1e-9)  # 0.1 * 30 is 3, whatever the rounding
    for repeat in range(repeats):
        order = np.random.default_rng([seed, repeat]).permutation(nodes)
        yield order[:count], order[count:]
