"""Numbers of a table: means over seeds and splits, both spreads, ranks, and where ours stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gigamae.evaluate import paired, welch
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import Variant
from gigamae.experiments.experiment import Experiment, Narrowing, Row, first_cell, repeats, wanted_cells
from gigamae.experiments.markdown import number_text
from gigamae.experiments.numbers import Number, collect, leads, rank
from gigamae.experiments.paper import Printed
from gigamae.experiments.tables import tables

ROWS = (Row("gigamae", "GiGaMAE"), Row("sgc", "SGC", "sgc"), Row("raw", "raw", "raw"))


def experiment(*metrics: str, datasets: tuple[str, ...] = ("cora",), name: str = "table-1") -> Experiment:
    return Experiment(name, "A table", ROWS, datasets, metrics, ranks=("gigamae", "sgc", "raw"))


@pytest.fixture
def store(tmp_path: Path) -> CellStore:
    return CellStore(tmp_path / "cells")


@pytest.fixture
def put(store: CellStore, told: Callable) -> Callable[..., None]:
    """Put cells of a row with these scores, by seed (or by split)."""

    def write(row: Row, task: str, values: list[float], dataset: str = "cora", seed: int = 0) -> None:
        first = first_cell(row, dataset, task)
        for place, value in enumerate(values):
            seeds = {"seed": place} if task == "labels" else {"split": place, "seed": seed}
            cell = replace(first, **seeds)  # type: ignore[arg-type]
            store.put(cell, told(cell, value))

    return write


def one(numbers: list[Number], row: str, metric: str, dataset: str = "cora") -> Number:
    (found,) = [n for n in numbers if (n.row.key, n.metric, n.dataset) == (row, metric, dataset)]
    return found


def test_means_over_seeds_in_the_papers_unit(store: CellStore, put: Callable) -> None:
    put(ROWS[0], "labels", [0.80, 0.82, 0.87])
    numbers = collect(experiment("accuracy", "nmi"), store)
    accuracy, nmi = one(numbers, "gigamae", "accuracy"), one(numbers, "gigamae", "nmi")
    assert accuracy.values == pytest.approx((80, 82, 87))
    assert (accuracy.ours, accuracy.std) == (pytest.approx(83), pytest.approx(np.std([80, 82, 87])))
    assert accuracy.within == pytest.approx(1.0)  # over the judge's repeats, which is another spread
    assert nmi.ours == pytest.approx(0.83)
    assert (accuracy.state, accuracy.wanted) == ("partly", 5)
    assert accuracy.paper == Printed(84.72, 0.47)
    assert accuracy.difference == pytest.approx(-1.72)


def test_links_have_a_spread_over_splits_and_one_over_seeds(store: CellStore, put: Callable) -> None:
    put(ROWS[0], "links", [0.90, 0.92, 0.94, 0.96, 0.98], seed=0)
    put(ROWS[0], "links", [0.92, 0.94], seed=1)
    auc = one(collect(experiment("auc", name="table-3"), store), "gigamae", "auc")
    assert auc.values == pytest.approx((91, 93, 94, 96, 98))  # each split: the mean over its seeds
    assert auc.std == pytest.approx(np.std([91, 93, 94, 96, 98]))
    assert auc.within == pytest.approx(1.0)
    assert auc.state == "done"
    assert number_text(auc) == "94.40 ± 2.42 (5 splits, ± 1.00 over seeds)"


def test_one_seed_has_no_spread(store: CellStore, put: Callable) -> None:
    put(ROWS[0], "labels", [0.8])
    told = one(collect(experiment("accuracy"), store), "gigamae", "accuracy").to_dict()
    assert told == {
        "table": "table-1", "method": "gigamae", "dataset": "cora", "metric": "accuracy", "paper": 84.72,
        "ours": 80.0, "std": None, "seeds": 1,
    }  # fmt: skip


def test_what_was_not_run_has_no_number(store: CellStore) -> None:
    store.put_failure(first_cell(ROWS[1], "cora", "labels"), "it broke")
    numbers = collect(experiment("accuracy", datasets=("cora", "wikics")), store)
    assert all((n.ours, n.std, n.difference, n.values) == (None, None, None, ()) for n in numbers)
    assert all(n.to_dict()["ours"] is None and n.to_dict()["seeds"] == 0 for n in numbers)
    states = {(n.row.key, n.dataset): n.state for n in numbers}
    assert states["gigamae", "cora"] == "not run"
    assert states["sgc", "cora"] == "failed"
    assert states["gigamae", "wikics"] == "not run here"
    assert one(numbers, "sgc", "accuracy").error == "it broke"


def test_cells_with_other_settings_do_not_count(store: CellStore, put: Callable) -> None:
    put(Row("other", "other", variant=Variant({"mask_edge": 0.77})), "labels", [0.99])
    assert one(collect(experiment("accuracy"), store), "gigamae", "accuracy").ours is None


@pytest.mark.parametrize(
    ("ours", "std", "standing"),
    [
        (84.72, 0.5, "at or above"), (84.716, 0.5, "at or above"), (90, None, "at or above"),
        (84.0, 0.5, "below, within two of its std"), (83.0, 0.5, "below"), (84.7, None, "below"),
    ],
)  # fmt: skip
def test_where_ours_stands(ours: float, std: float | None, standing: str) -> None:
    n = Number("table-1", ROWS[0], "cora", "accuracy", Printed(84.72, std), values=(ours,))
    assert n.standing == standing
    assert replace(n, values=()).standing == ""
    assert replace(n, metric="total_s").standing == ""  # seconds of another machine


def test_average_ranks_over_what_all_have(store: CellStore, put: Callable) -> None:
    for dataset, scores in {"cora": (0.9, 0.8, 0.7), "photo": (0.7, 0.8, 0.6)}.items():
        for row, value in zip(ROWS, scores, strict=True):
            put(row, "labels", [value], dataset)
    put(ROWS[0], "labels", [0.1], "cs")  # the others have none there
    table = experiment("accuracy", datasets=("cora", "photo", "cs"))
    found = rank(table, collect(table, store))
    assert found is not None
    assert found.columns == 2
    assert found.ours == {"gigamae": 1.5, "sgc": 1.5, "raw": 3.0}
    assert found.paper == {}  # it has no such rows


def test_ranks_of_the_paper_over_the_same_columns(store: CellStore, put: Callable) -> None:
    table = tables()["table-1"]
    rows = {row.key: row for row in table.rows}
    for name, value in {"gigamae": 0.9, "graphmae": 0.8, "deepwalk": 0.85}.items():
        put(rows[name], "labels", [value], "citeseer")
    found = rank(table, collect(table, store))
    assert found is not None
    assert found.ours == {"gigamae": 1, "deepwalk": 2, "graphmae": 3}
    assert found.paper == {"gigamae": 2, "deepwalk": 3, "graphmae": 1}


def test_no_ranks_of_one_method(store: CellStore, put: Callable) -> None:
    put(ROWS[0], "labels", [0.9])
    assert rank(experiment("accuracy"), collect(experiment("accuracy"), store)) is None


def test_the_first_two_are_tested(store: CellStore, put: Callable) -> None:
    put(ROWS[0], "labels", [0.80, 0.82])
    put(ROWS[1], "labels", [0.90, 0.93, 0.91])
    put(ROWS[2], "labels", [0.99])  # one seed says nothing about chance
    put(ROWS[0], "links", [0.90, 0.92, 0.95])
    put(ROWS[1], "links", [0.91, 0.90, 0.93])
    by_seed, by_split = leads(collect(experiment("accuracy", "auc"), store))
    assert (by_seed.first.row.key, by_seed.second.row.key, by_seed.test) == ("sgc", "gigamae", "Welch")
    assert by_seed.by.p == pytest.approx(welch([90, 93, 91], [80, 82]).p)
    assert (by_split.first.row.key, by_split.test) == ("gigamae", "paired")
    assert by_split.by.p == pytest.approx(paired([90, 92, 95], [91, 90, 93]).p)


def test_seconds_come_from_the_cells(store: CellStore, put: Callable) -> None:
    row = tables()["table-6"].rows[0]
    put(row, "labels", [0.8, 0.8])
    numbers = collect(tables()["table-6"], store)
    assert one(numbers, "gigamae", "pca_s").ours == 0.5
    assert one(numbers, "gigamae", "total_s").ours == 2.0
    assert one(numbers, "gigamae", "node2vec_s").state == "none"  # such a target was not there


def test_wanted_cells_come_once_and_first_seeds_first() -> None:
    both = (experiment("accuracy"), experiment("nmi", "auc", name="table-2"))
    cells = wanted_cells(both, Narrowing(methods=("sgc", "raw"), seeds=2))
    assert len({cell.key for cell in cells}) == len(cells) == 2 * (2 + 2)
    assert [max(c.seed, c.split or 0) for c in cells] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert {c.method for c in cells} == {"sgc", "raw"}


def test_narrowing() -> None:
    table = experiment("accuracy", "auc", datasets=("cora", "photo"))
    everything = wanted_cells((table,), Narrowing())
    assert len(everything) == 3 * (5 + 5) + 3 * (3 + 5)
    narrow = Narrowing(datasets=("photo",), methods=("gigamae",), splits=2, link_seeds=2)
    only = wanted_cells((table,), narrow)
    assert [(c.task, c.seed, c.split) for c in only if c.task == "links"] == [
        ("links", 0, 0), ("links", 0, 1), ("links", 1, 0), ("links", 1, 1),
    ]  # fmt: skip
    assert len(only) == 3 + 4


def test_repeats_differ_in_seeds_alone() -> None:
    first = first_cell(ROWS[0], "cora", "labels")
    assert [replace(c, seed=0) for c in repeats(first, 3, 5)] == [first] * 3
