"""Progress: what training tells whoever watches, and the two plain watchers."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Protocol

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EpochReport:
    """One epoch, for a watcher.

    Attributes:
        epoch: from 1.
        epochs: how many are planned.
        loss: the total that is descended.
        terms: the bound of each term by node type and subset.
        counts: nodes of each type N, E, F, B.
        seconds: since the start of training.
        seconds_left: an estimate.
        memory: resident bytes of the process.
        score: the validation score where one was taken in this epoch.
    """

    epoch: int
    epochs: int
    loss: float
    terms: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    seconds_left: float = 0.0
    memory: int = 0
    score: float | None = None


class Progress(Protocol):
    """Anything that wants to watch. All methods may do nothing."""

    def stage(self, name: str) -> None:
        """A stage begins: a target, the training, the embedding."""

    def note(self, text: str) -> None:
        """Something was decided that the user should know: a plain sentence."""

    def epoch(self, report: EpochReport) -> None:
        """An epoch ended."""

    def done(self) -> None:
        """All work ended."""


class Silent:
    """Watches nothing."""

    def stage(self, name: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def epoch(self, report: EpochReport) -> None:
        pass

    def done(self) -> None:
        pass


class Logged:
    """Writes to the log at most once every ``every`` seconds."""

    def __init__(self, every: float = 10.0) -> None:
        self.every = every
        self._last = 0.0

    def stage(self, name: str) -> None:
        log.info("%s", name)

    def note(self, text: str) -> None:
        log.info("%s", text)

    def epoch(self, report: EpochReport) -> None:
        now = time.monotonic()
        if now - self._last >= self.every or report.epoch == report.epochs:
            self._last = now
            log.info(
                "epoch %d/%d loss %.4f, %.0f s left", report.epoch, report.epochs, report.loss,
                report.seconds_left,
            )  # fmt: skip

    def done(self) -> None:
        log.info("done")


def resident_bytes() -> int:
    """Resident memory of this process."""
    import psutil

    return int(psutil.Process().memory_info().rss)
