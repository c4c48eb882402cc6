"""Compare: methods on one graph, all tasks side by side with their ranks, time and memory."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from gigamae.errors import SettingsError
from gigamae.experiments.experiment import METRICS, OTHER_SEEDS, SEEDS, SPLITS, Experiment
from gigamae.experiments.markdown import as_csv, as_markdown
from gigamae.experiments.numbers import Number, rank
from gigamae.experiments.tables import method_rows

TASKS = {"classification": ("accuracy",), "clustering": ("nmi", "ari"), "links": ("auc", "ap")}
_COST = ("total_s", "memory_mib")
_HEADS = {
    "accuracy": "ACC", "nmi": "NMI", "ari": "ARI", "auc": "AUC", "ap": "AP", "total_s": "seconds",
    "memory_mib": "MiB",
}  # fmt: skip


def comparison(
    dataset: str,
    methods: Sequence[str] = ("all",),
    tasks: Sequence[str] = ("all",),
    *,
    seeds: int | None = None,
    splits: int | None = None,
) -> Experiment:
    """The experiment of a comparison.

    Args:
        dataset: its name in the catalogue.
        methods: names, or all.
        tasks: classification, clustering, links, or all.
        seeds: pre-training seeds, and at most so many link splits.
        splits: link splits.

    Raises:
        SettingsError: no such method or task.

    Example:
        >>> comparison("cora", ["sgc", "raw"], ["links"]).metrics
        ('auc', 'ap')
    """
    rows = {row.key: row for row in method_rows()}
    chosen = _checked("method", methods, list(rows))
    judged = _checked("task", tasks, list(TASKS))
    metrics = tuple(m for task, measures in TASKS.items() if task in judged for m in measures)
    if {"classification", "clustering"} & set(judged):  # costs are read from runs on the whole graph
        metrics += _COST
    return Experiment(
        f"compare-{dataset}", f"Methods on {dataset}",
        tuple(rows[name] for name in chosen), (dataset,), metrics,
        seeds={dataset: seeds or SEEDS.get(dataset, OTHER_SEEDS)},
        splits={dataset: splits or min(seeds or SPLITS, SPLITS)},
        ranks=tuple(chosen),
    )  # fmt: skip


def overview(experiment: Experiment, numbers: Sequence[Number]) -> tuple[list[str], list[list[str]], str]:
    """Heads, rows (the best average rank first) and a sentence on the ranks."""
    ranks = rank(experiment, numbers)
    ours = {} if ranks is None else dict(ranks.ours)
    heads = ["method", "rank", *(_HEADS[m] for m in experiment.metrics)]
    rows = []
    for row in sorted(experiment.rows, key=lambda row: ours.get(row.key, float("inf"))):
        here = {n.metric: n for n in numbers if n.row.key == row.key}
        cells = [_short(here[m]) for m in experiment.metrics]
        rows.append([row.title, f"{ours[row.key]:.2f}" if row.key in ours else "", *cells])
    told = (
        "No average ranks: fewer than two methods share a column."
        if ranks is None
        else f"Average ranks over the {ranks.columns} scores that all ranked methods have."
    )
    return heads, rows, told


def write_comparison(experiment: Experiment, numbers: Sequence[Number], folder: Path) -> list[Path]:
    """``compare-<dataset>.md``, ``.csv``, ``.png`` and ``.svg``; returns what was written.

    Raises:
        MissingExtraError: matplotlib is not installed; the rest is written before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = experiment.name
    command = f"`gigamae compare {experiment.datasets[0]}`"
    head = f"# {experiment.title}\n\n{command} · [all results](README.md)\n\n"
    files = [folder / f"{name}.md", folder / f"{name}.csv"]
    files[0].write_text(head + as_markdown(experiment, numbers), encoding="utf-8")
    files[1].write_text(as_csv(numbers), encoding="utf-8")
    from gigamae.report.plots import draw

    if picture := draw(experiment, numbers, folder):
        files.append(folder / picture)
    return files


def _short(n: Number) -> str:
    """A mean that fits a terminal; the spread and the seeds are in the files."""
    if n.ours is None:
        return n.state
    return f"{n.ours:.{min(METRICS[n.metric].digits, 3)}f}"


def _checked(what: str, asked: Sequence[str], known: list[str]) -> list[str]:
    if "all" in asked or not asked:
        return known
    for name in asked:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise SettingsError(f"There is no {what} {name!r}.{hint} Known: all, {', '.join(known)}.")
    return [name for name in known if name in asked]
