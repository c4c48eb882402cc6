"""Logistic regression for every class, fold and penalty at once: the fast solver.

The model is that of one-vs-rest liblinear: for each column of signs y in {-1, +1}

    minimise over w:  |w|^2 / 2  +  C * sum over the used rows of  log(1 + exp(-y * x.w)),

where x ends in a constant 1, so the intercept is penalised like any other weight.

What makes it fast, none of it an approximation of the model:

- The rows are rotated once so that their Gram matrix is diagonal, in min(n, d + 1) dimensions;
  a diagonal preconditioner is then nearly the inverse of the Hessian for every C and fold.
- All classes and folds are columns of one matrix product; a fold is a mask over the same rows.
- Newton steps by conjugate gradients, started for each C from the line through the solutions for
  the two smaller ones. Columns that have converged leave the products.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import numpy as np

log = logging.getLogger(__name__)

TOLERANCE = 3e-4  # gradient norm, relative to the start and the rarer class, as liblinear's
MAX_NEWTON = 25
MAX_INNER = 20
FORCING = 0.1  # how far conjugate gradients reduce the residual before the next Newton step


def rotate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of the rows of [x, 1] along the principal axes of their own span.

    Args:
        x: (n, d) rows, without the constant.

    Returns:
        (n, r) coordinates with orthogonal columns, and the (d + 1, r) orthonormal basis:
        ``coordinates = [x, 1] @ basis``, so weights w there are ``basis @ w`` here and |w| is
        the same. The best weights lie in the span of the rows, so nothing is lost; directions in
        which the rows are zero to within rounding are left out.
    """
    n = len(x)
    rows = np.concatenate([x, np.ones((n, 1))], axis=1, dtype=np.float64)
    wide = n < rows.shape[1]
    values, axes = np.linalg.eigh(rows @ rows.T if wide else rows.T @ rows)
    kept = values > values[-1] * 1e-13
    axes = axes[:, kept]
    if wide:  # the axes live in row space: (n, r)
        lengths = np.sqrt(values[kept])
        return axes * lengths, rows.T @ (axes / lengths)
    return rows @ axes, axes


def regularisation_path(
    a: np.ndarray,
    signs: np.ndarray,
    used: np.ndarray,
    grid: Sequence[float],
    tolerance: float = TOLERANCE,
) -> Iterator[np.ndarray]:
    """The weights of every column for every C, smallest C first.

    Args:
        a: (n, r) rows, best from :func:`rotate` (any rows are solved, slower).
        signs: (n, P) -1 or +1, one column a problem.
        used: (n, P) bool, the rows that count in each problem. A problem whose used rows all
            have one sign, or none, has weights 0: there is nothing to tell apart.
        grid: the values of C, ascending.

    Yields:
        (r, P) float32 weights for each C.
    """
    a = np.ascontiguousarray(a, dtype=np.float32)
    at = np.ascontiguousarray(a.T)
    signs = signs.astype(np.float32)
    positive = (used & (signs > 0)).sum(axis=0)
    negative = (used & (signs < 0)).sum(axis=0)
    used = (used & (positive > 0) & (negative > 0)).astype(np.float32)
    spread = np.square(a).mean(axis=0)[:, None]  # (r, 1) Hessian's diagonal per unit of curvature

    start = np.linalg.norm(at @ (used * signs / 2), axis=0)  # the gradient at w = 0, C = 1
    rarer = np.minimum(positive, negative) / np.maximum(positive + negative, 1)
    enough = tolerance * rarer * start

    w = np.zeros((a.shape[1], signs.shape[1]), np.float32)
    before = w
    for number, c in enumerate(grid):
        if number > 1:
            w, before = 2 * w - before, w  # the line through the last two, in log C
        else:
            w, before = w.copy(), w
        margins = a @ w  # (n, P)
        for _ in range(MAX_NEWTON):
            miss = 1 / (1 + np.exp(np.clip(signs * margins, -60, 60)))  # 1 - P(right)
            gradient = w - c * (at @ (used * signs * miss))
            live = np.flatnonzero(np.linalg.norm(gradient, axis=0) > c * enough)
            if not len(live):
                break
            gradient, miss = gradient[:, live], miss[:, live]
            on, sign = used[:, live], signs[:, live]
            curvature = c * on * miss * (1 - miss)
            step, moved = _newton_direction(a, at, gradient, curvature, spread)
            length = _step_lengths(w[:, live], step, margins[:, live], moved, sign, on, gradient, c)
            w[:, live] += length * step
            margins[:, live] += length * moved
        else:
            log.debug("C = %g: %d columns stopped at %d Newton steps", c, len(live), MAX_NEWTON)
        yield w


def _newton_direction(
    a: np.ndarray,
    at: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    spread: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Preconditioned conjugate gradients on (I + A' D A) p = -g for all columns: p and A p."""
    inverse = 1 / (1 + curvature.sum(axis=0) * spread)  # (r, L)
    step = np.zeros_like(gradient)
    moved = np.zeros_like(curvature)
    residual = -gradient
    solved = residual * inverse
    direction = solved.copy()
    size = (residual * solved).sum(axis=0)
    going = size > 0
    small = FORCING**2 * size
    for _ in range(MAX_INNER):
        ahead = a @ direction  # (n, L)
        bent = at @ (curvature * ahead)
        bent += direction  # (r, L), the Hessian times the direction
        alpha = size / np.maximum((direction * bent).sum(axis=0), 1e-30) * going
        step += alpha * direction
        moved += alpha * ahead
        residual -= alpha * bent
        solved = residual * inverse
        last, size = size, (residual * solved).sum(axis=0)
        going &= size > small
        if not going.any():
            break
        direction *= size / np.maximum(last, 1e-30)
        direction += solved
    return step, moved


def _step_lengths(
    w: np.ndarray,
    step: np.ndarray,
    margins: np.ndarray,
    moved: np.ndarray,
    signs: np.ndarray,
    used: np.ndarray,
    gradient: np.ndarray,
    c: float,
) -> np.ndarray:
    """1 where the full step does not climb out of the valley again, halved until it does not.

    The loss is convex along the step, so a slope at the end below half of the slope at the
    start (in size) bounds the overshoot; slopes stay exact in float32 where losses would not.
    """
    slope = np.abs((gradient * step).sum(axis=0))
    along, square = (w * step).sum(axis=0), (step * step).sum(axis=0)
    pull = c * used * signs * moved
    length = np.ones(step.shape[1], np.float32)
    for _ in range(12):
        margin = np.clip(signs * (margins + length * moved), -60, 60)
        end = along + length * square - (pull / (1 + np.exp(margin))).sum(axis=0)
        over = end > slope / 2
        if not over.any():
            break
        length[over] /= 2
    return length
