"""Workers: processes that run cells, each with its share of the cores; one that dies is replaced."""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from gigamae.experiments.cells import Cell
from gigamae.experiments.machine import usable_cores

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
_DIED = "its process died, most likely for want of memory; run it again with --jobs 1"


class _Worker:
    """One process and the cell that it has."""

    def __init__(self, threads: int, data_root: str | Path | None, device: str) -> None:
        context = mp.get_context("spawn")  # a fork would share torch's and numba's threads
        self.pipe, theirs = context.Pipe()
        arguments = (theirs, threads, None if data_root is None else str(data_root), device)
        self.process = context.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.cell: Cell | None = None

    def give(self, cell: Cell) -> None:
        self.cell = cell
        self.pipe.send(cell)

    def stop(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


def in_processes(
    cells: Iterator[Cell], jobs: int, data_root: str | Path | None, device: str
) -> Iterator[tuple[Cell, str, Any, float]]:
    """Run cells in ``jobs`` processes; yields each as it is finished, in whatever order.

    Leaving early (an interrupt, say) ends the processes; the cells that they had are lost.
    """
    threads = max(1, usable_cores() // jobs)
    workers: list[_Worker] = []
    try:
        while True:
            while len(workers) < jobs and (cell := next(cells, None)) is not None:
                worker = _Worker(threads, data_root, device)
                worker.give(cell)
                workers.append(worker)
            if not workers:
                return
            ready = wait([worker.pipe for worker in workers])
            for worker in [w for w in workers if w.pipe in ready]:
                assert worker.cell is not None
                try:
                    yield worker.pipe.recv()
                    left = next(cells, None)
                except (EOFError, ConnectionResetError):
                    yield worker.cell, "failed", _DIED, 0.0
                    left = None
                if left is None:  # nothing to do, or nobody to do it
                    worker.stop()
                    workers.remove(worker)
                else:
                    worker.give(left)
    finally:
        for worker in workers:
            worker.stop()


def _serve(pipe: Connection, threads: int, data_root: str | None, device: str) -> None:
    """What a worker does: run cells until it is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    for name in _THREADS:
        os.environ.setdefault(name, str(threads))
    import torch

    from gigamae.experiments.schedule import attempt

    torch.set_num_threads(threads)
    while True:
        try:
            cell = pipe.recv()
        except EOFError:
            return
        pipe.send(attempt(cell, data_root, device))
