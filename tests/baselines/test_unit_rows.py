"""Unit rows: lengths one by one, sparse as sparse."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from gigamae.baselines.unit_rows import unit_rows


def test_rows_have_length_one_and_their_direction(rng: np.random.Generator) -> None:
    x = (rng.normal(size=(6, 5)) * (rng.random((6, 5)) < 0.5)).astype("float32")
    x[2] = 0
    for kind in (x, sp.csr_matrix(x)):
        found = unit_rows(kind)
        assert sp.issparse(found) == sp.issparse(kind)
        assert found.dtype == np.float32
        dense = np.asarray(found.toarray() if sp.issparse(found) else found)
        for row, was in zip(dense.tolist(), x.tolist(), strict=True):
            length = math.sqrt(sum(v * v for v in was)) or 1.0
            np.testing.assert_allclose(row, [v / length for v in was], rtol=1e-6)
