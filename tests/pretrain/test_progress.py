"""The plain watchers, and what a process holds."""

import logging

import numpy as np
import psutil
import pytest

from gigamae.pretrain.progress import EpochReport, Logged, Silent, resident_bytes


def test_silent_says_nothing(caplog):
    caplog.set_level(logging.DEBUG)
    watcher = Silent()
    watcher.stage("training")
    watcher.note("a note")
    watcher.epoch(EpochReport(1, 1, 0.5))
    watcher.done()
    assert caplog.text == ""


def test_logged_is_not_a_flood_and_never_misses_the_end(caplog):
    caplog.set_level(logging.INFO, logger="gigamae")
    watcher = Logged(every=3600)
    watcher.stage("training")
    watcher.note("Training will take about 1 GiB of memory.")
    for epoch in range(1, 101):
        watcher.epoch(EpochReport(epoch, 100, 1 / epoch, seconds_left=5))
    watcher.done()
    lines = caplog.messages
    assert lines[:2] == ["training", "Training will take about 1 GiB of memory."]
    assert lines[-2:] == ["epoch 100/100 loss 0.0100, 5 s left", "done"]
    assert len(lines) <= 5


def test_resident_bytes_counts_what_is_touched():
    before = resident_bytes()
    assert before == pytest.approx(psutil.Process().memory_info().rss, rel=0.2)
    held = np.ones(8 << 20)  # 64 MiB
    assert resident_bytes() - before > 0.7 * held.nbytes
