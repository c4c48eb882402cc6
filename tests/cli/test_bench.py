"""``gigamae bench``: what programs read of it. The jobs themselves are tested in tests/benchmarks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gigamae.cli import bench

RATIOS = {"epoch_time": 6.0, "peak_memory": 5.5, "node2vec": 12.0, "pca": 25.0}
SIDE = {"seconds": 1.0, "cpu_seconds": 1.0, "peak_bytes": 2**20, "loss": 0.5}
ROW = {
    "name": "epoch", "work": "", "library": SIDE, "reference": SIDE,
    "ratios": {"seconds": 1.0, "cpu_seconds": 1.0, "peak_bytes": 1.0},
}  # fmt: skip


class JobFailed(RuntimeError):
    pass


def compare(*, quick: bool, **rest: Any) -> dict[str, Any]:
    if not quick:
        raise JobFailed("the library side of epoch failed")
    return {"quick": True, "data": "generated", "ratios": RATIOS, "rows": [ROW]}


@pytest.fixture(autouse=True)
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(compare=compare, JobFailed=JobFailed)
    monkeypatch.setattr(bench, "_benchmarks", lambda: found)


def test_json_has_the_four_ratios(call: Any) -> None:
    told = call("bench", "--quick", "--json")
    assert told.code == 0, told.err
    assert told.json["ratios"] == RATIOS
    assert "epoch, loss" in told.err


def test_a_side_that_fails_is_one_line(call: Any) -> None:
    told = call("bench", "--json")
    assert told.code == 1
    assert "the library side of epoch failed" in told.json["error"]["message"]
