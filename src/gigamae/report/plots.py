"""Drawings of the experiments, as PNG and SVG: the same numbers give the same files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gigamae.errors import MissingExtraError
from gigamae.experiments.experiment import METRICS, Experiment
from gigamae.experiments.numbers import Number

OURS, PAPER = "#1b6ca8", "#c8553d"
_QUIET = "#8a8a8a"
_COSTS = {name for name, metric in METRICS.items() if metric.task and not metric.score}


def draw(experiment: Experiment, numbers: Sequence[Number], folder: Path) -> str | None:
    """Draw an experiment that has any number of ours; returns the picture's file name.

    Args:
        experiment: which; its name decides how it is drawn.
        numbers: its numbers.
        folder: where ``<name>.png`` and ``<name>.svg`` go.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    there = [n for n in numbers if n.ours is not None]
    if not there:
        for ending in ("png", "svg"):  # of cells that are there no longer
            (folder / f"{experiment.name}.{ending}").unlink(missing_ok=True)
        return None
    if experiment.name == "table-6":  # figure 7 is its picture
        return None
    picture = _kind(experiment)(experiment, there)
    return save(picture, folder, experiment.name)


def save(picture: Any, folder: Path, name: str) -> str:
    """Write a picture as PNG and SVG, without date or random ids; returns the PNG's name."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        picture.savefig(folder / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")
    picture.savefig(folder / f"{name}.png", dpi=130, metadata={"Software": None}, bbox_inches="tight")
    return f"{name}.png"


def dots(panels: Sequence[tuple[str, Sequence[Number]]], title: str) -> Any:
    """Panels of rows: ours with its spread as a disc, the paper's as a ring; seconds and bytes on a
    logarithmic axis.

    Args:
        panels: heading and numbers, one a row.
        title: of the picture.
    """
    across = min(len(panels), 4)
    down = -(-len(panels) // across)
    tallest = max(len(numbers) for _, numbers in panels)
    picture, axes = _grid(down, across, (3.4 * across, down * (0.9 + 0.26 * tallest)))
    for (heading, numbers), axis in zip(panels, axes, strict=False):
        height = range(len(numbers))[::-1]
        for y, n in zip(height, numbers, strict=True):
            if n.paper is not None:
                axis.errorbar(n.paper.mean, y, xerr=n.paper.std, fmt="o", color=PAPER, mfc="none", ms=6, lw=1)
            axis.errorbar(n.ours, y, xerr=n.std, fmt="o", color=OURS, ms=4, lw=1.5)
        axis.set_yticks(list(height), [n.row.title for n in numbers], fontsize=7)
        axis.set_title(heading, fontsize=9)
        axis.set_ylim(-0.7, len(numbers) - 0.3)
        if {n.metric for n in numbers} <= _COSTS and all((n.ours or 0) > 0 for n in numbers):
            _logarithmic(axis)
        _plain(axis)
    _finish(picture, axes, len(panels), title)
    return picture


def lines(panels: Sequence[tuple[str, str, Sequence[Number]]], title: str, across: int) -> Any:
    """Panels of a sweep: ours with its spread over what was varied.

    Args:
        panels: name of the x axis, heading, numbers in the order of x.
        title: of the picture.
        across: panels in a row.
    """
    down = -(-len(panels) // across)
    picture, axes = _grid(down, across, (2.9 * across, 2.3 * down))
    for (x_name, heading, numbers), axis in zip(panels, axes, strict=False):
        x = [n.row.x for n in numbers]
        spread = [n.std or 0.0 for n in numbers]
        ours = [n.ours for n in numbers]
        axis.errorbar(x, ours, yerr=spread, fmt="o-", color=OURS, ms=4, lw=1.5, capsize=2)
        axis.set_xticks(x, [f"{v:g}" for v in x], fontsize=7)
        axis.set_xlabel(x_name, fontsize=8)
        axis.set_title(heading, fontsize=9)
        _plain(axis)
    _finish(picture, axes, len(panels), title, legend=False)
    return picture


def differences(numbers: Sequence[Number], title: str) -> Any:
    """Methods by columns: ours less the paper's in points of a hundred; blue where ours is higher."""
    import numpy as np

    columns = list(dict.fromkeys((n.dataset, n.metric) for n in numbers))
    rows = {n.row.key: n.row.title for n in numbers}
    values = np.full((len(rows), len(columns)), np.nan)
    for n in numbers:
        points = (n.difference or 0.0) * (100 if METRICS[n.metric].scale == 1 else 1)
        values[list(rows).index(n.row.key), columns.index((n.dataset, n.metric))] = points
    picture, (axis,) = _grid(1, 1, (1.6 + 0.75 * len(columns), 1.2 + 0.34 * len(rows)))
    axis.imshow(values, cmap="RdBu", vmin=-5, vmax=5, aspect="auto")
    for i, j in np.argwhere(np.isfinite(values)):
        dark = abs(values[i, j]) > 3.5
        axis.text(j, i, f"{values[i, j]:+.1f}", ha="center", va="center", fontsize=7,
                  color="white" if dark else "black")  # fmt: skip
    several = len({metric for _, metric in columns}) > 1
    names = [f"{d}\n{METRICS[m].title.partition(',')[0]}" if several else d for d, m in columns]
    axis.set_xticks(range(len(columns)), names, fontsize=7)
    axis.set_yticks(range(len(rows)), list(rows.values()), fontsize=8)
    axis.set_title(f"{title}\nours less the paper's, in points", fontsize=9)
    return picture


def _kind(experiment: Experiment) -> Callable[[Experiment, Sequence[Number]], Any]:
    if experiment.name in ("table-1", "table-2", "table-3"):
        return _as_differences
    if any(row.group for row in experiment.rows):
        return _as_lines
    return _as_dots


def _as_differences(experiment: Experiment, numbers: Sequence[Number]) -> Any:
    both = [n for n in numbers if n.paper is not None]
    return differences(both, experiment.title) if both else _as_dots(experiment, numbers)


def _as_dots(experiment: Experiment, numbers: Sequence[Number]) -> Any:
    panels: dict[tuple[str, str], list[Number]] = {}
    for n in numbers:
        panels.setdefault((n.dataset, n.metric), []).append(n)
    named = [(f"{d} {METRICS[m].title}".strip(), found) for (d, m), found in panels.items()]
    return dots(named, experiment.title)


def _as_lines(experiment: Experiment, numbers: Sequence[Number]) -> Any:
    panels: dict[tuple[str, str, str], list[Number]] = {}
    for n in numbers:
        panels.setdefault((n.row.group, n.dataset, n.metric), []).append(n)
    named = [
        (group, f"{dataset} {METRICS[m].title}", sorted(found, key=lambda n: n.row.x or 0.0))
        for (group, dataset, m), found in sorted(panels.items(), key=lambda p: (p[0][1], p[0][0]))
    ]
    return lines(named, experiment.title, across=len(experiment.metrics))


def _grid(down: int, across: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError('Drawings need matplotlib: pip install "gigamae[plots]".') from error
    picture = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(picture)
    return picture, list(picture.subplots(down, across, squeeze=False).ravel())


def _logarithmic(axis: Any) -> None:
    """Ticks at 1, 2 and 5 of every decade, written as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_locator(NullLocator())


def _plain(axis: Any) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=7)
    axis.grid(color=_QUIET, alpha=0.25, lw=0.5)
    axis.set_axisbelow(True)


def _finish(picture: Any, axes: list[Any], used: int, title: str, *, legend: bool = True) -> None:
    from matplotlib.lines import Line2D

    for axis in axes[used:]:
        axis.set_visible(False)
    picture.suptitle(title, fontsize=10)
    if legend:
        handles = [
            Line2D([], [], marker="o", ls="", color=OURS, ms=4, label="ours"),
            Line2D([], [], marker="o", ls="", color=PAPER, mfc="none", label="the paper's"),
        ]
        picture.legend(handles=handles, loc="outside lower right", ncols=2, fontsize=7, frameon=False)
