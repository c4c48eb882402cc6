"""Progress on stderr: a live line on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol

from gigamae.cli.console import duration, size
from gigamae.pretrain.progress import EpochReport, Progress

#: Seconds between two plain lines.
PLAIN_EVERY = 3.0


class Closable(Progress, Protocol):
    """A watcher that gives the terminal back."""

    def close(self) -> None: ...


def watcher(*, quiet: bool = False) -> Closable:
    """What fits: nothing, a live line, or plain lines."""
    if quiet:
        return Quiet()
    return Live() if sys.stderr.isatty() else Plain()


class Quiet:
    """Shows nothing."""

    def stage(self, name: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def epoch(self, report: EpochReport) -> None:
        pass

    def done(self) -> None:
        pass

    def close(self) -> None:
        pass


class Plain:
    """Whole lines, each stage once and epochs at most every few seconds: for logs and pipes."""

    def __init__(self, every: float = PLAIN_EVERY) -> None:
        self.every = every
        self._last = time.monotonic()

    def stage(self, name: str) -> None:
        self._line(f"{name} ...")

    def note(self, text: str) -> None:
        self._line(text)

    def epoch(self, report: EpochReport) -> None:
        now = time.monotonic()
        if now - self._last >= self.every:
            self._last = now
            self._line("  " + ", ".join(words(report)))

    def done(self) -> None:
        pass

    def close(self) -> None:
        pass

    def _line(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class Live:
    """A bar and two lines of numbers that renew themselves, on a terminal."""

    def __init__(self) -> None:
        self._live: Any = None
        self._stage = ""
        self._start = time.monotonic()

    def stage(self, name: str) -> None:
        self._finish_stage()
        self._stage, self._start = name, time.monotonic()
        self._show(f"{name} ...")

    def note(self, text: str) -> None:
        self._finish_stage()
        sys.stderr.write(text + "\n")

    def epoch(self, report: EpochReport) -> None:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        first, *rest = words(report)
        head = Table.grid(padding=(0, 1))
        head.add_row(Text(first), ProgressBar(report.epochs, report.epoch, width=30), Text(rest[0]))
        self._show(Group(head, *(Text("  " + line, style="dim") for line in _grouped(rest[1:]))))

    def done(self) -> None:
        self._finish_stage()

    def close(self) -> None:
        self._finish_stage()

    def _show(self, what: Any) -> None:
        if self._live is None:
            from rich.console import Console
            from rich.live import Live as RichLive

            console = Console(stderr=True, highlight=False, markup=False)
            self._live = RichLive(console=console, transient=True, refresh_per_second=8)
            self._live.start()
        self._live.update(what)

    def _finish_stage(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            if self._stage:
                sys.stderr.write(f"{self._stage}: {duration(time.monotonic() - self._start)}\n")
        self._stage = ""


def words(report: EpochReport) -> list[str]:
    """What there is to say of an epoch.

    Example:
        >>> words(EpochReport(2, 10, 1.5, counts={"E": 3}, seconds_left=4, memory=2**20))
        ['epoch 2/10', 'loss 1.5000', '4.0 s left', '1 MiB', 'nodes E 3']
    """
    told = [f"epoch {report.epoch}/{report.epochs}", f"loss {report.loss:.4f}"]
    if report.score is not None:
        told.append(f"validation {report.score:.4f}")
    told += [f"{duration(report.seconds_left)} left", size(report.memory)]
    if report.counts:
        told.append("nodes " + " ".join(f"{k} {v:,}" for k, v in report.counts.items()))
    if report.terms:
        told.append("terms " + " ".join(f"{k} {v:.3f}" for k, v in report.terms.items()))
    return told


def _grouped(parts: list[str]) -> list[str]:
    """Short parts on one line, the terms on a line of their own."""
    terms = [p for p in parts if p.startswith("terms ")]
    return [", ".join(p for p in parts if p not in terms), *terms]
