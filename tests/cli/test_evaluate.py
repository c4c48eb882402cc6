"""``gigamae evaluate``: a run remembers its graph, so nothing else is needed to judge it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from gigamae.pretrain.checkpoint import sealed

MEASURES = {"classification": {"accuracy"}, "clustering": {"nmi", "ari"}, "links": {"auc", "ap"}}


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A copy that may be written to."""
    return Path(shutil.copytree(trained, tmp_path / "run"))


def test_as_a_user_runs_it(run: Path) -> None:
    call = [sys.executable, "-m", "gigamae", "evaluate", str(run), "--splits", "1", "--json"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {task: set(measures) for task, measures in told.items()} == MEASURES
    for measures in told.values():
        for score in measures.values():
            assert set(score) == {"mean", "std"}
            assert -1 <= score["mean"] <= 1
    kept = json.loads((run / "evaluation.json").read_text())
    assert kept["scores"] == told
    assert len(kept["values"]["classification"]["accuracy"][0]) == 10


def test_the_table_says_what_was_expected(run: Path, call: Any) -> None:
    about = json.loads((run / "run.json").read_text())
    about["expected"] = {"clustering": {"nmi": {"mean": 0.6543, "std": 0.0, "seeds": 5}}}
    (run / "run.json").write_text(json.dumps(sealed(about, "run.json")))
    told = call("evaluate", run, "--task", "clustering")
    assert told.code == 0, told.err
    for word in ("clustering", "NMI", "ARI", "0.6543", "expected"):
        assert word in told.out
    assert "AUC" not in told.out


@pytest.mark.parametrize("task", MEASURES)
def test_one_task_alone(task: str, run: Path, call: Any) -> None:
    told = call("evaluate", run, "--task", task, "--splits", "1", "--json")
    assert {t: set(m) for t, m in told.json.items()} == {task: MEASURES[task]}


def test_links_are_judged_by_models_of_their_own(run: Path, call: Any) -> None:
    """The run's model has seen the test edges: it is not asked."""
    told = call("evaluate", run, "--task", "links", "--splits", "2", "--json")
    assert "link split 2 of 2" in told.err
    assert "each with a model of its own" in told.err
    kept = json.loads((run / "evaluation.json").read_text())
    assert len(kept["values"]["links"]["auc"]) == 2


def test_a_run_for_links_is_judged_on_its_own_split(
    small_files: Any, fit: Any, call: Any, tmp_path: Path
) -> None:
    more = ("--task", "links", "--split-seed", "3", "-q")
    assert fit(small_files.path, tmp_path / "links", *small_files.all, *more).code == 0
    told = call("evaluate", tmp_path / "links", "--task", "links", "--json")
    assert "on the run's own split (seed 3)" in told.err
    assert "target node2vec" not in told.err, "nothing is trained anew"
    again = call("evaluate", tmp_path / "links", "--task", "links", "--json")
    assert again.json == told.json


def test_several_pre_training_seeds(run: Path, call: Any) -> None:
    told = call("evaluate", run, "--task", "clustering", "--seeds", "2", "--json")
    assert told.code == 0, told.err
    assert "pre-training with seed 1" in told.err
    assert "std over pre-training seeds" in told.err
    by_seed = json.loads((run / "evaluation.json").read_text())["values"]["clustering"]["nmi"]
    assert [len(starts) for starts in by_seed] == [10, 10]
    means = [fmean(starts) for starts in by_seed]
    assert told.json["clustering"]["nmi"] == pytest.approx({"mean": fmean(means), "std": pstdev(means)})


def test_without_labels_links_are_judged_and_the_rest_is_told(
    small_files: Any, fit: Any, call: Any, tmp_path: Path
) -> None:
    assert fit(small_files.path, tmp_path / "run", "--features", small_files.features, "-q").code == 0
    told = call("evaluate", tmp_path / "run", "--splits", "1", "--json")
    assert set(told.json) == {"links"}
    assert "edges has no labels: classification and clustering are left out." in told.err
    refused = call("evaluate", tmp_path / "run", "--task", "classification").refusal()
    assert "fit it again with --labels" in refused


def test_a_folder_that_cannot_be_written_into_is_told_before_the_work(run: Path, call: Any) -> None:
    (run / "evaluation.json").mkdir()
    told = call("evaluate", run)
    assert "evaluation.json: Is a directory. Give another place" in told.refusal()
    assert "link split" not in told.err, "nothing was judged yet"


def test_wrong_calls(run: Path, call: Any, tmp_path: Path) -> None:
    assert "task='sing' is not one of all" in call("evaluate", run, "--task", "sing").refusal()
    assert "--splits" in call("evaluate", run, "--splits", "0").refusal()
    assert "lacks run.json" in call("evaluate", tmp_path).refusal()
    assert not (run / "evaluation.json").exists()
