"""``gigamae demo``: the whole method at once, with a table, a verdict and a run that goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

METHODS = ["GiGaMAE", "node2vec alone", "pca alone", "SGC features, 2 hops", "random encoder"]


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo graph with 200 nodes."""
    from gigamae.graph import datasets
    from gigamae.graph.demo import demo_graph

    monkeypatch.setattr(datasets, "load_dataset", lambda name: demo_graph(200))


@pytest.mark.usefixtures("small_demo")
def test_what_it_shows_and_leaves_behind(call: Any, tmp_path: Path) -> None:
    told = call("demo", "-o", tmp_path / "run", "--epochs", "2")
    assert told.code == 0, told.err
    for method in METHODS:
        assert method in told.out
    for head in ("accuracy", "NMI", "ARI", "AUC", "AP"):
        assert head in told.out
    assert "What you just saw" in told.out
    assert "training" in told.err, "progress is shown"
    run = tmp_path / "run"
    for name in ("embeddings.parquet", "model.safetensors", "model.json", "run.json", "demo.json"):
        assert (run / name).is_file()
        assert name in told.out or name == "demo.json"
    assert call("evaluate", run, "--task", "clustering", "-q").code == 0


@pytest.mark.usefixtures("small_demo")
def test_json(call: Any, tmp_path: Path) -> None:
    told = call("demo", "-o", tmp_path / "run", "--epochs", "2", "--seed", "1", "--json")
    found = told.json
    assert list(found["scores"]) == METHODS
    for scores in found["scores"].values():
        assert set(scores) == {"classification", "clustering", "links"}
    assert found["verdict"].count(" of 5 measures") == 1
    assert found["seconds"] > 0
    assert json.loads((tmp_path / "run" / "demo.json").read_text())["scores"] == found["scores"]


def test_a_folder_that_is_no_run(call: Any, tmp_path: Path) -> None:
    (tmp_path / "graph.npz").write_text("mine")
    assert "give another folder" in call("demo", "-o", tmp_path).refusal()
