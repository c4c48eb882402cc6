"""Unit rows: features whose rows have length one, so that how long a text is does not matter."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gigamae.graph.graph import Features


def unit_rows(x: Features) -> Features:
    """x with each row divided by its length; rows of zeros stay. Sparse stays sparse.

    Example:
        >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype="float32")).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    if isinstance(x, np.ndarray):
        lengths = np.sqrt(np.einsum("ij,ij->i", x, x, dtype=np.float64))
    else:
        lengths = np.sqrt(np.asarray(x.multiply(x).sum(axis=1), dtype=np.float64).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0).astype(np.float32)
    if isinstance(x, np.ndarray):
        return np.asarray(x * scale[:, None], dtype=np.float32)
    return sp.csr_matrix(sp.diags(scale) @ x, dtype=np.float32)
