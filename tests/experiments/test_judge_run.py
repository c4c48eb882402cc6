"""Judging a run: all it needs is in its folder, and each number says over what it spreads."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, pstdev

import numpy as np
import pytest

from gigamae import evaluate
from gigamae.errors import InputError, SettingsError
from gigamae.experiments.judge_run import TASKS, judge_run
from gigamae.experiments.plan import Plan
from gigamae.experiments.runs import Run, fit_run
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links


@pytest.fixture
def run(tiny: Graph, plan: Plan) -> Run:
    return fit_run(tiny, plan)


def test_all_tasks(run: Run) -> None:
    found = judge_run(run, split_seeds=(0, 1))
    assert {task: set(measures) for task, measures in found.scores.items()} == {
        "classification": {"accuracy"}, "clustering": {"nmi", "ari"}, "links": {"auc", "ap"},
    }  # fmt: skip
    assert [len(v) for v in found.details["links"]["auc"]] == [1, 1]
    assert len(found.details["classification"]["accuracy"][0]) == 10
    assert any("std over 2 splits" in note for note in found.notes)


def test_the_numbers_are_those_of_the_protocols(run: Run, tiny: Graph) -> None:
    found = judge_run(run, split_seeds=(3,))
    z, y = run.model.transform(tiny), tiny.y
    assert y is not None
    assert found.scores["classification"] == evaluate.classification(z, y, seed=0).to_dict()
    assert found.scores["clustering"] == evaluate.clustering(z, y, seed=0).to_dict()
    split = split_links(tiny, seed=3)
    model = run.new_model("links", 3).fit(
        split.train, validate=lambda z: evaluate.links(z, split, part="val").auc.mean
    )
    expected = evaluate.links(model.transform(split.train), split, part="test")
    assert found.scores["links"] == expected.to_dict()


@pytest.mark.parametrize("task", [t for t in TASKS if t != "all"])
def test_one_task(task: str, run: Run) -> None:
    assert set(judge_run(run, task, split_seeds=(0,)).scores) == {task}


def test_several_seeds_spread_over_seeds(run: Run, tiny: Graph) -> None:
    found = judge_run(run, "classification", seeds=3)
    by_seed = found.details["classification"]["accuracy"]
    assert [len(repeats) for repeats in by_seed] == [10, 10, 10]
    means = [fmean(repeats) for repeats in by_seed]
    assert found.scores["classification"]["accuracy"] == {
        "mean": pytest.approx(fmean(means)), "std": pytest.approx(pstdev(means)),
    }  # fmt: skip
    assert any("std over pre-training seeds" in note for note in found.notes)
    third = run.new_model("all", 2).fit(tiny).transform(tiny)
    assert tiny.y is not None
    assert by_seed[2] == list(evaluate.classification(third, tiny.y, seed=0).accuracy.values)


def test_a_run_for_links_is_judged_on_its_own_split_by_its_own_model(tiny: Graph, plan: Plan) -> None:
    run = fit_run(tiny, replace(plan, task="links"), split_seed=2)
    found = judge_run(run)
    split = split_links(tiny, seed=2)
    expected = evaluate.links(run.model.transform(split.train), split, part="test")
    assert found.scores["links"] == expected.to_dict()
    assert any("saw 85% of the edges" in note for note in found.notes)
    assert any("own split (seed 2)" in note for note in found.notes)


def test_a_method_that_saves_no_model_is_fitted_anew(run: Run) -> None:
    whole = judge_run(run, "clustering").scores
    run.model = None
    assert judge_run(run, "clustering").scores == whole


@pytest.mark.parametrize("y", [None, np.zeros(70, np.int64)], ids=["no labels", "one class"])
def test_labels_that_cannot_be_judged(y: np.ndarray | None, run: Run, tiny: Graph) -> None:
    run.graph = replace(tiny, y=y)
    found = judge_run(run, split_seeds=(0,))
    assert set(found.scores) == {"links"}
    assert "classification and clustering are left out" in found.notes[0]
    with pytest.raises(InputError, match="cannot be judged"):
        judge_run(run, "clustering")


def test_wrong_calls(run: Run) -> None:
    with pytest.raises(SettingsError, match="task='sing' is not one of all"):
        judge_run(run, "sing")
    with pytest.raises(SettingsError, match="at least 1"):
        judge_run(run, seeds=0)
    with pytest.raises(SettingsError, match="at least 1"):
        judge_run(run, split_seeds=())
