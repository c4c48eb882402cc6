"""Markdown and CSV of an experiment: the paper's number, ours, the difference, where ours stands."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from gigamae.experiments.experiment import METRICS, Experiment
from gigamae.experiments.numbers import Lead, Number, Ranks, leads, paper_ranks, rank
from gigamae.experiments.paper import METHODS, dataset_title
from gigamae.experiments.standing import rank_in_paper, rank_text, ranks_in_ours
from gigamae.experiments.tables import tables

_COLUMNS = (
    "table", "row", "title", "method", "dataset", "metric", "paper", "paper_std", "ours", "std",
    "std_within", "seeds", "wanted", "difference", "standing", "rank_in_paper",
    "rank_in_ours", "state", "values", "settings_from", "device", "error",
)  # fmt: skip


def as_markdown(experiment: Experiment, numbers: Sequence[Number]) -> str:
    """The whole section of an experiment: its table, its notes, its ranks, its tests."""
    return "\n\n".join([table(experiment, numbers), *reading(experiment, numbers)]) + "\n"


def reading(experiment: Experiment, numbers: Sequence[Number]) -> list[str]:
    """What stands below a table: its notes, its ranks, its tests, what failed."""
    parts = []
    if experiment.notes:
        parts.append("\n".join(f"- {note}" for note in experiment.notes))
    if (found := rank(experiment, numbers)) is not None:
        parts.append(_ranks(experiment, found))
    if experiment.ranks and (first_two := leads(numbers)):
        parts.append(_leads(first_two))
    failed = {(n.row.key, n.dataset): n.error for n in numbers if n.state == "failed"}
    if failed:
        parts.append("\n".join(f"- {row} on {graph} failed: {why}" for (row, graph), why in failed.items()))
    return parts


def table(experiment: Experiment, numbers: Sequence[Number]) -> str:
    """Rows by datasets, or by metrics where there is one dataset; the best of ours in a column is bold."""
    datasets = list(dict.fromkeys(n.dataset for n in numbers))
    if len(datasets) == 1 and len(experiment.metrics) > 1:
        return _by_metric(experiment, numbers)
    places: dict[tuple[str, str], list[Number]] = {}
    for n in numbers:
        places.setdefault((n.row.key, n.dataset), []).append(n)
    best = best_numbers(numbers)
    several = len(experiment.metrics) > 1
    lines = [as_row(["", *(dataset_title(d) for d in datasets)]), as_row(["---", *["---:"] * len(datasets)])]
    for row in {n.row.key: n.row for n in numbers}.values():
        cells = [row.title]
        for dataset in datasets:
            here = [n for n in places.get((row.key, dataset), []) if n.state != "none"]
            if len({(n.state, n.ours, n.paper) for n in here}) == 1 and here[0].ours is None:
                cells.append(_place(here[0], False, False))  # nothing at all, said once
            else:
                cells.append("<br>".join(_place(n, several, n in best) for n in here))
        lines.append(as_row(cells))
    return "\n".join(lines)


def _by_metric(experiment: Experiment, numbers: Sequence[Number]) -> str:
    best = best_numbers(numbers)
    metrics = experiment.metrics
    lines = [as_row(["", *(METRICS[m].title for m in metrics)]), as_row(["---", *["---:"] * len(metrics)])]
    for row in {n.row.key: n.row for n in numbers}.values():
        here = {n.metric: _place(n, False, n in best) for n in numbers if n.row.key == row.key}
        lines.append(as_row([row.title, *(here.get(m, "") for m in metrics)]))
    return "\n".join(lines)


def as_csv(numbers: Sequence[Number]) -> str:
    """One line a number, nothing rounded."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    ranks = ranks_in_ours(numbers)
    for n in numbers:
        printed = (None, None) if n.paper is None else (n.paper.mean, n.paper.std)
        writer.writerow(
            [
                n.experiment, n.row.key, n.row.title, n.row.method, n.dataset, n.metric, *printed,
                n.ours, n.std, n.within, len(n.values), n.wanted, n.difference, n.standing,
                rank_text(rank_in_paper(n)), rank_text(ranks.get((n.row.key, n.dataset, n.metric))), n.state,
                " ".join(f"{v:.6g}" for v in n.values), n.preset, n.device, n.error,
            ]
        )  # fmt: skip
    return text.getvalue()


def number_text(n: Number) -> str:
    """Ours as people write it: 84.91 ± 0.31 (5)."""
    if n.ours is None:
        return n.state
    digits = METRICS[n.metric].digits
    spread = "" if n.std is None else f" ± {n.std:.{digits}f}"
    told = f"{n.ours:.{digits}f}{spread}"
    task = METRICS[n.metric].task
    if not task:
        return told
    of = f"{len(n.values)} of {n.wanted}" if n.state == "partly" else f"{len(n.values)}"
    if task == "links" and n.within is not None:
        of += f" splits, ± {n.within:.{digits}f} over seeds"
    return f"{told} ({of})"


def paper_text(n: Number) -> str:
    """The paper's number and how far ours is from it; empty where it prints none."""
    if n.paper is None:
        return ""
    digits = METRICS[n.metric].digits
    spread = "" if n.paper.std is None else f" ± {n.paper.std:.{digits}f}"
    gap = "" if n.difference is None else f", {n.difference:+.{digits}f}"
    return f"paper {n.paper.mean:.{digits}f}{spread}{gap}"


def _place(n: Number, several: bool, best: bool) -> str:
    ours = f"**{number_text(n)}**" if best else number_text(n)
    head = f"{METRICS[n.metric].title.partition(',')[0]} " if several else ""
    told = paper_text(n)
    return f"{head}{ours}" + (f"<br>{told}" if told else "")


def best_numbers(numbers: Sequence[Number]) -> list[Number]:
    """The highest score of ours in each column that has two or more."""
    columns: dict[tuple[str, str], list[Number]] = {}
    for n in numbers:
        if METRICS[n.metric].score and n.ours is not None:
            columns.setdefault((n.dataset, n.metric), []).append(n)
    return [max(column, key=lambda n: n.ours or 0.0) for column in columns.values() if len(column) > 1]


def _ranks(experiment: Experiment, found: Ranks) -> str:
    whole = paper_ranks(experiment.name) if experiment.name in tables() else {}
    titles = {row.key: row.title for row in experiment.rows}
    of_paper = set(experiment.ranks) == set(METHODS)
    columns = "one column" if found.columns == 1 else f"{found.columns} columns"
    lines = [
        f"Average ranks over the {columns} that all of these have:\n",
        as_row(["", "ours", "the paper's, same columns and rows", "the paper's, all"]),
        as_row(["---", "---:", "---:", "---:"]),
    ]
    for key in sorted(found.ours, key=lambda key: found.ours[key]):
        same = f"{found.paper[key]:.2f}" if key in found.paper else ""
        all_of_it = f"{whole[key]:.2f}" if key in whole and of_paper else ""
        lines.append(as_row([titles[key], f"{found.ours[key]:.2f}", same, all_of_it]))
    return "\n".join(lines)


def _leads(found: Sequence[Lead]) -> str:
    lines = [
        "The first two of each column, their difference with its 95% interval (Welch over seeds; paired "
        "over the same link splits):\n",
        as_row(["", "first", "second", "difference", "interval", "p", "test"]),
        as_row(["---", "---", "---", "---:", "---:", "---:", "---"]),
    ]
    for lead in found:
        digits = METRICS[lead.first.metric].digits
        by = lead.by
        where = f"{dataset_title(lead.first.dataset)}, {METRICS[lead.first.metric].title.partition(',')[0]}"
        interval = f"{by.low:.{digits}f} to {by.high:.{digits}f}"
        lines.append(
            as_row(
                [where, lead.first.row.title, lead.second.row.title, f"{by.difference:.{digits}f}", interval,
                 f"{by.p:.3f}", lead.test]
            )
        )  # fmt: skip
    return "\n".join(lines)


def as_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
