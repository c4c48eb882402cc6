"""Cells on disk: whole or not there, found again, run anew when a default has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gigamae.experiments import cell_store
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import make_cell


@pytest.fixture
def store(tmp_path: Path) -> CellStore:
    return CellStore(tmp_path / "cells")


def test_what_was_put_is_found(store: CellStore, told: Callable) -> None:
    cell = make_cell("gigamae", "cora", "labels")
    assert store.get(cell) is None
    assert not store.knows("cora", "gigamae")
    path = store.put(cell, told(cell, 0.5))
    assert path == store.folder / "cora" / "gigamae" / f"labels-seed0-{cell.key}.json"
    found = store.get(cell)
    assert found is not None
    assert found["scores"]["classification"]["accuracy"]["mean"] == 0.5
    assert store.knows("cora", "gigamae")
    assert [r["key"] for r in store.records()] == [cell.key]
    assert store.get(replace(cell, seed=1)) is None


def test_nothing_half_written_is_left(
    store: CellStore, told: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = make_cell("sgc", "cora", "labels")

    def killed(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cell_store.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        store.put(cell, told(cell, 0.5))
    monkeypatch.undo()
    assert store.get(cell) is None
    assert not [path for path in store.folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 99}'])
def test_a_file_that_is_not_a_cell_is_run_again(store: CellStore, told: Callable, text: str) -> None:
    cell = make_cell("sgc", "cora", "labels")
    store.put(cell, told(cell, 0.5)).write_text(text)
    assert store.get(cell) is None


@pytest.mark.parametrize(("kind", "name"), [("settings", "gamma"), ("targets", "pca")])
def test_a_default_that_changed_since_makes_the_cell_another(
    store: CellStore, told: Callable, kind: str, name: str
) -> None:
    """The key has what is unlike the defaults alone, so the file says what the rest was then."""
    cell = make_cell("gigamae", "cora", "labels")
    path = store.put(cell, told(cell, 0.5))
    old = json.loads(path.read_text())
    old[kind][name] = {**old[kind][name], "max_components": 3} if kind == "targets" else 9.0
    path.write_text(json.dumps(old))
    assert store.get(cell) is None
    del old[kind][name]  # a setting that there was not yet: the run was as it is at its default
    path.write_text(json.dumps(old))
    assert store.get(cell) is not None


def test_a_failure_is_told_until_it_is_mended(store: CellStore, told: Callable) -> None:
    cell = make_cell("sgc", "cora", "labels")
    assert store.failure(cell) is None
    store.put_failure(cell, "it broke")
    assert (store.failure(cell), store.get(cell), list(store.records())) == ("it broke", None, [])
    store.put(cell, told(cell, 0.5))
    assert store.failure(cell) is None
