"""benchmarks/time_to_quality.py: when either side counts as being there."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from gigamae import GiGaMAE, load_dataset

Load = Callable[[str], ModuleType]


def points(*qualities: float) -> list[dict[str, float]]:
    return [{"epoch": 10 * i, "seconds": 2.0 * i, "quality": q} for i, q in enumerate(qualities, 1)]


def test_both_are_there_within_three_tenths_of_a_point(load: Load) -> None:
    ttq = load("time_to_quality")
    found = {"reference": points(0.80, 0.898, 0.90), "library": points(0.85, 0.8975, 0.91)}
    row = ttq.summary("classification", found, epoch_s=10.0)
    assert row["reference_epochs"] == 20
    assert row["reference_seconds"] == pytest.approx(200)
    assert row["library_seconds"] == pytest.approx(4)
    assert row["ratio"] == pytest.approx(50)


def test_what_is_not_reached_has_no_ratio(load: Load) -> None:
    ttq = load("time_to_quality")
    row = ttq.summary("links", {"reference": points(0.9), "library": points(0.8)}, epoch_s=10.0)
    assert row["ratio"] is None
    machine = {"cores": 2, "processor": "some"}
    cost = {"reference_epoch_s": 1.0, "reference_peak_bytes": 1, "epochs": 9}
    report = {"machine": machine, "rows": [row], **cost}
    assert "not reached" in ttq.markdown(report)


def test_judging_is_not_on_the_clock_and_every_epoch_is_run(load: Load) -> None:
    import time

    ttq = load("time_to_quality")
    model = GiGaMAE(targets=["pca"], epochs=4, check_every=2, hidden_dim=16, out_dim=16, patience=1)

    def judge(z: np.ndarray) -> float:
        time.sleep(0.2)
        return float(z.shape[1])

    found = ttq.trajectory(model, load_dataset("demo"), judge)
    assert [p["epoch"] for p in found] == [2, 4]
    assert found[1]["seconds"] - found[0]["seconds"] < 0.2 + found[0]["seconds"]
