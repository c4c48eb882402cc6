"""gigamae bench: what it reports, from jobs of a size that takes no time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

Load = Callable[[str], ModuleType]


def job(benchmarks: Path, **told: Any) -> dict[str, Any]:
    words = [sys.executable, str(benchmarks / "jobs.py"), json.dumps(told)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.fixture(scope="module")
def small(benchmarks: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    data = str(tmp_path_factory.mktemp("bench") / "graph.npz")
    sizes = job(benchmarks, job="prepare", side="", size=(400, 1200, 64, 3), data=data, targets=True)
    assert sizes["nodes"] == 400
    return data


@pytest.mark.parametrize("side", ["library", "reference"])
def test_a_side_tells_its_cost_and_its_quality(benchmarks: Path, side: str, small: str) -> None:
    found = job(benchmarks, job="epoch", side=side, data=small, epochs=1)
    assert found["seconds"] > 0
    assert found["peak_bytes"] > 10 << 20
    assert np.isfinite(found["loss"])


def test_ratios_are_reference_over_library(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = load("side_by_side")
    monkeypatch.setattr(bench, "largest_angle", lambda a, b: 1e-6)
    monkeypatch.setattr(bench.np, "load", lambda path: None)
    told: list[tuple[str, str]] = []

    def run(self: Any, job: str, side: str, **of: Any) -> dict[str, Any]:
        told.append((job, side))
        if job == "prepare":
            return {"nodes": 10, "edges": 20, "features": 3, "widths": [4, 5]}
        cost = {"library": 2.0, "reference": 30.0}[side]
        return {"seconds": cost, "cpu_seconds": cost, "peak_bytes": int(cost * 2**20), "loss": 1.0}

    monkeypatch.setattr(bench._Bench, "run", run)
    report = bench.compare(quick=True, data_root=None, tell=lambda text: None)
    assert report["ratios"] == {"epoch_time": 15, "peak_memory": 15, "node2vec": 15, "pca": 15}
    assert told[1:3] == [("epoch", "library"), ("epoch", "reference")], "in turn, never side by side"
    page = bench.markdown(report)
    assert "| s | 2.00 | 30.00 | 15.0 |" in page
    assert "largest principal angle | 1.0e-06 rad" in page


def test_an_angle_between_subspaces(load: Load) -> None:
    bench = load("side_by_side")
    a = np.random.default_rng(0).normal(size=(50, 3))
    assert bench.largest_angle(a, a @ np.random.default_rng(1).normal(size=(3, 3))) < 1e-6
    turned = a.copy()
    turned[:, 0] = np.random.default_rng(2).normal(size=50)
    assert bench.largest_angle(a, turned) > 0.1


def test_scaling_measures_a_size_and_fits_exponents(benchmarks: Path, load: Load, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(benchmarks / "scaling.py"), "-o", str(tmp_path), "--sizes", "300", "600"],
        check=True, capture_output=True,
    )  # fmt: skip
    found = json.loads((tmp_path / "scaling.json").read_text())
    assert [row["nodes"] for row in found["rows"]] == [300, 600]
    assert found["rows"][1]["edges"] == 2 * found["rows"][0]["edges"]
    assert (tmp_path / "scaling.png").is_file()
    assert "| 600 |" in (tmp_path / "scaling.md").read_text()
    scaling = load("scaling")
    assert scaling.exponent([1, 2, 4], [5.0, 20.0, 80.0]) == pytest.approx(2.0)


def test_expected_numbers_are_written_where_they_were_measured(load: Load) -> None:
    expected = load("expected")
    text = (
        'notes = [\n  "The expected numbers are those of the paper until ours are measured.",\n]\n'
        "[expected.clustering]\nnmi = { mean = 0.5, std = 0.0, seeds = 0 }\n"
        "ari = { mean = 0.4, std = 0.0, seeds = 0 }\n"
    )

    def number(metric: str, values: tuple[float, ...]) -> Any:
        from gigamae.experiments.experiment import Row
        from gigamae.experiments.numbers import Number

        return Number("table-2", Row("gigamae", "GiGaMAE"), "cora", metric, None, values)

    once = expected.rewrite(text, [number("nmi", (0.58, 0.60))])
    assert "nmi = { mean = 0.5900, std = 0.0100, seeds = 2 }" in once
    assert "until ours are measured" in once, "ari was not"
    both = expected.rewrite(once, [number("ari", (0.5, 0.5))])
    assert "ari = { mean = 0.5000, std = 0.0000, seeds = 2 }" in both
    assert "until ours are measured" not in both
