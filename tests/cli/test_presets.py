"""``gigamae presets``: what is known, and where each value is from."""

from __future__ import annotations

from typing import Any

import pytest

from gigamae.presets import load_preset, preset_names


def test_the_list(call: Any) -> None:
    assert call("presets").out.split() == preset_names()
    assert call("presets", "--json").json == {"method": "gigamae", "presets": preset_names()}


@pytest.mark.parametrize("task", ["all", "links"])
def test_one_preset(task: str, call: Any) -> None:
    preset = load_preset("cora", task)
    told = call("presets", "cora", "--task", task, "--json")
    assert told.json["settings"] == preset.settings
    assert told.json["targets"] == preset.targets
    assert told.json["expected"] == preset.expected
    shown = call("presets", "cora", "--task", task).out
    for word in ("mask_edge", "node2vec.walk_length", "accuracy", "auc"):
        assert word in shown
    ends = {(row.split()[0], row.split()[-1]) for row in shown.splitlines() if row.strip()}
    for key, origin in preset.origin.items():
        if not key.startswith("links.") and f"links.{key}" not in preset.origin:
            assert (key, origin) in ends


def test_links_origins_are_those_of_the_links_values(call: Any) -> None:
    preset = load_preset("cora", "links")
    rows = call("presets", "cora", "--task", "links").out.splitlines()
    row = next(line for line in rows if "patience" in line)
    assert row.split()[1:] == [str(preset.settings["patience"]), preset.origin["links.patience"]]


def test_what_is_not_there(call: Any) -> None:
    assert "There is no preset 'nope' for gigamae. Known: " in call("presets", "nope").refusal()
    assert "task='sing'" in call("presets", "cora", "--task", "sing").refusal()
    for words in (("cora",), ()):
        told = call("presets", *words, "--method", "grcae")
        assert "There is no method 'grcae'. Did you mean 'grace'? Known: gigamae," in told.refusal()
