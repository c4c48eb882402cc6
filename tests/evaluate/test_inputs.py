import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch

from gigamae.errors import InputError
from gigamae.evaluate.inputs import as_embeddings, as_labels, require_classes

Z = np.array([[1.0, 0.0], [0.5, 2.0], [0.0, -1.0]])


@pytest.mark.parametrize(
    "z",
    [
        Z,
        Z.tolist(),
        torch.tensor(Z, requires_grad=True),
        torch.tensor(Z).to_sparse(),
        pd.DataFrame(Z),
        pl.DataFrame(Z),
        sp.csr_matrix(Z),
    ],
    ids=["array", "list", "tensor", "sparse tensor", "pandas", "polars", "scipy"],
)
def test_a_matrix_of_any_kind(z):
    assert np.array_equal(as_embeddings(z), Z.astype(np.float32))
    assert as_embeddings(z).dtype == np.float32


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_any_scale_fits_float32(scale):
    z = as_embeddings(Z * scale).astype(float)
    assert np.allclose(z / z[0, 0], Z, rtol=1e-6)
    assert 1e-6 < np.abs(z).max() < 1e6


@pytest.mark.parametrize(
    "y",
    [
        np.array([7, -1, 3]),
        [7, -1, 3],
        torch.tensor([7, -1, 3]),
        np.array([[7], [-1], [3]]),
        np.array([7.0, np.nan, 3.0]),
        np.array(["dog", None, "cat"], dtype=object),
        pd.Series(["dog", None, "cat"]),
        pl.Series([7, None, 3]),
    ],
    ids=["int", "list", "tensor", "column", "nan", "object", "pandas", "polars"],
)
def test_labels_of_any_kind_become_codes_and_unknown_ones_minus_one(y):
    assert as_labels(y, 3).tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    ("z", "words"),
    [
        (np.zeros(3), "shape"),
        (np.zeros((0, 2)), "shape"),
        (np.zeros((2, 0)), "shape"),
        (np.array([["a", "b"]]), "ids"),
        (np.array([[1.0], [np.nan]]), "node 1"),
        (np.array([[1.0], [2.0], [-np.inf]]), "node 2"),
    ],
)
def test_what_is_no_embedding_is_refused_by_name(z, words):
    with pytest.raises(InputError, match=words):
        as_embeddings(z)


def test_labels_must_fit_and_tell_something_apart():
    with pytest.raises(InputError, match=r"\(3,\)"):
        as_labels(np.zeros(4, int), 3)
    with pytest.raises(InputError, match=r"Clustering .* got 1 \(2 of 3"):
        require_classes(np.array([4, -1, 4]), "Clustering")
    assert require_classes(np.array([4, -1, 0]), "Clustering") == 2
