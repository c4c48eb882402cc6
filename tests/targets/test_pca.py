"""PCA: against a dense SVD of the centred features, whatever way the eigenpairs are found."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph
from gigamae.targets import spectrum
from gigamae.targets.pca import PCA


def graph_of(x: np.ndarray | sp.spmatrix) -> Graph:
    return Graph.from_edges([(0, 1)], x, num_nodes=x.shape[0])


def slow_pca(x: np.ndarray, whiten: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """All scores (N, r) and singular values (r,), by the dense SVD; signs by the largest loading."""
    x = x.astype(np.float64)
    centred = x - x.mean(axis=0)
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    real = s > 1e-9 * s[0]
    u, s, vt = u[:, real], s[real], vt[real]
    signs = np.sign(vt[np.arange(len(s)), np.abs(vt).argmax(axis=1)])
    scores = u * signs * (np.sqrt(len(x)) if whiten else s)
    return scores, s


def bags(rng: np.random.Generator, n: int, d: int) -> sp.csr_matrix:
    """Sparse counts with some columns far more common than others, so that no two variances agree."""
    share = 0.4 / (1 + np.arange(d)) ** 0.4
    return sp.csr_matrix((rng.random((n, d)) < share) * rng.integers(1, 5, (n, d)), dtype=np.float32)


@pytest.mark.parametrize("whiten", [True, False])
@pytest.mark.parametrize(("n", "d"), [(60, 12), (12, 60)], ids=["N > D", "D > N"])
def test_scores_equal_the_dense_svd(n: int, d: int, whiten: bool, rng: np.random.Generator) -> None:
    x = rng.normal(size=(n, d)).astype(np.float32) * np.linspace(3, 1, d, dtype=np.float32)
    scores, _ = slow_pca(x, whiten)
    z = PCA(k=5, whiten=whiten).fit(graph_of(x))
    assert z.dtype == np.float32
    np.testing.assert_allclose(z, scores[:, :5], atol=2e-5 * np.abs(scores).max())


def test_whitened_components_are_uncorrelated_with_unit_variance(rng: np.random.Generator) -> None:
    z = PCA(ratio=0.9).fit(graph_of(bags(rng, 200, 40))).astype(np.float64)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(z.T @ z / len(z), np.eye(z.shape[1]), atol=1e-5)


@pytest.mark.parametrize("criterion", ["variance", "singular_values"])
@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.8, 0.99])
def test_the_fewest_components_that_reach_the_ratio(
    criterion: str, ratio: float, rng: np.random.Generator
) -> None:
    x = bags(rng, 80, 30)
    _, s = slow_pca(x.toarray())
    shares = s**2 if criterion == "variance" else s
    cumulated = np.cumsum(shares) / shares.sum()
    k = PCA(ratio=ratio, criterion=criterion).fit(graph_of(x)).shape[1]  # type: ignore[arg-type]
    assert cumulated[k - 1] >= ratio - 1e-9
    assert k == 1 or cumulated[k - 2] < ratio


def test_the_release_keeps_more_components_for_a_ratio(rng: np.random.Generator) -> None:
    graph = graph_of(bags(rng, 80, 30))
    by_variance, by_values = PCA(ratio=0.5), PCA(ratio=0.5, criterion="singular_values")
    assert by_variance.fit(graph).shape[1] < by_values.fit(graph).shape[1]


@pytest.mark.parametrize("shape", [(90, 25), (25, 90)])
@pytest.mark.parametrize("normalise_rows", [True, False])
def test_sparse_and_dense_features_give_the_same(
    shape: tuple[int, int], normalise_rows: bool, rng: np.random.Generator
) -> None:
    x = bags(rng, *shape)
    recipe = PCA(ratio=0.7, normalise_rows=normalise_rows)
    np.testing.assert_allclose(recipe.fit(graph_of(x)), recipe.fit(graph_of(x.toarray())), atol=1e-4)


def test_ratio_1_keeps_all_that_is_not_rounding(rng: np.random.Generator) -> None:
    low = (rng.normal(size=(50, 4)) @ rng.normal(size=(4, 20))).astype(np.float32)
    x = np.round(low * 8) / 8  # exact in float32, so that the rank below is not noise
    x[:, 10:] = x[:, :10]  # half of the columns say nothing new
    assert PCA(ratio=1).fit(graph_of(x)).shape[1] == len(slow_pca(x)[1]) == 10
    assert np.isfinite(PCA(ratio=1).fit(graph_of(x))).all()


def test_normalise_rows_divides_by_the_sum_of_absolute_values(rng: np.random.Generator) -> None:
    x = rng.normal(size=(30, 6)).astype(np.float32)
    x[3] = 0  # a row of zeros stays one
    sums = np.abs(x).sum(axis=1, keepdims=True)
    by_hand = x / np.where(sums > 0, sums, 1)
    z = PCA(k=3, normalise_rows=True).fit(graph_of(x))
    np.testing.assert_allclose(z, PCA(k=3).fit(graph_of(by_hand)), atol=1e-4)
    assert np.abs(z - PCA(k=3).fit(graph_of(x))).max() > 0.01


@pytest.mark.parametrize("constant", [np.ones((9, 4)), sp.csr_matrix((9, 4)), np.full((9, 2), 1e6)])
def test_constant_features_become_one_column_of_zeros(
    constant: np.ndarray | sp.csr_matrix, caplog: pytest.LogCaptureFixture
) -> None:
    z = PCA().fit(graph_of(constant.astype(np.float32)))
    assert z.shape == (9, 1)
    assert not z.any()
    assert "do not vary" in caplog.text


def test_k_is_cut_to_what_there_is_and_max_components_is_told(
    rng: np.random.Generator, caplog: pytest.LogCaptureFixture
) -> None:
    graph = graph_of(rng.normal(size=(20, 5)).astype(np.float32))
    assert PCA(k=50).fit(graph).shape == (20, 5)
    with caplog.at_level(logging.WARNING):
        assert PCA(ratio=1, max_components=2).fit(graph).shape == (20, 2)
    assert "max_components keeps 2 components" in caplog.text


@pytest.mark.parametrize("criterion", ["variance", "singular_values"])
def test_lanczos_finds_what_the_whole_decomposition_finds(
    criterion: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    fading = sp.diags(0.97 ** np.arange(400))  # without gaps between eigenvalues no iteration is quick
    graph = graph_of(sp.csr_matrix(bags(rng, 700, 400) @ fading))
    recipe = PCA(ratio=0.5, criterion=criterion)  # type: ignore[arg-type]
    whole = recipe.fit(graph)
    calls = []
    lanczos = spectrum.block_lanczos

    def counted(*args, **more):  # type: ignore[no-untyped-def]
        calls.append(lanczos(*args, **more))
        return calls[-1]

    monkeypatch.setattr(spectrum, "DENSE_SIDE", 100)
    monkeypatch.setattr(spectrum, "block_lanczos", counted)
    iterated = recipe.fit(graph, seed=5)
    assert calls
    assert calls[-1] is not None, "the iteration gave up, so nothing was compared"
    assert iterated.shape == whole.shape
    np.testing.assert_allclose(iterated, whole, atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ratio": 0.0}, "ratio must be above 0"),
        ({"ratio": 1.5}, "at most 1; got 1.5"),
        ({"ratio": None}, "got None"),
        ({"k": 0}, "k must be at least 1"),
        ({"max_components": 0}, "max_components must be at least 1"),
        ({"criterion": "entropy"}, "got 'entropy'"),
    ],
)
def test_settings_that_cannot_be(settings: dict, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        PCA(**settings)
