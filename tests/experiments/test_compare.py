"""Comparisons: which rows and columns, the order, and what is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gigamae.errors import SettingsError
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.compare import comparison, overview, write_comparison
from gigamae.experiments.experiment import first_cell
from gigamae.experiments.methods import method_names
from gigamae.experiments.numbers import collect


def test_all_is_every_method_and_every_task() -> None:
    found = comparison("photo")
    assert {row.key for row in found.rows} == set(method_names())
    assert found.metrics == ("accuracy", "nmi", "ari", "auc", "ap", "total_s", "memory_mib")
    assert (found.num_seeds("photo"), found.num_splits("photo")) == (3, 5)


def test_some_of_it() -> None:
    found = comparison("cora", ["sgc", "gigamae"], ["links", "clustering"], seeds=7)
    assert [row.key for row in found.rows] == ["gigamae", "sgc"]
    assert found.metrics == ("nmi", "ari", "auc", "ap", "total_s", "memory_mib")
    assert (found.num_seeds("cora"), found.num_splits("cora")) == (7, 5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"methods": ["sgcc"]}, "no method 'sgcc'. Did you mean 'sgc'"),
        ({"tasks": ["link"]}, "no task 'link'"),
    ],
)
def test_slips(given: dict, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        comparison("cora", **given)


def test_the_best_average_rank_comes_first(tmp_path: Path, told: Callable) -> None:
    store = CellStore(tmp_path / "cells")
    experiment = comparison("cora", ["gigamae", "sgc", "raw", "gca"])
    for name, value in {"gigamae": 0.7, "sgc": 0.8, "raw": 0.6}.items():
        for task in ("labels", "links"):
            (row,) = [row for row in experiment.rows if row.key == name]
            first = first_cell(row, "cora", task)
            for place in range(2):
                cell = replace(first, **({"seed": place} if task == "labels" else {"split": place}))
                store.put(cell, told(cell, value + place / 50))
    numbers = collect(experiment, store)
    heads, rows, sentence = overview(experiment, numbers)
    assert heads == ["method", "rank", "ACC", "NMI", "ARI", "AUC", "AP", "seconds", "MiB"]
    assert [row[0] for row in rows] == ["SGC features", "GiGaMAE", "raw features", "GCA"]
    assert rows[0] == ["SGC features", "1.00", "81.00", "0.810", "0.810", "81.00", "81.00", "2.00", "1024"]
    assert rows[3][1:] == ["", *["not run"] * 7]
    assert "5 scores" in sentence
    files = write_comparison(experiment, numbers, tmp_path / "out")
    assert [f.name for f in files] == ["compare-cora.md", "compare-cora.csv", "compare-cora.png"]
    text = files[0].read_text()
    assert "| GiGaMAE | 71.00 ± 1.00 (2 of 5)<br>paper 84.72 ± 0.47, -13.72 |" in text
    assert (tmp_path / "out" / "compare-cora.svg").read_text().count("<svg") == 1
