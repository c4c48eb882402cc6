"""Presets: each is whole, says where its values are from, and runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gigamae.errors import SettingsError
from gigamae.experiments.methods import make_model
from gigamae.experiments.protocols import fit_on_split
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links
from gigamae.presets import FOLDER, ORIGINS, load_preset, merge_targets, preset_names, read_preset
from gigamae.settings import Settings

NAMES = preset_names()


@pytest.fixture(scope="module")
def tiny() -> Graph:
    """Sixty nodes in two blocks whose features tell the blocks apart."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    share = np.where(y[:, None] == y[None, :], 0.25, 0.03)
    edges = np.argwhere(np.triu(rng.random((60, 60)) < share, 1))
    x = (rng.random((60, 12)) < 0.2 + 0.4 * (np.arange(12) % 2 == y[:, None])).astype("float32")
    return Graph.from_edges(edges, x, num_nodes=60, y=y)


def test_the_first_presets_are_there() -> None:
    assert {"cora", "citeseer"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_has_an_origin_and_every_origin_a_value(name: str) -> None:
    preset = load_preset(name)
    own = {f"{t}.{k}" for t, recipe in preset.targets.items() for k in recipe if k != "name"}
    links = {f"links.{k}" for k in preset.links_settings}
    links |= {f"links.{t}.{k}" for t, r in preset.links_targets.items() for k in r if k != "name"}
    assert set(preset.origin) == set(preset.settings) | own | links
    assert set(preset.origin.values()) <= set(ORIGINS)


@pytest.mark.parametrize("name", NAMES)
def test_expected_numbers_are_fractions_with_a_spread(name: str) -> None:
    expected = load_preset(name).expected
    assert {t: set(m) for t, m in expected.items()} == {
        "classification": {"accuracy"}, "clustering": {"nmi", "ari"}, "links": {"auc", "ap"},
    }  # fmt: skip
    for measures in expected.values():
        for number in measures.values():
            assert 0 < number["mean"] <= 1
            assert 0 <= number["std"] < 0.2
            assert number["seeds"] >= 0


@pytest.mark.parametrize("task", [None, "links"])
@pytest.mark.parametrize("name", NAMES)
def test_two_epochs_on_a_tiny_graph(name: str, task: str | None, tiny: Graph) -> None:
    preset = load_preset(name, task)
    model = make_model("gigamae", {**preset.settings, "epochs": 2}, preset.targets)
    assert Settings.from_dict({**preset.settings, "epochs": 2}) == model.settings
    if task == "links":
        split = split_links(tiny, seed=0)
        z = fit_on_split(model, split).transform(split.train)
    else:
        z = model.fit(tiny).transform(tiny)
    assert z.shape == (60, model.settings.out_dim)
    assert np.isfinite(z).all()


def test_links_changes_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "[settings]\nepochs = 7\npatience = 3\n[targets.a]\nname = 'pca'\nratio = 0.5\nwhiten = false\n"
        "[links.settings]\npatience = 'none'\n[links.targets.a]\nratio = 0.9\n"
        "[links.targets.b]\nname = 'node2vec'\n"
    )
    plain, links = read_preset(path), read_preset(path, "links")
    assert plain.settings == {"epochs": 7, "patience": 3}
    assert links.settings == {"epochs": 7, "patience": None}
    assert plain.targets == {"a": {"name": "pca", "ratio": 0.5, "whiten": False}}
    assert links.targets == {"a": {"name": "pca", "ratio": 0.9, "whiten": False}, "b": {"name": "node2vec"}}
    assert links.for_task("links") == links


def test_faithful_to_the_release_allows_its_negative_weight(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("faithful_to = 'release'\n[settings]\nepochs = 7\nnorm_momentum = 0.5\n")
    settings = read_preset(path).settings
    assert settings["allow_negative_weights"]
    assert settings["knowledge_weights"]["B"] == [1, 1, 3]
    assert settings["norm_momentum"] == 0.5  # [settings] wins


def test_another_recipe_replaces_the_whole_target() -> None:
    base = {"a": {"name": "pca", "ratio": 0.5}}
    assert merge_targets(base, {"a": {"name": "gae"}}) == {"a": {"name": "gae"}}
    assert base == {"a": {"name": "pca", "ratio": 0.5}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[settings]\nmask_edges = 0.4\n", "no setting 'mask_edges'. Did you mean 'mask_edge'"),
        ("[settings]\ntau = -1.0\n", "tau=-1.0"),
        ("[links.settings]\nheads = 5\n", "hidden_dim=256 must be a multiple of heads=5"),
        ("[setting]\n", "unknown table 'setting'"),
        ("[links.extra]\n", "unknown table 'links.extra'"),
        ("[targets.pca]\nratio = 0.5\n", r"\[targets.pca\] lacks its name"),
        ("[origin]\ntau = 'guess'\n", "origin of tau is 'guess'"),
        ("faithful_to = 'me'\n", "faithful_to='me'"),
        ("[settings\n", "is not TOML"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_name(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=said) as error:
        read_preset(path)
    assert str(path) in str(error.value)


def test_a_file_may_be_for_another_method(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[settings]\nmask_rate = 0.3\n")
    assert read_preset(path, method="graphmae").settings == {"mask_rate": 0.3}
    with pytest.raises(SettingsError, match="mask_rate"):
        read_preset(path)


def test_what_is_not_there() -> None:
    with pytest.raises(SettingsError, match=r"no preset 'nope'.*cora"):
        load_preset("nope")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_preset("nope.toml")
    with pytest.raises(SettingsError, match="task='sing'"):
        load_preset("cora", "sing")


def test_presets_go_into_the_wheel() -> None:
    """hatchling takes every file below the package that git does not ignore."""
    assert (FOLDER / "gigamae" / "cora.toml").is_file()
    assert FOLDER.parent.name == "gigamae"
