"""One cell: the numbers are those of the protocols, and the file says how they came about."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from gigamae.baselines.controls import SGC, TargetAlone
from gigamae.errors import InputError
from gigamae.experiments import cell_run
from gigamae.experiments.cell_run import run_cell
from gigamae.experiments.cells import Variant, make_cell
from gigamae.experiments.methods import make_model
from gigamae.experiments.protocols import judge_embedding, judge_links
from gigamae.graph.graph import Graph

SMALL = {"epochs": 2, "hidden_dim": 16, "out_dim": 8, "heads": 2, "check_every": 1}
WALKS = {"node2vec": {"dim": 8, "walk_length": 5, "walks_per_node": 2, "epochs": 1}}

pytestmark = pytest.mark.usefixtures("on_tiny")


def test_labels_are_judged_as_by_the_protocols(tiny: Graph) -> None:
    found = run_cell(make_cell("sgc", "cora", "labels"))
    expected = judge_embedding(SGC().fit(tiny).transform(tiny), tiny.y)
    for task in ("classification", "clustering"):
        for measure, score in getattr(expected, task).scores().items():
            told = found["scores"][task][measure]
            np.testing.assert_allclose(told["values"], score.values, atol=1e-6)
            assert told["mean"] == pytest.approx(score.mean, abs=1e-6)
    assert set(found["scores"]) == {"classification", "clustering"}


def test_links_are_judged_as_by_the_protocols(tiny: Graph) -> None:
    cell = make_cell("gigamae", "cora", "links", split=2, seed=1, variant=Variant(SMALL, WALKS))
    found = run_cell(cell, device="cpu")
    model = make_model("gigamae", cell.settings, cell.targets, seed=1, device="cpu")
    expected = judge_links(lambda seed: model, tiny, (2,))
    assert found["scores"]["links"]["auc"]["mean"] == pytest.approx(expected.auc.mean, abs=1e-6)
    assert found["scores"]["links"]["ap"]["mean"] == pytest.approx(expected.ap.mean, abs=1e-6)
    assert set(found["scores"]) == {"links"}
    assert found["validation_auc"] == pytest.approx(model.history_.scores[found["best_epoch"]])


def test_the_file_says_how_it_came_about() -> None:
    cell = make_cell("gigamae", "cora", "labels", variant=Variant(SMALL, WALKS))
    found = run_cell(cell, device="cpu")
    json.dumps(found, allow_nan=False)
    assert found["key"] == cell.key
    assert (found["device"], found["epochs"], found["dimensions"]) == ("cpu", 2, 8)
    assert found["settings"] == cell.settings
    assert found["seconds"].keys() >= {
        "target node2vec", "target pca", "training", "fit", "embedding", "evaluation", "model", "total",
    }  # fmt: skip
    assert found["seconds"]["total"] >= found["seconds"]["model"] >= found["seconds"]["training"]
    assert found["peak_memory"] > 2**20
    assert {"versions", "machine", "date", "threads"} <= found.keys()


def test_labels_never_reach_training(tiny: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedding that is judged is the same whatever the labels are."""
    cell = make_cell("gigamae", "cora", "labels", variant=Variant(SMALL, WALKS))
    seen = []

    def judge(z: np.ndarray, y: np.ndarray) -> object:
        seen.append(z)
        return judge_embedding(z, y, tasks=())

    monkeypatch.setattr(cell_run, "judge_embedding", judge)
    assert tiny.y is not None
    for y in (tiny.y, 1 - tiny.y):
        monkeypatch.setattr(cell_run, "_graph", lambda *args, y=y: replace(tiny, y=y))
        run_cell(cell, device="cpu")
    np.testing.assert_array_equal(*seen)


def test_targets_alone_and_put_together(tiny: Graph) -> None:
    alone = make_cell("target", "cora", "labels", seed=3, variant=Variant(targets=WALKS, only=("node2vec",)))
    z = TargetAlone(alone.targets["node2vec"], random_state=3).fit(tiny).transform(tiny)
    expected = judge_embedding(z, tiny.y)
    found = run_cell(alone)
    assert expected.clustering is not None
    nmi = found["scores"]["clustering"]["nmi"]["mean"]
    assert nmi == pytest.approx(expected.clustering.nmi.mean, abs=1e-6)
    both = run_cell(make_cell("integrated", "cora", "labels", variant=Variant({"how": "average"}, WALKS)))
    assert both["dimensions"] <= 8


def test_a_graph_without_labels_is_refused(tiny: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_run, "_graph", lambda *args: replace(tiny, y=None))
    with pytest.raises(InputError, match="cora has no labels"):
        run_cell(make_cell("raw", "cora", "labels"))
