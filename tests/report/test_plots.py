"""Drawings: what is drawn is what was measured, and nothing is drawn of what was not."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gigamae.errors import MissingExtraError
from gigamae.experiments.chosen import experiments
from gigamae.experiments.experiment import Experiment, Row
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


def test_dots_stand_where_the_numbers_are() -> None:
    rows = [Row("a", "A"), Row("b", "B")]
    column = [
        Number("t", rows[0], "cora", "accuracy", Printed(80.0, 0.5), values=(81.0, 83.0)),
        Number("t", rows[1], "cora", "accuracy", None, values=(70.0,)),
    ]
    picture = plots.dots([("cora", column)], "A title")
    lines = picture.axes[0].lines
    marks = [np.atleast_1d(line.get_xdata()) for line in lines if line.get_marker() == "o"]
    assert sorted(np.concatenate(marks).tolist()) == [70.0, 80.0, 82.0]
    assert [t.get_text() for t in picture.axes[0].get_yticklabels()] == ["A", "B"]


def test_lines_are_in_the_order_of_what_is_varied() -> None:
    rows = [Row(f"{x:g}", f"{x:g}", x=x) for x in (1.0, 2.0, 5.0)]
    sweep = [Number("f", row, "cora", "nmi", None, values=((row.x or 0) / 10,)) for row in rows]
    picture = plots.lines([("ratio", "cora NMI", sweep)], "A title", 1)
    line = picture.axes[0].lines[0]
    assert line.get_xydata().tolist() == [[1, 0.1], [2, 0.2], [5, 0.5]]


def test_differences_are_in_points() -> None:
    row = Row("a", "A")
    found = [
        Number("t", row, "cora", "accuracy", Printed(80.0), values=(82.0,)),
        Number("t", row, "cora", "nmi", Printed(0.5), values=(0.47,)),
    ]
    axis = plots.differences(found, "A title").axes[0]
    assert [text.get_text() for text in axis.texts] == ["+2.0", "-3.0"]


def test_without_matplotlib_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    experiment = experiments()["figure-1"]
    with pytest.raises(MissingExtraError, match=r"gigamae\[plots\]"):
        plots.draw(experiment, numbers_of(experiment), tmp_path)
