"""Plans: what the user gave wins, then the preset, then advice; links has its own changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gigamae.errors import SettingsError
from gigamae.experiments.plan import make_plan, parse_target_settings, parse_targets
from gigamae.graph.graph import Graph
from gigamae.presets import load_preset
from gigamae.settings import Settings


@pytest.fixture
def graph() -> Graph:
    return Graph.from_edges([(i, (i + 1) % 30) for i in range(30)], np.eye(30, dtype="float32"))


def test_a_known_dataset_has_its_preset(graph: Graph) -> None:
    plan, cora = make_plan(graph, dataset="cora"), load_preset("cora")
    assert plan.preset == "cora"
    assert plan.expected == cora.expected
    assert plan.settings == Settings.from_dict(cora.settings).to_dict()
    assert plan.links_settings == Settings.from_dict(load_preset("cora", "links").settings).to_dict()
    assert plan.targets == cora.targets


def test_for_links_the_links_settings_are_fitted(graph: Graph) -> None:
    plan = make_plan(graph, dataset="cora", task="links")
    assert plan.settings == plan.links_settings != make_plan(graph, dataset="cora").settings


def test_what_was_given_wins_in_both_tasks(graph: Graph) -> None:
    plan = make_plan(graph, dataset="cora", settings={"epochs": 3, "mask_edge": 0.1})
    for settings in (plan.settings, plan.links_settings):
        assert (settings["epochs"], settings["mask_edge"]) == (3, 0.1)


def test_an_unknown_graph_gets_advice_with_reasons(graph: Graph) -> None:
    plan = make_plan(graph)
    assert plan.preset == "advice"
    assert plan.settings["hidden_dim"] == 128  # it is small
    assert plan.reasons


def test_none_starts_from_the_defaults(graph: Graph) -> None:
    plan = make_plan(graph, dataset="cora", preset="none")
    assert plan.settings == Settings().to_dict()
    assert plan.targets == {"node2vec": {"name": "node2vec"}, "pca": {"name": "pca"}}
    assert plan.reasons == []


def test_a_file_and_a_name_as_preset(graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[settings]\nepochs = 5\n[targets.pca]\nname = 'pca'\n")
    assert make_plan(graph, preset=str(path)).settings["epochs"] == 5
    assert make_plan(graph, preset="citeseer").preset == "citeseer"
    path.write_text("[settings]\nmask_rate = 0.3\n[links.settings]\nepochs = 9\n")
    plan = make_plan(graph, preset=str(path), method="graphmae")
    assert plan.settings == {"mask_rate": 0.3}
    assert plan.links_settings == {"mask_rate": 0.3, "epochs": 9}


def test_targets_keep_the_presets_settings(graph: Graph) -> None:
    plan = make_plan(graph, dataset="cora", targets=parse_targets("pca,gae,mine=m.npy"),
                     target_settings=parse_target_settings(["gae.epochs=4"]))  # fmt: skip
    assert plan.targets == {
        "pca": load_preset("cora").targets["pca"],
        "gae": {"name": "gae", "epochs": 4},
        "mine": {"name": "precomputed", "path": "m.npy"},
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"task": "sing"}, "task='sing'"),
        ({"settings": {"epoch": 3}}, "Did you mean 'epochs'"),
        ({"settings": {"epochs": 0}}, "epochs=0"),
        ({"preset": "nope"}, "no preset 'nope'"),
        ({"target_settings": {"gae": {"epochs": 4}}}, "no target 'gae' to change"),
        ({"method": "grcae"}, "no method 'grcae'. Did you mean 'grace'"),
        ({"method": "grcae", "preset": "cora"}, "no method 'grcae'"),
        ({"method": "grace", "targets": {"pca": {"name": "pca"}}}, "grace reconstructs no targets.*leave"),
        ({"method": "pca", "target_settings": {"pca": {"k": 4}}}, "pca reconstructs no targets.*leave"),
    ],
)
def test_wrong_plans(graph: Graph, given: dict, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        make_plan(graph, **given)


def test_a_file_without_a_name_is_called_after_itself() -> None:
    assert parse_targets("data/text.npy") == {"text": {"name": "precomputed", "path": "data/text.npy"}}


@pytest.mark.parametrize("text", ["", ",", "a=", "=b.npy", "pca,pca"])
def test_targets_that_are_not_understood(text: str) -> None:
    with pytest.raises(SettingsError, match="targets"):
        parse_targets(text)


@pytest.mark.parametrize("text", ["ratio=0.9", "pca.ratio", "pca.=1", ".ratio=1"])
def test_target_settings_that_are_not_understood(text: str) -> None:
    with pytest.raises(SettingsError, match=r"write pca\.ratio=0\.9"):
        parse_target_settings([text])
