"""The paper's numbers: those of its tables, and its average ranks are what our function makes of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gigamae.experiments.experiment import METRICS
from gigamae.experiments.numbers import paper_ranks
from gigamae.experiments.paper import DATASETS, METHODS, Printed, printed
from gigamae.experiments.tables import tables

TABLES = Path(__file__).resolve().parents[3] / "shared" / "paper" / "tables"


def read(name: str) -> list[dict[str, str]]:
    if not TABLES.is_dir():
        pytest.skip(f"the paper's tables are not here (looked in {TABLES})")
    with (TABLES / name).open(newline="") as file:
        return list(csv.DictReader(file))


def number(mean: str, std: str | None = None) -> Printed:
    return Printed(float(mean), float(std) if std else None)


def test_how_many_there_are() -> None:
    by_table: dict[str, int] = {}
    for (table, _, dataset, _), _ in printed().items():
        by_table[table if dataset else "ranks"] = by_table.get(table if dataset else "ranks", 0) + 1
    assert by_table == {
        "table-1": 63, "table-2": 126, "table-3": 126, "table-4": 96, "table-5": 108, "table-6": 42,
        "ranks": 27,
    }  # fmt: skip


def test_comparisons_are_those_of_the_paper() -> None:
    told = printed()
    for row in read("node_classification.csv"):
        where = (row["method"].lower(), row["dataset"].lower())
        assert told[("table-1", *where, "accuracy")] == number(row["accuracy_mean"], row["accuracy_std"])
    for row in read("node_clustering.csv"):
        where = (row["method"].lower(), row["dataset"].lower())
        assert told[("table-2", *where, "nmi")] == number(row["nmi"])
        assert told[("table-2", *where, "ari")] == number(row["ari"])
    for row in read("link_prediction.csv"):
        where = (row["method"].lower(), row["dataset"].lower(), row["metric"].lower())
        assert told[("table-3", *where)] == number(row["mean"], row["std"])


@pytest.mark.parametrize(
    ("table", "name", "rows"),
    [
        (
            "table-4", "targets.csv",
            {"Node2vec": "target-node2vec", "PCA": "target-pca", "GAE": "target-gae",
             "GiGaMAE_Node2vec": "only-node2vec", "GiGaMAE_PCA": "only-pca", "GiGaMAE_GAE": "only-gae",
             "GiGaMAE": "gigamae", "GiGaMAE_Large": "large"},
        ),
        (
            "table-5", "ablations.csv",
            {"naive integration: max pooling": "integrated-max",
             "naive integration: average pooling": "integrated-average",
             "naive integration: concatenation": "integrated-concatenation",
             "naive loss: MSE": "loss-mse", "naive loss: scaled cosine": "loss-scaled-cosine",
             "naive loss: multi-view contrastive": "loss-contrastive",
             "naive mask: no edge mask": "no-edge-mask", "naive mask: no feature mask": "no-feature-mask",
             "GiGaMAE": "gigamae"},
        ),
    ],
)  # fmt: skip
def test_ablations_are_those_of_the_paper(table: str, name: str, rows: dict[str, str]) -> None:
    told = printed()
    seen = set()
    for row in read(name):
        where = (table, rows[row["row"]], row["dataset"].lower())
        assert told[(*where, "accuracy")] == number(row["accuracy_mean"], row["accuracy_std"])
        assert told[(*where, "nmi")] == number(row["nmi"])
        assert told[(*where, "ari")] == number(row["ari"])
        assert told[(*where, "auc")] == number(row["auc_mean"], row["auc_std"])
        seen.add(where[1])
    assert seen == set(rows.values())


def test_costs_are_those_of_the_paper() -> None:
    told = printed()
    for row in read("computation_cost.csv"):
        dataset = row["dataset"].lower()
        for metric in ("pca_s", "node2vec_s"):
            assert told["table-6", "gigamae", dataset, metric] == number(row[metric])
        assert told["table-6", "gigamae", dataset, "train_s"] == number(row["gigamae_train_s"])
        assert told["table-6", "gigamae", dataset, "total_s"] == number(row["gigamae_total_s"])
        assert told["table-6", "graphmae", dataset, "total_s"] == number(row["graphmae_s"])
        assert told["table-6", "gca", dataset, "total_s"] == number(row["gca_s"])


@pytest.mark.parametrize("table", ["table-1", "table-2", "table-3"])
def test_our_ranking_gives_the_papers_average_ranks(table: str) -> None:
    column = {m: printed()[table, m, "", "average_rank"].mean for m in METHODS}
    assert {m: round(r, 2) for m, r in paper_ranks(table).items()} == column


def test_every_number_has_a_place_in_our_tables() -> None:
    places = {
        (table.name, row.key, dataset, metric)
        for table in tables().values()
        for row, dataset, metric in table.entries()
    }
    assert {where for where in printed() if where[2]} <= places
    assert {where[2] for where in printed() if where[2]} == set(DATASETS)
    assert {where[3] for where in printed()} <= set(METRICS)
