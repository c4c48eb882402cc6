"""Resources: which device, which precision, how many negatives, how much memory."""

import ctypes
from pathlib import Path

import psutil
import pytest
import torch

from gigamae.errors import SettingsError
from gigamae.pretrain import resources
from gigamae.pretrain.progress import resident_bytes
from gigamae.pretrain.resources import (
    ALL_NEGATIVES_UP_TO,
    DRAWN_NEGATIVES,
    free_bytes,
    give_back_freed_memory,
    pick_device,
    pick_negatives,
    use_low_precision,
)
from gigamae.settings import Settings

CPU = torch.device("cpu")


def test_auto_is_a_gpu_only_where_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert pick_device("auto") == CPU
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert pick_device("auto") == torch.device("cuda")
    assert pick_device("cuda:0") == torch.device("cuda:0")


def test_devices_that_are_not_there(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SettingsError, match="no CUDA GPU"):
        pick_device("cuda")
    with pytest.raises(SettingsError, match="'abacus' is not a device"):
        pick_device("abacus")


@pytest.mark.parametrize(
    ("asked", "nodes", "drawn"),
    [
        ("all", 10**9, None),
        ("auto", ALL_NEGATIVES_UP_TO, None),
        ("auto", ALL_NEGATIVES_UP_TO + 1, DRAWN_NEGATIVES),
        (7, 10, 7),
    ],
)
def test_negatives(asked, nodes, drawn):
    assert pick_negatives(Settings(negatives=asked), nodes) == drawn


def test_precision(monkeypatch):
    large = ALL_NEGATIVES_UP_TO + 1
    for fast in (True, False):
        monkeypatch.setattr(resources, "low_precision_is_fast", lambda device, fast=fast: fast)
        assert use_low_precision(Settings(precision="auto"), CPU, large) is fast
        assert not use_low_precision(Settings(precision="auto"), CPU, 100)
        assert use_low_precision(Settings(precision="bfloat16"), CPU, 100)
        assert not use_low_precision(Settings(precision="float32"), CPU, large)


@pytest.mark.parametrize("knows", [True, False])
def test_a_gpu_multiplies_in_bfloat16_where_it_can(knows, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: knows)
    assert use_low_precision(Settings(), torch.device("cuda"), 10**4) is knows


def test_what_is_free_on_a_gpu_is_its_own_memory(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (700, 1000))
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 200)
    assert free_bytes(torch.device("cuda")) == 700
    assert free_bytes(torch.device("cuda"), 500) == 300


def test_what_is_free(monkeypatch, tmp_path):
    assert 0 < free_bytes(CPU) <= psutil.virtual_memory().total
    assert free_bytes(CPU, 1 << 40) == pytest.approx((1 << 40) - resident_bytes(), rel=1e-3)
    assert free_bytes(CPU, 1) < 0  # already passed
    monkeypatch.setattr(resources, "Path", lambda _: tmp_path)
    assert free_bytes(CPU) > 1000  # no control group here
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    assert free_bytes(CPU) == 1000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_bytes(CPU) > 1000


def test_another_systems_allocator_is_left_alone(monkeypatch):
    called = []

    class Library:
        def mallopt(self, what, value):
            called.append((what, value))

    monkeypatch.setattr(ctypes, "CDLL", lambda _: Library())
    give_back_freed_memory()
    assert called == [(-3, 1 << 20)]
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Path())  # has no mallopt
    give_back_freed_memory()
