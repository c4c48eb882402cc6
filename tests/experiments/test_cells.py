"""Cells: the same numbers have the same key, others another; variants and presets are resolved."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from gigamae.errors import SettingsError
from gigamae.experiments.cells import Variant, make_cell, preset_for
from gigamae.experiments.chosen import experiments
from gigamae.experiments.experiment import METRICS, first_cell
from gigamae.experiments.tables import tables
from gigamae.presets import load_preset
from gigamae.settings import Settings


def test_everything_that_decides_a_number_is_in_the_key() -> None:
    base = make_cell("gigamae", "cora", "links", split=0)
    others = [
        base,
        make_cell("gigamae", "cora", "labels"),
        make_cell("gigamae", "citeseer", "links", split=0),
        make_cell("gigamae", "cora", "links", split=1),
        make_cell("gigamae", "cora", "links", split=0, seed=1),
        make_cell("gigamae", "cora", "links", split=0, variant=Variant({"mask_edge": 0.123})),
        make_cell("gigamae", "cora", "links", split=0, variant=Variant(targets={"pca": {"ratio": 0.123}})),
        make_cell("gigamae", "cora", "links", split=0, variant=Variant(targets={"gae": {"name": "gae"}})),
        replace(base, method="vgae"),
    ]
    assert all(a.key != b.key and a.path != b.path for a, b in combinations(others, 2))
    assert base.key == make_cell("gigamae", "cora", "links", split=0).key


def test_what_changes_nothing_is_not_in_the_key() -> None:
    base = make_cell("gigamae", "cora", "labels")
    preset = load_preset("cora")
    said = Variant(
        {"mask_edge": base.settings["mask_edge"], "gamma": Settings().gamma},
        {"pca": {"modality": "attributes", "max_components": None}},
    )
    assert make_cell("gigamae", "cora", "labels", variant=said).key == base.key
    assert replace(base, preset="elsewhere").key == base.key
    new = {**base.settings, "a_setting_of_tomorrow": 1}
    assert replace(base, settings=new).key != base.key  # used, it would decide
    assert "memory_limit" not in base.settings
    assert base.settings == {
        k: v for k, v in Settings.from_dict(preset.settings).to_dict().items() if k != "memory_limit"
    }


def test_links_have_the_presets_changes_for_links() -> None:
    preset = load_preset("cora", "links")
    cell = make_cell("gigamae", "cora", "links", split=0)
    assert {k: cell.settings[k] for k in preset.settings} == preset.settings
    assert make_cell("gigamae", "cora", "labels").settings != cell.settings


def test_a_graph_without_preset_has_coras_and_says_so() -> None:
    preset, origin = preset_for("gigamae", "dblp", "labels")
    assert origin == "gigamae/cora, for want of one for dblp"
    assert preset.settings == load_preset("cora").settings
    assert make_cell("sgc", "cora", "labels").preset == "the method's defaults"
    assert make_cell("sgc", "cora", "labels").settings == {"hops": 2}


def test_a_target_alone_is_that_of_gigamaes_preset() -> None:
    cell = make_cell("target", "cora", "labels", variant=Variant(only=("pca",)))
    assert dict(cell.settings) == {}
    assert list(cell.targets) == ["pca"]
    assert cell.targets["pca"]["ratio"] == load_preset("cora").targets["pca"].get("ratio", 0.5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "gigamae", "task": "sing"}, "task='sing'"),
        ({"method": "gigamae", "task": "links"}, "links have a split"),
        ({"method": "gigamae", "task": "labels", "split": 0}, "labels have none"),
        ({"method": "sgc", "task": "labels", "variant": Variant({"hop": 2})}, "no setting 'hop'"),
        ({"method": "gigamae", "task": "labels", "variant": Variant({"epoch": 2})}, "Did you mean 'epochs'"),
        ({"method": "gigamae", "task": "labels", "variant": Variant(only=("gae",))}, "no target 'gae'"),
        ({"method": "nope", "task": "labels"}, "no method 'nope'"),
    ],
)
def test_wrong_cells(given: dict, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        make_cell(dataset="cora", **given)


def test_a_method_that_cannot_be_imported_has_a_cell_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from gigamae import baselines

    monkeypatch.setitem(baselines.METHODS, "tomorrow", "gigamae.baselines.tomorrow:Tomorrow")
    cell = make_cell("tomorrow", "cora", "labels", variant=Variant({"epochs": 3}))
    assert cell.settings == {"epochs": 3}
    assert cell.key


@pytest.mark.parametrize("name", list(experiments()))
def test_every_row_can_be_resolved(name: str) -> None:
    """Whatever a table asks for is a setting that the method has, with a value that it can have."""
    experiment = experiments()[name]
    for row in experiment.rows:
        for task in {METRICS[m].task for m in row.metrics or experiment.metrics}:
            first_cell(row, "cora", task)


def test_gigamae_on_cora_is_one_cell_in_five_tables() -> None:
    rows = [(t, row) for t in tables().values() for row in t.rows if row.key == "gigamae"]
    assert len(rows) == 6
    labels = {first_cell(row, "cora", "labels").key for t, row in rows if t.name != "table-3"}
    links = {first_cell(row, "cora", "links").key for t, row in rows if t.name in ("table-3", "table-4")}
    assert (len(labels), len(links)) == (1, 1)


@pytest.mark.parametrize("name", ["table-4", "table-5", "weights", "figure-4", "figure-5", "figure-6"])
def test_rows_of_an_ablation_differ(name: str) -> None:
    """A variant that changes nothing would show a difference of zero as a finding. In a sweep one
    point may be the preset's own, once for each thing varied."""
    rows = experiments()[name].rows
    by_group: dict[str, list[str]] = {}
    for row in rows:
        by_group.setdefault(row.group, []).append(first_cell(row, "cora", "labels").key)
    assert all(len(set(keys)) == len(keys) for keys in by_group.values())
