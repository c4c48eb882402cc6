"""Panels: small multiples of one kind, rows of dots or lines of a sweep, and how they look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gigamae.errors import MissingExtraError
from gigamae.experiments.experiment import METRICS, Row
from gigamae.experiments.numbers import Number

OURS, PAPER = "#1b6ca8", "#c8553d"
_QUIET = "#8a8a8a"
_COSTS = {name for name, metric in METRICS.items() if metric.task and not metric.score}
#: Inches: a page shows about nine across without shrinking the words.
_ACROSS, _PANEL, _LABELS, _ROW = 4, 2.1, 1.5, 0.25


@dataclass(frozen=True)
class Panel:
    """One small picture.

    Attributes:
        heading: above it.
        numbers: those of ours that there are, by the row's key.
        paper: what the paper prints, likewise.
        x_name: of a sweep.
    """

    heading: str
    numbers: Mapping[str, Number]
    paper: Mapping[str, tuple[float, float | None]] = field(default_factory=dict)
    x_name: str = ""


def dots(groups: Sequence[tuple[Sequence[Row], Sequence[Panel]]], title: str) -> Any:
    """Panels of rows: ours as a disc with its spread and its number, the paper's as a ring; seconds and
    bytes on a logarithmic axis.

    Args:
        groups: rows from top to bottom, and the panels that share them; the rows are named once in a
            line of panels.
        title: of the picture.
    """
    across = min(max(len(panels) for _, panels in groups), _ACROSS)
    lines = [
        (rows, panels[low : low + across]) for rows, panels in groups for low in range(0, len(panels), across)
    ]
    tall = [0.6 + _ROW * len(rows) for rows, _ in lines]
    wide = _LABELS + max(_PANEL * across, 3.2)
    picture, axes = _grid(len(lines), across, (wide, 0.8 + sum(tall)), sharey="row", height_ratios=tall)
    ringed = False
    for line, (rows, panels) in enumerate(lines):
        places = axes[line * across : (line + 1) * across]
        for axis, panel in zip(places, panels, strict=False):
            _dots_of(axis, panel, rows)
            axis.tick_params(axis="y", length=0, labelleft=axis is places[0])
            ringed = ringed or bool(panel.paper)
        for axis in places[len(panels) :]:
            axis.set_visible(False)
        places[0].set_ylim(-0.7, len(rows) - 0.3)
        places[0].set_yticks(range(len(rows)), [mathematics(row.title) for row in reversed(rows)])
    _finish(picture, title, ("ours", "the paper's") if ringed else ())
    return picture


def _dots_of(axis: Any, panel: Panel, rows: Sequence[Row]) -> None:
    height = {row.key: y for y, row in enumerate(reversed(rows))}
    for key, (mean, std) in panel.paper.items():
        axis.errorbar(mean, height[key], xerr=std, fmt="o", color=PAPER, mfc="none", ms=6, lw=1)
    for key, n in panel.numbers.items():
        axis.errorbar(n.ours, height[key], xerr=n.std, fmt="o", color=OURS, ms=4, lw=1.5)
        axis.annotate(
            f"{n.ours:.{METRICS[n.metric].digits}f}", (1.0, height[key]), (3, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points",
            va="center", fontsize=7, color=OURS,
        )  # fmt: skip
    axis.set_title(panel.heading, fontsize=9)
    _plain(axis)
    found = panel.numbers.values()
    if {n.metric for n in found} <= _COSTS and all((n.ours or 0) > 0 for n in found):
        _logarithmic(axis)
    else:
        axis.locator_params(axis="x", nbins=4)


def lines(panels: Sequence[Panel | None], x: Mapping[str, Sequence[float]], title: str, across: int) -> Any:
    """Panels of sweeps: ours with its spread over what was varied; None leaves a place empty.

    Args:
        panels: a sweep of one metric each.
        x: by the panel's ``x_name``, all that is varied, run or not.
        title: of the picture.
        across: panels in a row: one a metric, which share their axis below one another.
    """
    down = -(-len(panels) // across)
    picture, axes = _grid(down, across, (2.3 * across, 0.6 + 1.9 * down), sharey="col")
    for panel, axis in zip(panels, axes, strict=True):
        if panel is None:
            axis.set_visible(False)
            continue
        found = sorted(panel.numbers.values(), key=lambda n: n.row.x or 0.0)
        spread = [n.std or 0.0 for n in found]
        at = [n.row.x for n in found]
        axis.errorbar(at, [n.ours for n in found], yerr=spread, fmt="o-", color=OURS, ms=4, lw=1.5, capsize=2)
        ticks = x[panel.x_name]
        axis.set_xticks(ticks, [f"{v:g}" for v in ticks])
        margin = 0.06 * (max(ticks) - min(ticks))
        axis.set_xlim(min(ticks) - margin, max(ticks) + margin)
        axis.set_xlabel(mathematics(panel.x_name), fontsize=8)
        axis.set_title(panel.heading, fontsize=9)
        _plain(axis)
        axis.tick_params(labelleft=True)
    _finish(picture, title, ())
    return picture


def mathematics(text: str) -> str:
    """V^B as it is set in the paper, not as it is typed.

    Example:
        >>> mathematics("weight on V^B alone")
        'weight on $V^B$ alone'
    """
    for symbol in ("V^B", "V^F", "V^E", "V^N"):
        text = text.replace(symbol, f"${symbol}$")
    return text


def _grid(
    down: int, across: int, size: tuple[float, float], *, sharey: Any, height_ratios: Any = None
) -> tuple[Any, list[Any]]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError('Drawings need matplotlib: pip install "gigamae[plots]".') from error
    picture = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(picture)
    ratios = {"height_ratios": height_ratios}
    axes = picture.subplots(down, across, squeeze=False, sharey=sharey, gridspec_kw=ratios)
    return picture, list(axes.ravel())


def _logarithmic(axis: Any) -> None:
    """Ticks at 1, 2 and 5 of every decade (at 1 alone over many), written as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_xscale("log")
    low, high = axis.get_xlim()
    steps = (1.0, 2.0, 5.0) if high < 100 * low else (1.0,)
    axis.xaxis.set_major_locator(LogLocator(subs=steps, numticks=8))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_locator(NullLocator())


def _plain(axis: Any) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=7.5)
    axis.grid(color=_QUIET, alpha=0.25, lw=0.5)
    axis.set_axisbelow(True)


def _finish(picture: Any, title: str, legend: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    picture.suptitle(mathematics(title), fontsize=10)
    if legend:
        marks = ({"color": OURS, "ms": 4}, {"color": PAPER, "mfc": "none"})
        handles = [
            Line2D([], [], marker="o", ls="", label=word, **mark)  # type: ignore[arg-type]
            for word, mark in zip(legend, marks, strict=True)
        ]
        picture.legend(handles=handles, loc="outside lower right", ncols=2, fontsize=8, frameon=False)
