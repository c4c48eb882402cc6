"""The cache: found again when everything is the same, computed anew when anything is not."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from gigamae.graph.graph import Graph
from gigamae.targets.base import Modality, Target
from gigamae.targets.cache import TargetCache, default_folder
from gigamae.targets.precomputed import Precomputed


@dataclass(frozen=True)
class Counted(Target):
    """Numbers that a seed decides; counts how often they were made."""

    name: ClassVar[str] = "counted"
    width: int = 2
    modality: Modality = "both"
    made: list[int] = field(default_factory=list, compare=False)

    def fit(self, graph: Graph, *, seed: int = 0) -> np.ndarray:
        self.made.append(seed)
        return np.random.default_rng(seed).random((graph.num_nodes, self.width), np.float32)

    def params(self) -> dict[str, Any]:
        return {"width": self.width, "modality": self.modality}


@pytest.fixture
def graph() -> Graph:
    return Graph.from_edges([(0, 1), (1, 2)], np.eye(4, dtype="float32"), weights=[1.0, 2.0], y=[0, 1, 0, 1])


@pytest.fixture
def cache(tmp_path: Path) -> TargetCache:
    return TargetCache(tmp_path / "kept")


def files(cache: TargetCache, ending: str) -> list[Path]:
    return sorted(cache.folder.glob(f"*{ending}"))


def test_computed_once_and_the_same_to_the_bit(cache: TargetCache, graph: Graph) -> None:
    recipe = Counted()
    first = cache.get(graph, recipe, 3)
    assert (TargetCache(cache.folder).get(graph, recipe, 3) == first).all()
    assert recipe.made == [3]
    told = json.loads(files(cache, ".json")[0].read_text())
    assert told["target"] == "counted"
    assert told["graph"] == graph.fingerprint()
    assert {p.suffix for p in cache.folder.iterdir()} == {".npy", ".json"}


def test_anything_a_matrix_depends_on_changes_the_key(cache: TargetCache, graph: Graph) -> None:
    recipe = Counted()
    changed = (
        replace(graph, x=graph.x * 2),
        replace(graph, weights=graph.weights * 2),
        Graph.from_edges([(0, 1), (1, 3)], np.eye(4, dtype="float32"), weights=[1.0, 2.0]),
    )
    for other in (graph, *changed):
        cache.get(other, recipe)
    assert len(recipe.made) == 4
    cache.get(graph, recipe, 1)
    cache.get(graph, replace(recipe, width=3))
    assert len(recipe.made) == 6
    assert len(files(cache, ".npy")) == 6


def test_labels_and_names_do_not(cache: TargetCache, graph: Graph) -> None:
    recipe = Counted()
    cache.get(graph, recipe)
    cache.get(replace(graph, y=None, name="other"), recipe)
    assert recipe.made == [0]


def test_other_code_is_another_key(cache: TargetCache, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Counted()
    cache.get(graph, recipe)
    monkeypatch.setattr("gigamae.targets.cache.code_fingerprint", lambda: "another")
    cache.get(graph, recipe)
    assert recipe.made == [0, 0]


def damage_content(data: Path) -> None:
    whole = bytearray(data.read_bytes())
    whole[-1] ^= 1
    data.write_bytes(whole)


def other_rows(data: Path) -> None:
    """A whole file of another graph, moved here with its note."""
    import hashlib

    np.save(data, np.zeros((9, 2), np.float32))
    beside = data.with_suffix(".json")
    told = json.loads(beside.read_text())
    beside.write_text(json.dumps({**told, "sha256": hashlib.sha256(data.read_bytes()).hexdigest()}))


@pytest.mark.parametrize(
    "damage",
    [
        damage_content,
        other_rows,
        lambda data: data.write_bytes(data.read_bytes()[:-10]),
        lambda data: data.unlink(),
        lambda data: data.with_suffix(".json").write_text("{"),
        lambda data: data.with_suffix(".json").write_text("[]"),
        lambda data: data.with_suffix(".json").write_text("{}"),
    ],
    ids=["one bit", "other rows", "cut off", "gone", "no JSON", "a list", "no hash"],
)
def test_a_damaged_file_is_told_and_made_again(
    damage: Any, cache: TargetCache, graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    recipe = Counted()
    first = cache.get(graph, recipe)
    damage(files(cache, ".npy")[0])
    assert (cache.get(graph, recipe) == first).all()
    assert recipe.made == [0, 0]
    assert "is damaged" in caplog.text
    assert "computing it again" in caplog.text
    caplog.clear()
    cache.get(graph, recipe)
    assert recipe.made == [0, 0], "the new file is whole"
    assert not caplog.text


def test_a_matrix_without_its_note_is_made_again_in_silence(cache: TargetCache, graph: Graph) -> None:
    recipe = Counted()
    cache.get(graph, recipe)
    files(cache, ".json")[0].unlink()
    cache.get(graph, recipe)
    assert recipe.made == [0, 0]


def test_the_least_recently_used_go_first(tmp_path: Path, graph: Graph) -> None:
    recipe = Counted()
    one = 128 + 4 * 2 * 4  # an .npy's header and its numbers
    cache = TargetCache(tmp_path / "kept", max_bytes=2 * one)
    for age, seed in enumerate((1, 2)):
        cache.get(graph, recipe, seed)
        newest = max(files(cache, ".npy"), key=lambda p: p.stat().st_mtime_ns)
        os.utime(newest, ns=(age, age))
    cache.get(graph, recipe, 1)  # used again: now 2 is the oldest
    cache.get(graph, recipe, 3)
    assert len(files(cache, ".npy")) == len(files(cache, ".json")) == 2
    recipe.made.clear()
    cache.get(graph, recipe, 1)
    cache.get(graph, recipe, 3)
    assert recipe.made == []
    cache.get(graph, recipe, 2)
    assert recipe.made == [2]


def test_what_is_larger_than_the_cache_is_not_kept(tmp_path: Path, graph: Graph) -> None:
    cache = TargetCache(tmp_path / "kept", max_bytes=8)
    assert cache.get(graph, Counted()).shape == (4, 2)
    assert not cache.folder.exists()


def test_a_folder_that_cannot_be_made_costs_a_warning(
    tmp_path: Path, graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    cache = TargetCache(tmp_path / "file" / "kept")
    with caplog.at_level(logging.WARNING):
        assert cache.get(graph, Counted()).shape == (4, 2)
    assert "cannot be kept" in caplog.text


def test_a_users_own_matrix_is_never_kept(cache: TargetCache, graph: Graph) -> None:
    cache.get(graph, Precomputed(np.ones((4, 2))))
    assert not cache.folder.exists()


def test_the_default_folder_can_be_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIGAMAE_CACHE", str(tmp_path))
    assert TargetCache().folder == default_folder() == tmp_path
    monkeypatch.delenv("GIGAMAE_CACHE")
    assert default_folder().name == "gigamae"
