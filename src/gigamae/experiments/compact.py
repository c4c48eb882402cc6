"""Compact: an experiment as the results page shows it, what was run and nothing else.

The files beside the page keep every place, with the paper's number; here a row or a column without
any number of ours is named in a sentence instead of being filled with "not run".
"""

from __future__ import annotations

from collections.abc import Sequence

from gigamae.experiments.experiment import METRICS, Experiment
from gigamae.experiments.markdown import as_row, best_numbers
from gigamae.experiments.numbers import NOT_HERE, Number
from gigamae.experiments.paper import dataset_title

_NOTHING = "–"


def compact(experiment: Experiment, numbers: Sequence[Number]) -> str:
    """One small table a metric (or a dataset, where there are fewer of those), and what was left out."""
    ran = [n for n in numbers if n.ours is not None or n.state == "failed"]
    file = f"{experiment.name}.md"
    if not any(n.ours is not None for n in ran):
        return f"Nothing of it has been run yet. What the paper prints: [{file}]({file}).\n"
    datasets = list(dict.fromkeys(n.dataset for n in ran))
    metrics = [m for m in experiment.metrics if any(n.metric == m for n in ran)]
    best = best_numbers(numbers)
    parts: list[str] = []
    if len(experiment.datasets) > len(experiment.metrics):
        alone = {m: {n.row.title for n in ran if n.metric == m} for m in metrics}
        alone = {m: titles for m, titles in alone.items() if len(titles) == 1 < len(metrics)}
        for title in dict.fromkeys(title for titles in alone.values() for title in titles):
            mine = [n for n in ran if n.row.title == title and n.metric in alone]
            parts.append(_of_one(mine, datasets, title))
        parts += [
            _grid([n for n in ran if n.metric == m], datasets, "dataset", best, METRICS[m].title)
            for m in metrics if m not in alone
        ]  # fmt: skip
    else:
        parts = [
            _grid([n for n in ran if n.dataset == d], metrics, "metric", best, dataset_title(d))
            for d in datasets
        ]
    return "\n\n".join([*parts, _left_out(numbers, file)]) + "\n"


def short_text(n: Number, best: bool = False) -> str:
    """Ours, its spread, and in brackets ours less the paper's: 84.65 ± 0.22 (-0.07)."""
    if n.ours is None:
        return n.state if n.state == "failed" else _NOTHING
    metric = METRICS[n.metric]
    mean = f"{n.ours:.{metric.digits}f}"
    told = f"**{mean}**" if best else mean
    if n.std is not None:
        told += f" ± {n.std:.{metric.digits}f}"
    if n.difference is not None and metric.score:
        told += f" ({n.difference:+.{metric.digits}f})"
    return told + (f", {len(n.values)} of {n.wanted}" if n.state == "partly" else "")


def _grid(
    numbers: Sequence[Number], columns: Sequence[str], by: str, best: Sequence[Number], corner: str
) -> str:
    """Rows that have a number by datasets or by metrics."""
    columns = [c for c in columns if any(getattr(n, by) == c for n in numbers)]
    heads = [dataset_title(c) if by == "dataset" else METRICS[c].title for c in columns]
    lines = [as_row([f"**{corner}**", *heads]), as_row(["---", *["---:"] * len(columns)])]
    for row in {n.row.key: n.row for n in numbers}.values():
        here = {getattr(n, by): n for n in numbers if n.row.key == row.key}
        cells = [short_text(here[c], here[c] in best) if c in here else _NOTHING for c in columns]
        lines.append(as_row([row.title, *cells]))
    return "\n".join(lines)


def _of_one(numbers: Sequence[Number], datasets: Sequence[str], title: str) -> str:
    """Metrics that a single row has, one a line."""
    datasets = [d for d in datasets if any(n.dataset == d for n in numbers)]
    heads = map(dataset_title, datasets)
    lines = [as_row([f"**{title}**", *heads]), as_row(["---", *["---:"] * len(datasets)])]
    for metric in dict.fromkeys(n.metric for n in numbers):
        here = {n.dataset: short_text(n) for n in numbers if n.metric == metric}
        lines.append(as_row([METRICS[metric].title, *(here.get(d, _NOTHING) for d in datasets)]))
    return "\n".join(lines)


def _left_out(numbers: Sequence[Number], file: str) -> str:
    """What has no number at all, in a sentence; and where everything is."""
    told = []
    ran = {n.row.key for n in numbers if n.ours is not None or n.state == "failed"}
    rows = [row.title for row in {n.row.key: n.row for n in numbers}.values() if row.key not in ran]
    if rows:
        told.append(f"Not run: {', '.join(rows)}.")
    seen = {n.dataset for n in numbers if n.ours is not None}
    absent = [d for d in dict.fromkeys(n.dataset for n in numbers) if d not in seen]
    not_yet = [dataset_title(d) for d in absent if d not in NOT_HERE]
    if not_yet:
        told.append(f"Not run on any method: {', '.join(not_yet)}.")
    told += [f"{dataset_title(d)}: not run here." for d in absent if d in NOT_HERE]
    told.append(f"With the paper's numbers, seeds and every place: [{file}]({file}).")
    return " ".join(told)
