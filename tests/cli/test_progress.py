"""Progress: everything that was promised is shown, and a log file is not flooded."""

from __future__ import annotations

import io
import sys

import pytest

from gigamae.cli.progress import Live, Plain, Quiet, watcher
from gigamae.pretrain.progress import EpochReport

REPORT = EpochReport(
    3, 10, 1.25, terms={"E:T1": 0.5}, counts={"N": 10, "E": 4}, seconds=6.0, seconds_left=75.0,
    memory=300 * 2**20, score=0.9,
)  # fmt: skip
SHOWN = ("3/10", "1.2500", "0.9000", "1 min 15 s", "300 MiB", "N 10 E 4", "E:T1 0.500")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_say_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    plain = Plain(every=0.0)
    plain.stage("training")
    plain.note("Training will take about 1 GiB.")
    plain.epoch(REPORT)
    lines = file.getvalue().splitlines()
    assert lines[:2] == ["training ...", "Training will take about 1 GiB."]
    assert all(text in lines[2] for text in SHOWN)


def test_plain_lines_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    plain = Plain(every=3600.0)
    for _ in range(100):
        plain.epoch(REPORT)
    assert file.getvalue() == ""


def test_a_terminal_gets_a_live_line_and_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", file := _Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    live = watcher()
    assert isinstance(live, Live)
    live.note("Training will take about 1 GiB.")
    live.stage("training")
    live.epoch(REPORT)
    live.close()
    shown = file.getvalue()
    assert all(text in shown for text in (*SHOWN, "Training will take about 1 GiB."))
    assert shown.count("\x1b[?25h") == 1  # the cursor is back
    assert "training: " in shown.splitlines()[-1]


def test_quiet_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", file := _Terminal())
    quiet = watcher(quiet=True)
    assert isinstance(quiet, Quiet)
    quiet.stage("x")
    quiet.note("x")
    quiet.epoch(REPORT)
    quiet.done()
    quiet.close()
    assert file.getvalue() == ""
