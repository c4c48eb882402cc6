"""What people and programs read: notes and progress on stderr, the result on stdout."""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gigamae.pretrain.progress import Progress


class Out:
    """Where a command writes.

    Args:
        as_json: the result is one JSON object on stdout's last line, all else goes to stderr.
        quiet: no notes and no progress.
        debug: the library's log too.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False, debug: bool = False) -> None:
        self.as_json, self.quiet, self.debug = as_json, quiet, debug

    def note(self, text: str) -> None:
        """A sentence about what is being done or was changed."""
        if not self.quiet:
            _line(sys.stderr, text)

    def notes(self, texts: Iterable[str], about: str = "") -> None:
        for text in texts:
            self.note(f"{about}{text}")

    def show(self, text: str) -> None:
        """A part of the result for people."""
        _line(sys.stderr if self.as_json else sys.stdout, text)

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A small table of the result for people; the first column is words, the others numbers."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table

        table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for i, name in enumerate(columns):
            table.add_column(name, justify="right" if i else "left", overflow="fold")
        for row in rows:
            table.add_row(*row)
        stream = sys.stderr if self.as_json else sys.stdout
        Console(file=stream, highlight=False, markup=False).print(table)

    def result(self, value: dict[str, Any]) -> None:
        """The result for programs, where they asked for it."""
        if self.as_json:
            sys.stderr.flush()
            _line(sys.stdout, to_json(value))

    @contextmanager
    def watch(self) -> Iterator[Progress]:
        """A progress watcher that fits the terminal, with the log beside it."""
        from gigamae.cli.progress import watcher

        progress = watcher(quiet=self.quiet)
        with _log_to_stderr(logging.DEBUG if self.debug else logging.WARNING):
            try:
                yield progress
            finally:
                progress.close()


def to_json(value: Any) -> str:
    """One line of JSON; what JSON has no number for becomes null."""
    return json.dumps(_plain(value), ensure_ascii=False)


def complain(message: str, kind: str, code: int, args: Sequence[str]) -> None:
    """One plain line on stderr, and one JSON object on stdout where that was asked for."""
    message = " ".join(message.split())
    _line(sys.stderr, f"gigamae: {message}")
    if "--json" in args:
        _line(sys.stdout, to_json({"error": {"kind": kind, "message": message, "exit_code": code}}))


def duration(seconds: float) -> str:
    """Seconds the way people say them.

    Example:
        >>> duration(0.42), duration(75), duration(7300)
        ('0.4 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(num_bytes: float) -> str:
    """Bytes the way people say them.

    Example:
        >>> size(3 * 2**20), size(1.5 * 2**30)
        ('3 MiB', '1.5 GiB')
    """
    if num_bytes >= 2**30:
        return f"{num_bytes / 2**30:.1f} GiB"
    return f"{num_bytes / 2**20:.0f} MiB"


def _line(stream: Any, text: str) -> None:
    stream.write(text + "\n")
    stream.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, str | bool | int) or value is None:
        return value
    if hasattr(value, "item"):
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


@contextmanager
def _log_to_stderr(level: int) -> Iterator[None]:
    log = logging.getLogger("gigamae")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    before = log.level
    log.addHandler(handler)
    log.setLevel(level)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
