"""Drawings: what is drawn is what was measured, and nothing is drawn of what was not."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gigamae.errors import MissingExtraError
from gigamae.experiments.chosen import experiments
from gigamae.experiments.experiment import Experiment
from gigamae.experiments.numbers import Number
from gigamae.experiments.paper import Printed
from gigamae.report import plots


def numbers_of(experiment: Experiment) -> list[Number]:
    """A number in every place, some with one of the paper's."""
    return [
        Number(experiment.name, row, dataset, metric, Printed(50.0 + i, 1.0) if i % 2 else None,
               values=(51.0 + i, 53.0 + i), wanted=2, state="done")
        for i, (row, dataset, metric) in enumerate(experiment.entries())
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["table-1", "table-4", "figure-6", "figure-7"])
def test_every_kind_is_drawn(name: str, tmp_path: Path) -> None:
    whole = experiments()[name]
    experiment = replace(whole, rows=whole.rows[:3], datasets=("cora",), metrics=whole.metrics[:2])
    assert plots.draw(experiment, numbers_of(experiment), tmp_path) == f"{name}.png"
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / f"{name}.svg").read_text()


def test_nothing_measured_nothing_drawn(tmp_path: Path) -> None:
    experiment = experiments()["table-1"]
    (tmp_path / "table-1.png").write_bytes(b"of cells that are there no longer")
    unmeasured = [Number("table-1", row, d, m, Printed(50.0)) for row, d, m in experiment.entries()]
    assert plots.draw(experiment, unmeasured, tmp_path) is None
    assert not list(tmp_path.iterdir())


def drawn(name: str, ran: dict[tuple[str, str], list[str]]) -> Any:
    """The picture of an experiment of which only these rows were run, by dataset and metric."""
    experiment = experiments()[name]
    numbers = [
        Number(name, row, d, m, Printed(80.0, 0.5) if row.key != "sgc" else None,
               values=(81.0, 83.0) if row.key in ran.get((d, m), ()) else ())
        for row, d, m in experiment.entries()
    ]  # fmt: skip
    kind = plots._sweeps if any(row.group for row in experiment.rows) else plots._rows
    return kind(experiment, numbers)


def headings(picture: Any) -> list[str]:
    return [axis.get_title() for axis in picture.axes if axis.get_visible()]


def names(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_yticklabels()]


def test_dots_stand_where_the_numbers_are() -> None:
    axis = drawn("table-1", {("cora", "accuracy"): ["gigamae", "sgc"]}).axes[0]
    marks = [np.atleast_1d(line.get_xdata()) for line in axis.lines if line.get_marker() == "o"]
    assert sorted(np.concatenate(marks).tolist()) == [80.0, 82.0, 82.0]
    assert names(axis) == ["SGC features", "GiGaMAE"]
    assert [text.get_text() for text in axis.texts] == ["82.00", "82.00"]


def test_what_was_not_run_is_not_drawn() -> None:
    two = ["gigamae", "graphmae"]
    ran = {("cora", "nmi"): two, ("cora", "ari"): two, ("cs", "nmi"): ["gigamae"], ("cs", "ari"): ["gigamae"]}
    picture = drawn("table-2", ran)
    assert headings(picture) == ["Cora NMI", "Cora ARI", "CS NMI", "CS ARI"]
    first, third = picture.axes[0], picture.axes[2]
    assert names(first) == ["GraphMAE", "GiGaMAE"]
    assert names(third) == ["GiGaMAE"]
    picture.canvas.draw()
    assert third.get_position().height < first.get_position().height


def test_panels_of_nearly_the_same_rows_share_them_in_the_papers_order() -> None:
    two, three = ["deepwalk", "graphmae"], ["gigamae", "deepwalk", "graphmae"]
    ran = {("cora", "accuracy"): two, ("citeseer", "accuracy"): three, ("cs", "accuracy"): ["gigamae"]}
    picture = drawn("table-1", ran)
    assert headings(picture) == ["Cora accuracy, %", "CiteSeer accuracy, %", "CS accuracy, %"]
    assert names(picture.axes[0]) == ["GraphMAE", "DeepWalk", "GiGaMAE"]
    assert [len(axis.texts) for axis in picture.axes if axis.get_visible()] == [2, 3, 1]


def test_names_of_panels_and_ticks_do_not_lie_over_one_another() -> None:
    picture = drawn("table-3", {(d, m): ["gigamae"] for d in ("cora", "cs") for m in ("auc", "ap")})
    picture.canvas.draw()
    for axis in picture.axes:
        boxes = [t.get_window_extent() for t in axis.get_xticklabels() if t.get_text()]
        inside = [b for b in boxes if axis.bbox.x0 <= (b.x0 + b.x1) / 2 <= axis.bbox.x1]
        assert all(left.x1 < right.x0 for left, right in pairwise(inside))
    titles = [axis.title.get_window_extent() for axis in picture.axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(titles))


def test_lines_are_in_the_order_of_what_is_varied() -> None:
    ran = {("cora", "nmi"): ["mask-edge-0.9", "mask-edge-0.1", "mask-edge-0.5"]}
    picture = drawn("figure-5", ran)
    assert headings(picture) == ["Cora NMI"]
    (axis,) = [axis for axis in picture.axes if axis.get_visible()]
    assert axis.lines[0].get_xdata().tolist() == [0.1, 0.5, 0.9]
    assert [t.get_text() for t in axis.get_xticklabels()] == ["0.1", "0.3", "0.5", "0.7", "0.9"]
    assert axis.get_xlabel() == "edge mask ratio"


def test_a_sweep_of_one_point_is_no_picture() -> None:
    assert drawn("figure-5", {("cora", "nmi"): ["mask-edge-0.9"], ("cora", "auc"): ["mask-edge-0.9"]}) is None


def test_without_matplotlib_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    experiment = experiments()["figure-1"]
    with pytest.raises(MissingExtraError, match=r"gigamae\[plots\]"):
        plots.draw(experiment, numbers_of(experiment), tmp_path)
