"""Many cells: none is run twice, none stops the others, an interrupt costs the one in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gigamae.errors import DatasetError, InputError
from gigamae.experiments import cell_run, schedule, workers
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import Cell, make_cell
from gigamae.experiments.schedule import run_cells

CELLS = [make_cell("raw", dataset, "labels") for dataset in ("cora", "citeseer", "photo")]


@pytest.fixture
def store(tmp_path: Path) -> CellStore:
    return CellStore(tmp_path / "cells")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, told: Callable) -> Iterator[list[str]]:
    """Running a cell notes its dataset; what breaks is set in ``broken``."""
    seen: list[str] = []

    def run(cell: Cell, **kwargs: Any) -> dict[str, Any]:
        seen.append(cell.dataset)
        if cell.dataset in BROKEN:
            raise BROKEN[cell.dataset]
        return told(cell, 0.5)

    monkeypatch.setattr(cell_run, "run_cell", run)
    yield seen
    BROKEN.clear()


BROKEN: dict[str, BaseException] = {}


def test_a_cell_is_run_once(store: CellStore, ran: list[str]) -> None:
    first = run_cells(CELLS, store)
    again = run_cells(CELLS, store)
    assert ran == ["cora", "citeseer", "photo"]
    assert (first.done, first.there, again.done, again.there) == (3, 0, 0, 3)


@pytest.mark.parametrize("kind", [InputError, RuntimeError, MemoryError])
def test_what_fails_is_written_down_and_the_others_go_on(
    store: CellStore, ran: list[str], kind: type[Exception]
) -> None:
    BROKEN["citeseer"] = kind("no labels")
    lines: list[str] = []
    tally = run_cells(CELLS, store, tell=lines.append)
    assert ran == ["cora", "citeseer", "photo"]
    assert (tally.done, list(tally.failed)) == (2, ["raw citeseer labels seed 0"])
    assert "no labels" in str(store.failure(CELLS[1]))
    assert any("citeseer" in line and "no labels" in line for line in lines)
    BROKEN.clear()
    assert run_cells(CELLS, store).done == 1  # tried again
    assert store.failure(CELLS[1]) is None


def test_a_dataset_that_is_not_here_is_asked_for_once(store: CellStore, ran: list[str]) -> None:
    BROKEN["citeseer"] = DatasetError("not in this folder")
    cells = [*CELLS, replace(CELLS[1], seed=1)]
    tally = run_cells(cells, store)
    assert ran == ["cora", "citeseer", "photo"]
    assert (tally.done, tally.failed) == (2, {})
    assert tally.missing == {"citeseer": "not in this folder"}
    assert store.failure(CELLS[1]) is None


def test_an_interrupt_costs_the_cell_in_progress(store: CellStore, ran: list[str]) -> None:
    BROKEN["citeseer"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run_cells(CELLS, store)
    assert store.get(CELLS[0]) is not None
    assert store.get(CELLS[1]) is None
    BROKEN.clear()
    assert run_cells(CELLS, store).done == 2
    assert ran == ["cora", "citeseer", "citeseer", "photo"]


def test_another_process_may_have_been_quicker(
    store: CellStore, ran: list[str], told: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(cell: Cell, **kwargs: Any) -> dict[str, Any]:
        store.put(CELLS[2], told(CELLS[2], 0.7))  # somebody else writes it meanwhile
        return told(cell, 0.5)

    monkeypatch.setattr(cell_run, "run_cell", run)
    tally = run_cells(CELLS, store)
    assert (tally.done, tally.there) == (2, 1)
    found = store.get(CELLS[2])
    assert found is not None
    assert found["scores"]["classification"]["accuracy"]["mean"] == 0.7


def test_a_method_that_cannot_be_imported_is_a_failure(store: CellStore, on_tiny: None) -> None:
    from gigamae import baselines

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(baselines.METHODS, "tomorrow", "gigamae.baselines.tomorrow:Tomorrow")
        cell = make_cell("tomorrow", "cora", "labels")
        tally = run_cells([cell], store)
    assert "No module named" in tally.failed[str(cell)]


def test_processes_run_cells_and_replace_one_that_died(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two real processes on the generated graph; the first cell's process is killed."""
    cells = [make_cell("sgc", "demo", "links", split=split) for split in range(3)]
    give = workers._Worker.give
    killed: list[Cell] = []

    def give_and_kill(worker: workers._Worker, cell: Cell) -> None:
        give(worker, cell)
        if not killed:
            killed.append(cell)
            worker.process.kill()
            worker.process.join()

    monkeypatch.setattr(workers._Worker, "give", give_and_kill)
    tally = run_cells(cells, store, jobs=2)
    assert tally.done == 2
    assert "its process died" in tally.failed[str(cells[0])]
    assert [store.get(c) is not None for c in cells] == [False, True, True]
    found = store.get(cells[1])
    assert found is not None
    here = schedule.attempt(cells[1], None, "cpu")[2]
    assert found["scores"] == here["scores"]
