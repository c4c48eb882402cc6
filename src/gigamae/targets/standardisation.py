"""Bring target matrices to a common scale, so that none decides a joint term by its size alone."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from gigamae.errors import SettingsError

Standardisation = Literal["none", "zscore", "unit", "scale", "block"]

#: The choices of :func:`standardise`.
STANDARDISATIONS: tuple[str, ...] = get_args(Standardisation)

_CONSTANT = 1e-6  # a column that varies by less than this share of its largest value is constant


def standardise(matrix: np.ndarray, how: Standardisation = "none") -> np.ndarray:
    """A rescaled copy of a target matrix, (N, d) float32.

    A row of zeros means 'no vector here' (an isolated node, say): it enters no statistic and
    stays zero whatever the choice. Over the other rows:

    ========== =====================================================================
    "none"     values as they are
    "zscore"   each column minus its mean, divided by its standard deviation; a
               constant column becomes zero
    "unit"     each row divided by its Euclidean norm: directions alone
    "scale"    one factor for the matrix: the mean row norm becomes 1
    "block"    one factor for the matrix: the mean squared row norm becomes 1, so
               that in a concatenation of k targets each holds 1/k of the squares,
               whatever its width and units
    ========== =====================================================================

    "scale" and "block" keep each row's own length: a long row still weighs its target more in a
    joint cosine; "unit" gives every target the same weight in every row.

    Example:
        >>> standardise(np.array([[3.0, 4.0], [0.0, 0.0]]), "unit").tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]

    Raises:
        SettingsError: ``how`` is not one of the above.
    """
    if how not in STANDARDISATIONS:
        raise SettingsError(
            f"standardise: {how!r} is not known; choose one of {', '.join(STANDARDISATIONS)}."
        )
    wide = np.array(matrix, dtype=np.float64)  # squares of float32 must not overflow
    there = wide.any(axis=1)
    if how == "none" or not there.any():
        return wide.astype(np.float32)
    rows = wide[there]
    if how == "zscore":
        spread = rows.std(axis=0)
        constant = spread <= _CONSTANT * np.abs(rows).max(axis=0)
        rows = (rows - rows.mean(axis=0)) / np.where(constant, 1.0, spread)
        rows[:, constant] = 0.0
    else:
        norms = np.linalg.norm(rows, axis=1)
        if how == "unit":
            rows /= norms[:, None]
        elif how == "scale":
            rows /= norms.mean()
        else:
            rows /= np.sqrt((norms**2).mean())
    wide[there] = rows
    return wide.astype(np.float32)
