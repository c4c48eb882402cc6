"""Drawings of the experiments, as PNG and SVG: the same numbers give the same files.

What was not run is not drawn: a row or a panel is there if it has a number of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gigamae.experiments.experiment import METRICS, Experiment
from gigamae.experiments.numbers import Number
from gigamae.experiments.paper import dataset_title
from gigamae.report.panels import OURS, PAPER, Panel, dots, lines

#: A dataset and a metric.
Column = tuple[str, str]

__all__ = ["OURS", "PAPER", "draw", "save"]


def draw(experiment: Experiment, numbers: Sequence[Number], folder: Path) -> str | None:
    """Draw an experiment that has anything to show; returns the picture's file name.

    Args:
        experiment: which; its rows decide how it is drawn.
        numbers: its numbers.
        folder: where ``<name>.png`` and ``<name>.svg`` go; older ones go when there is nothing to show.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    picture = None
    if experiment.name != "table-6":  # figure 7 is its picture
        sweep = any(row.group for row in experiment.rows)
        picture = _sweeps(experiment, numbers) if sweep else _rows(experiment, numbers)
    if picture is not None:
        return save(picture, folder, experiment.name)
    for ending in ("png", "svg"):  # of cells that are there no longer
        (folder / f"{experiment.name}.{ending}").unlink(missing_ok=True)
    return None


def save(picture: Any, folder: Path, name: str) -> str:
    """Write a picture as PNG and SVG, without date or random ids; returns the PNG's name."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        picture.savefig(folder / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")
    picture.savefig(folder / f"{name}.png", dpi=130, metadata={"Software": None}, bbox_inches="tight")
    return f"{name}.png"


def _rows(experiment: Experiment, numbers: Sequence[Number]) -> Any:
    """Methods by panels, one a dataset and metric that anything was run on; None without any."""
    ran = {
        column: {n.row.key for n in numbers if n.ours is not None and (n.dataset, n.metric) == column}
        for column in dict.fromkeys((n.dataset, n.metric) for n in numbers)
    }
    named = []
    for keys, columns in _alike({column: keys for column, keys in ran.items() if keys}):
        panels = []
        for dataset, metric in columns:
            found = [n for n in numbers if (n.dataset, n.metric) == (dataset, metric) and n.ours is not None]
            paper = {n.row.key: (n.paper.mean, n.paper.std) for n in found if n.paper is not None}
            panels.append(Panel(_heading(dataset, metric), {n.row.key: n for n in found}, paper))
        named.append(([row for row in experiment.rows if row.key in keys], panels))
    return dots(named, experiment.title) if named else None


def _alike(ran: Mapping[Column, set[str]]) -> list[tuple[set[str], list[Column]]]:
    """Columns that can share their rows, as more than half of all that either has are in both: one
    method on four graphs does not stand in a panel for eighteen."""
    groups: list[tuple[set[str], list[Column]]] = []
    for column, keys in ran.items():
        for together, columns in groups:
            if 2 * len(together & keys) > len(together | keys):
                together |= keys
                columns.append(column)
                break
        else:
            groups.append((set(keys), [column]))
    return groups


def _sweeps(experiment: Experiment, numbers: Sequence[Number]) -> Any:
    """A line of panels for each sweep on each dataset, a metric a column; None where no sweep has two
    points: one alone says nothing of what was varied."""
    panels: list[Panel | None] = []
    there = [n for n in numbers if n.ours is not None]
    asked = dict.fromkeys((n.dataset, n.row.group) for n in numbers)
    for dataset, group in asked:
        found = [
            [n for n in there if (n.dataset, n.row.group, n.metric) == (dataset, group, m)]
            for m in experiment.metrics
        ]
        if max(map(len, found)) > 1:
            panels += [
                Panel(_heading(dataset, m), {n.row.key: n for n in column}, x_name=group)
                if len(column) > 1 else None
                for m, column in zip(experiment.metrics, found, strict=True)
            ]  # fmt: skip
    x = {group: [row.x or 0.0 for row in experiment.rows if row.group == group] for _, group in asked}
    return lines(panels, x, experiment.title, len(experiment.metrics)) if panels else None


def _heading(dataset: str, metric: str) -> str:
    """Cora accuracy, %; without the dataset where a number is over all."""
    title = METRICS[metric].title
    return f"{dataset_title(dataset)} {title}" if dataset else title
