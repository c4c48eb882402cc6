"""The profile: parts that add up, under the names that people look for."""

from __future__ import annotations

import pytest

from gigamae.experiments.profile import profile

RUN = {
    "target node2vec": 20.0, "target pca": 10.0, "training": 50.0, "training, masks": 1.0,
    "training, encoder": 14.0, "training, objective": 30.0, "training, update": 2.0,
    "training, validation": 3.0, "embedding": 5.0, "total": 100.0,
}  # fmt: skip


def test_every_part_is_there_once() -> None:
    told = dict(profile(RUN))
    assert list(told) == [
        "targets", " node2vec", " pca", "masks", "encoder", "objective", "update", "evaluation",
        "embedding", "the rest",
    ]  # fmt: skip
    assert told["targets"] == 30
    assert told["evaluation"] == 3
    assert sum(s for name, s in told.items() if not name.startswith(" ")) == pytest.approx(100)


def test_a_run_without_validation_has_no_time_of_it() -> None:
    assert dict(profile({k: v for k, v in RUN.items() if "validation" not in k}))["evaluation"] == 0


def test_a_method_that_tells_only_of_its_stages() -> None:
    told = profile({"preparing": 1.0, "training": 6.0, "embedding": 1.0, "total": 10.0})
    assert told == [("preparing", 1), ("training", 6), ("embedding", 1), ("the rest", 2)]
    assert profile({"total": 2.0}) == [("the rest", 2)]
