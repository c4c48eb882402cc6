"""``gigamae reproduce``: cells are run once, --json says what there is, WikiCS is run where it can be had."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gigamae.experiments import cell_run, schedule
from gigamae.graph.catalogue import DATASETS


@pytest.fixture
def wikics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small file of WikiCS's format, whose numbers the catalogue is told."""
    rng = np.random.default_rng(0)
    n, classes = 60, 2
    y = np.arange(n) % classes
    links = [sorted({(i + 1) % n, (i + 2) % n, *rng.choice(n, 3).tolist()} - {i}) for i in range(n)]
    x = np.round(rng.normal(size=(n, 5)) + y[:, None], 3)
    raw = tmp_path / "WikiCS" / "raw"
    raw.mkdir(parents=True)
    some = [[True] * n]
    (raw / "data.json").write_text(
        json.dumps(
            {"features": x.tolist(), "labels": y.tolist(), "links": links, "train_masks": some,
             "val_masks": some, "stopping_masks": some, "test_mask": some[0]}
        )
    )  # fmt: skip
    edges = len({tuple(sorted((i, j))) for i, to in enumerate(links) for j in to})
    info = replace(DATASETS["wikics"], nodes=n, edges=edges, features=5, classes=classes)
    monkeypatch.setitem(DATASETS, "wikics", info)
    cell_run._graph.cache_clear()
    return tmp_path


def test_wikics_is_run_where_its_file_is(call, wikics: Path, tmp_path: Path) -> None:
    told = call("reproduce", "table-1", "--dataset", "WikiCS", "--method", "raw,sgc", "--seeds", "1",
                "--json", "-q", "--data-root", wikics, "--out", tmp_path / "r")  # fmt: skip
    assert told.code == 0, told.err
    cells = told.json["cells"]
    assert {(c["table"], c["method"], c["dataset"], c["metric"]) for c in cells} == {
        ("table-1", "raw", "wikics", "accuracy"), ("table-1", "sgc", "wikics", "accuracy"),
    }  # fmt: skip
    assert all(c["seeds"] == 1 and 30 < c["ours"] <= 100 and c["paper"] is None for c in cells)
    page = (tmp_path / "r" / "table-1.md").read_text()
    (line,) = [line for line in page.splitlines() if line.startswith("| SGC features |")]
    assert line.split("|")[4].strip().startswith(("**", "1", "2", "3", "4", "5", "6", "7", "8", "9"))


def test_wikics_is_not_run_where_it_is_not(call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    cell_run._graph.cache_clear()
    told = call("reproduce", "table-1", "--dataset", "wikics", "--method", "gigamae", "--json",
                "--data-root", tmp_path / "empty", "--out", tmp_path / "r")  # fmt: skip
    assert told.code == 0
    assert "wikics was left out: WikiCS is not in" in told.err
    (cell,) = told.json["cells"]
    assert (cell["paper"], cell["ours"], cell["std"], cell["seeds"]) == (81.14, None, None, 0)
    page = (tmp_path / "r" / "table-1.md").read_text()
    (line,) = [line for line in page.splitlines() if line.startswith("| GiGaMAE |")]
    assert line.split("|")[4].strip() == "not run here<br>paper 81.14 ± 0.16"


def test_a_second_call_runs_nothing(
    call, wikics: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ("--dataset", "wikics", "--method", "sgc", "--seeds", "2", "--data-root", wikics,
            "--out", tmp_path / "r")  # fmt: skip
    first = call("reproduce", "table-3", *args, "--json", "-q")
    monkeypatch.setattr(schedule, "attempt", None)  # whoever runs a cell now breaks
    again = call("reproduce", "table-3", *args, "--json", "-q")
    assert again.json["cells"] == first.json["cells"]
    assert "0 cells run, 2 were there, 0 failed." in again.err
    rendered = call("reproduce", "all", "--render-only", "--json", "-q", "--out", tmp_path / "r")
    assert [c for c in rendered.json["cells"] if c["table"] == "table-3" and c["seeds"]] == [
        c for c in first.json["cells"] if c["seeds"]
    ]


def test_a_real_graph_from_end_to_end(call, data_root: Path, tmp_path: Path) -> None:
    """Links of Cora by a method that takes no time, with all that is told about it."""
    cell_run._graph.cache_clear()
    told = call("reproduce", "table-3", "--dataset", "cora", "--method", "sgc", "--splits", "1",
                "--data-root", data_root, "--out", tmp_path / "r")  # fmt: skip
    assert told.code == 0, told.err
    assert "[1/1] sgc cora links split 0 seed 0: auc 0.9" in told.err
    assert "1 cells run, 0 were there, 0 failed." in told.out
    (path,) = (tmp_path / "r" / "cells" / "cora" / "sgc").iterdir()
    assert path.name.startswith("links-split0-seed0-")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["table-9"], "nothing called 'table-9'"),
        (["table-1", "--dataset", "coar"], "no dataset 'coar'"),
        (["table-1", "--method", "gigame"], "Did you mean 'gigamae'"),
    ],
)
def test_slips(call, args: list[str], said: str, tmp_path: Path) -> None:
    assert said in call("reproduce", *args, "--out", tmp_path / "r").refusal()
    assert not (tmp_path / "r").exists()


def test_the_diagram(call, tmp_path: Path) -> None:
    told = call("reproduce", "figure-2", "--out", tmp_path / "r", "--json")
    assert told.code == 0
    assert told.json["cells"] == []
    assert "there is nothing to run" in told.err
