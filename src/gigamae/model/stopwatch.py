"""Stopwatch: how long each part of the work took, added up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds by part.

    On a GPU work is queued and done later, so there a part's seconds say when it was asked for.

    Example:
        >>> watch = Stopwatch()
        >>> with watch("masks"):
        ...     _ = sum(range(9))
        >>> list(watch.seconds)
        ['masks']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        """Count what is done inside as ``part``."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start
