"""Schedule: run many cells, one after the other or several at a time; none can stop the others."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gigamae.errors import DatasetError, GigamaeError
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import Cell

log = logging.getLogger(__name__)

Tell = Callable[[str], None]
DONE, FAILED, MISSING = "done", "failed", "missing"


@dataclass
class Tally:
    """What became of the cells.

    Attributes:
        there: cells that were on disk before.
        done: cells run now.
        failed: cell -> what went wrong.
        missing: dataset -> why its cells were left out.
    """

    there: int = 0
    done: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def run_cells(
    cells: Iterable[Cell],
    store: CellStore,
    *,
    jobs: int = 1,
    data_root: str | Path | None = None,
    device: str = "auto",
    progress: Any = None,
    tell: Tell = log.info,
) -> Tally:
    """Run the cells that are not on disk; each is written as soon as it is judged.

    Args:
        cells: in the order in which they should be run.
        store: where they are looked up and written.
        jobs: processes; 1 runs them in this one.
        data_root, device, progress: as in :func:`gigamae.experiments.cell_run.run_cell`; progress
            is for one process alone.
        tell: gets a line for each cell.
    """
    cells = list(cells)
    tally = Tally()
    wanted = [cell for cell in cells if store.get(cell) is None]
    tally.there = len(cells) - len(wanted)
    tell(f"{len(cells)} cells, {tally.there} of them on disk.")
    todo = _not_done(wanted, store, tally)
    if jobs == 1:
        finished: Iterator[Finished] = _here(todo, data_root, device, progress, tell)
    else:
        from gigamae.experiments.workers import in_processes

        finished = in_processes(todo, jobs, data_root, device)
    for cell, state, found, seconds in finished:
        if state == DONE:
            store.put(cell, found)
            tally.done += 1
        elif state == MISSING:
            tally.missing[cell.dataset] = found
        else:
            store.put_failure(cell, found)
            tally.failed[str(cell)] = found
        place = tally.done + len(tally.failed)
        tell(f"[{place}/{len(wanted)}] {cell}: {_in_words(state, found, seconds)}")
    return tally


Finished = tuple[Cell, str, Any, float]


def attempt(cell: Cell, data_root: str | Path | None, device: str, progress: Any = None) -> Finished:
    """A cell, what became of it, what was found or the message, and the seconds."""
    start = time.perf_counter()
    state: str = DONE
    found: Any
    try:
        from gigamae.experiments.cell_run import run_cell

        found = run_cell(cell, data_root=data_root, device=device, progress=progress)
    except DatasetError as error:
        state, found = MISSING, str(error)
    except GigamaeError as error:
        state, found = FAILED, str(error)
    except Exception as error:  # whatever breaks in one method must not stop the others
        log.debug("%s broke", cell, exc_info=True)
        state, found = FAILED, f"{type(error).__name__}: {error}"
    return cell, state, found, time.perf_counter() - start


def _not_done(cells: list[Cell], store: CellStore, tally: Tally) -> Iterator[Cell]:
    """Those still to run when their turn comes: another process may have been quicker, and a
    dataset that is not here need not be asked for again."""
    for cell in cells:
        if cell.dataset in tally.missing:
            continue
        if store.get(cell) is not None:
            tally.there += 1
            continue
        yield cell


def _here(
    cells: Iterator[Cell], data_root: str | Path | None, device: str, progress: Any, tell: Tell
) -> Iterator[Finished]:
    for cell in cells:
        tell(f"{cell} ...")
        yield attempt(cell, data_root, device, progress)


def _in_words(state: str, found: Any, seconds: float) -> str:
    if state != DONE:
        return f"{'no data' if state == MISSING else 'failed'}: {found}"
    scores = [
        f"{measure} {score['mean']:.4f}"
        for measures in found["scores"].values()
        for measure, score in measures.items()
    ]
    return f"{', '.join(scores)} in {seconds:.0f} s on {found['device']}"
