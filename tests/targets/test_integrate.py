"""Naive integration, entry by entry, and what GiGaMAE makes of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae import GiGaMAE, Graph
from gigamae.errors import InputError, SettingsError
from gigamae.targets.integrate import NAIVE, integrate, narrowed


def columns_of_unit_variance(matrix: np.ndarray) -> list[list[float]]:
    out = [[0.0] * matrix.shape[1] for _ in matrix]
    for j in range(matrix.shape[1]):
        column = [float(v) for v in matrix[:, j]]
        mean = sum(column) / len(column)
        spread = (sum((v - mean) ** 2 for v in column) / len(column)) ** 0.5
        for i, v in enumerate(column):
            out[i][j] = (v - mean) / spread
    return out


@pytest.mark.parametrize("how", ["max", "average"])
def test_pooling_is_taken_entry_by_entry(how: str, rng: np.random.Generator) -> None:
    matrices = [rng.normal(size=(9, 4)) * scale + scale for scale in (1.0, 100.0, 0.01)]
    found = integrate(matrices, how)
    same = [columns_of_unit_variance(m) for m in matrices]
    for i in range(9):
        for j in range(4):
            entries = [m[i][j] for m in same]
            expected = max(entries) if how == "max" else sum(entries) / 3
            assert found[i, j] == pytest.approx(expected, abs=1e-5)


def test_concatenation_is_left_as_it_is(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(5, 2)).astype("float32"), rng.normal(size=(5, 3)).astype("float32")
    np.testing.assert_array_equal(integrate([a, b], "concatenation"), np.hstack([a, b]))


def test_no_target_wins_by_its_units(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    np.testing.assert_allclose(integrate([a, 1e4 * b], "max"), integrate([a, b], "max"), atol=1e-5)


def test_the_narrowest_decides_the_width(rng: np.random.Generator) -> None:
    wide, narrow = rng.normal(size=(30, 12)), rng.normal(size=(30, 3))
    for how in ("max", "average"):
        found = integrate([wide, narrow], how)
        assert found.shape == (30, 3)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, integrate([narrowed(wide, 3), narrow], how), atol=1e-6)


@given(st.integers(2, 12), st.integers(1, 6), st.integers(1, 6), st.integers(0, 5))
def test_property_narrowing_keeps_the_most_that_so_many_columns_can(
    n: int, d: int, width: int, seed: int
) -> None:
    matrix = np.random.default_rng(seed).normal(size=(n, d))
    found = narrowed(matrix, width)
    if d <= width:
        assert found is matrix
        return
    singular = np.linalg.svd(matrix - matrix.mean(axis=0), compute_uv=False)
    kept = np.zeros(width)
    kept[: len(singular)] = singular[:width] ** 2
    np.testing.assert_allclose((found**2).sum(axis=0), kept, atol=1e-8)


def test_rows_without_a_vector_stay_zero_and_enter_no_statistic(rng: np.random.Generator) -> None:
    matrix = rng.normal(size=(8, 4))
    holed = np.insert(matrix, 3, 0.0, axis=0)
    found = narrowed(holed, 2)
    assert not found[3].any()
    np.testing.assert_allclose(np.delete(found, 3, axis=0), narrowed(matrix, 2), atol=1e-12)
    assert not narrowed(np.zeros((3, 4)), 2).any()


def test_bad_calls_say_what_is_wrong() -> None:
    with pytest.raises(SettingsError, match="'median' is not known; choose one of max"):
        integrate([np.ones((2, 2))], "median")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"\[2, 3\] rows"):
        integrate([np.ones((2, 2)), np.ones((3, 2))], "max")
    with pytest.raises(SettingsError, match=r"integration='mean'.*max"):
        GiGaMAE(integration="mean").fit(Graph.from_edges([[0, 1]]))


@pytest.mark.parametrize("how", NAIVE)
def test_one_term_of_one_weight_is_trained_and_survives_saving(
    how: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    graph = Graph.from_edges(rng.integers(0, 30, (60, 2)), rng.random((30, 6)), num_nodes=30)
    matrices = {"a": rng.normal(size=(30, 5)), "b": rng.normal(size=(30, 3))}
    told: list[dict[str, float]] = []
    model = GiGaMAE(matrices, integration=how, hidden_dim=8, out_dim=8, heads=2, epochs=4,
                    term_weights={"E": [1, 2, 3]})  # fmt: skip
    model.fit(graph, progress=_Listener(told))
    width = 8 if how == "concatenation" else 3
    assert model.module_.dims == (width,)
    assert model.module_.subsets == [(0,)]
    assert model.module_.weights == {letter: {(0,): 1.0} for letter in "EFB"}
    assert {name for terms in told for name in terms} == {"E:1", "F:1", "B:1"}
    again = GiGaMAE.load(model.save(tmp_path))
    assert again.integration == how
    np.testing.assert_array_equal(again.transform(graph), model.transform(graph))


class _Listener:
    def __init__(self, told: list[dict[str, float]]) -> None:
        self.told = told

    def stage(self, name: str) -> None: ...

    def note(self, text: str) -> None: ...

    def epoch(self, report) -> None:  # type: ignore[no-untyped-def]
        self.told.append(report.terms)

    def done(self) -> None: ...
