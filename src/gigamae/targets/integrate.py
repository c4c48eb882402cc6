"""Naive integration: several targets become one matrix, which the paper's ablation holds mutual
information against.

The paper keeps every target and gives every subset of them a term. The naive ways throw that
distinction away before training: the larger of two values, their mean, or one matrix beside the
other. In the paper the result is used as the embedding itself
(:class:`gigamae.baselines.integrated.IntegratedTargets`); as the setting ``integration`` it is what
GiGaMAE reconstructs, with one term and one weight for all masked nodes, all else being equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from gigamae.errors import InputError, SettingsError
from gigamae.targets.standardisation import standardise

NaiveIntegration = Literal["max", "average", "concatenation"]

#: The choices of :func:`integrate`.
NAIVE: tuple[str, ...] = get_args(NaiveIntegration)


def integrate(matrices: Sequence[np.ndarray], how: NaiveIntegration) -> np.ndarray:
    """One (N, d) float32 matrix from several of N rows.

    =============== ================================================================
    "max"           the largest value of each entry over the targets
    "average"       the mean of each entry over the targets
    "concatenation" all columns of the first, then of the second, ...: as they came
    =============== ================================================================

    The maximum and the mean need entries that can be held against one another, which the paper
    says nothing of. Decided here: d is the width of the narrowest target; a wider one is turned to
    its d leading principal directions, which keep the most of it that d columns can (padding the
    narrow one with zeros would let the wide one alone fill the rest); then every column of every
    target is brought to mean 0 and variance 1, or the target with the larger units would win each
    maximum. A row of zeros ('no vector here') stays zero until then.

    Example:
        >>> a, b = np.array([[1.0], [-1.0]]), np.array([[-9.0], [9.0]])
        >>> integrate([a, b], "max").tolist()
        [[1.0], [1.0]]
        >>> integrate([a, b], "average").tolist()
        [[0.0], [0.0]]

    Raises:
        SettingsError: ``how`` is not one of the above.
        InputError: no matrices, or matrices of different numbers of rows.
    """
    if how not in NAIVE:
        raise SettingsError(f"integration: {how!r} is not known; choose one of {', '.join(NAIVE)}.")
    if not matrices or len({len(m) for m in matrices}) != 1:
        rows = [len(m) for m in matrices]
        raise InputError(f"Targets of {rows} rows cannot be integrated; give one row a node.")
    if how == "concatenation":
        return np.concatenate(matrices, axis=1).astype(np.float32)
    width = min(m.shape[1] for m in matrices)
    same = np.stack([standardise(narrowed(m, width), "zscore") for m in matrices])  # (n, N, d)
    return same.max(axis=0) if how == "max" else same.mean(axis=0)


def narrowed(matrix: np.ndarray, width: int) -> np.ndarray:
    """The scores of a matrix on its ``width`` leading principal directions; as it is if no wider.

    Rows of zeros enter no statistic and stay zero. Each direction's sign is such that its largest
    loading is positive, so that the result is the same on every machine.
    """
    if matrix.shape[1] <= width:
        return matrix
    there = matrix.any(axis=1)
    rows = matrix[there].astype(np.float64)
    rows -= rows.mean(axis=0) if len(rows) else 0.0
    directions = np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :width]  # (D, width), the largest first
    directions *= np.sign(np.take_along_axis(directions, np.abs(directions).argmax(0)[None], axis=0))
    scores = np.zeros((len(matrix), width))
    scores[there] = rows @ directions
    return scores
