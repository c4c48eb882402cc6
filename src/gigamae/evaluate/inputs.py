"""Embeddings and labels of any kind -> checked numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gigamae.errors import InputError


def as_embeddings(z: Any) -> np.ndarray:
    """(N, d) finite float32 from an array, a tensor, a data frame or a sparse matrix."""
    z = _as_numpy(z)
    if z.ndim != 2 or 0 in z.shape:
        raise InputError(f"Embeddings must have shape (N, d), one row a node; got {z.shape}.")
    if z.dtype.kind not in "fiub":
        raise InputError(f"Embeddings must be numbers; got dtype {z.dtype}. Leave out the column of ids.")
    if not np.isfinite(z).all():
        row = int(np.argwhere(~np.isfinite(z))[0, 0])
        raise InputError(f"The embedding of node {row} holds NaN or infinity; fit it again.")
    # A power of two keeps huge and tiny values inside float32; no task minds the scale.
    largest = float(np.abs(z).max())
    if largest > 1e15 or 0 < largest < 1e-15:
        z = z * 2.0 ** -np.floor(np.log2(largest))
    return np.ascontiguousarray(z, dtype=np.float32)


def as_labels(y: Any, n: int) -> np.ndarray:
    """(N,) int64 codes 0..K-1, -1 where unknown (negative numbers, NaN, None), from any labels."""
    y = _as_numpy(y)
    if y.shape == (n, 1):
        y = y[:, 0]
    if y.shape != (n,):
        raise InputError(f"Labels must have shape ({n},), one a row of the embeddings; got {y.shape}.")
    if y.dtype.kind in "iufb":
        known = ~(np.isnan(y) | (y < 0)) if y.dtype.kind == "f" else y >= 0
    else:
        known = np.array([v is not None and v == v for v in y.tolist()], dtype=bool)
    codes = np.full(n, -1, dtype=np.int64)
    kept = y[known] if y.dtype.kind != "O" else np.array([str(v) for v in y[known]])
    codes[known] = np.unique(kept, return_inverse=True)[1]
    return codes


def require_classes(y: np.ndarray, task: str) -> int:
    """How many classes the known labels have; at least two, or there is nothing to judge."""
    known = y[y >= 0]
    classes = len(np.unique(known))
    if classes < 2:
        raise InputError(
            f"{task} needs labels of at least two classes; got {classes} "
            f"({len(known)} of {len(y)} nodes have a label)."
        )
    return classes


def _as_numpy(values: Any) -> np.ndarray:
    if hasattr(values, "detach"):  # a torch tensor, wherever it lives
        values = values.detach().cpu()
        return np.asarray(values.numpy() if not values.is_sparse else values.to_dense().numpy())
    if hasattr(values, "toarray"):  # SciPy sparse
        return np.asarray(values.toarray())
    if hasattr(values, "to_numpy"):  # pandas, polars, pyarrow columns
        return np.asarray(values.to_numpy())
    return np.asarray(values)
