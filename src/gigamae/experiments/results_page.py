"""The results page: results/README.md, which a reader opens first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gigamae.experiments.compact import compact
from gigamae.experiments.experiment import METRICS, Experiment
from gigamae.experiments.figures import DIAGRAM
from gigamae.experiments.markdown import as_row, number_text, paper_text, reading
from gigamae.experiments.numbers import NOT_HERE, Number
from gigamae.experiments.paper import dataset_title
from gigamae.experiments.standing import rank_in_paper, rank_text

_HEAD = """# Results

What `gigamae reproduce` found. A number is the mean over pre-training seeds ± their standard deviation (for
links: over the five splits of the edges, the same for every method); in brackets, ours less the paper's. Bold
is the best of ours in its column. What nobody has run is named below each table; no number is filled in by
other means. [How it is run, and what a cell is](../docs/reproduce.md).

The files beside this page have every place with the paper's number, how many seeds, and the ranks; the CSVs
also the single values and, as `std_within`, the other spread: over the judge's repeats, for links over
pre-training seeds. Nothing is changed by hand: `gigamae reproduce all` runs what is missing and writes this
page anew, `--render-only` only writes it.
"""


def results_page(
    sections: Sequence[tuple[Experiment, Sequence[Number]]],
    drawn: Mapping[str, str],
    records: Sequence[Mapping[str, Any]],
    used: set[str],
    beside: Sequence[tuple[str, str]] = (),
) -> str:
    """The page.

    Args:
        sections: every experiment with its numbers.
        drawn: experiment's name -> its picture, for those that have one.
        records: every cell on disk.
        used: keys of the cells that stand in a table or a figure.
        beside: title and file of what else lies there: comparisons, how the presets were found.
    """
    parts = [_HEAD, _contents(sections), _goals(sections)]
    for experiment, numbers in sections:
        parts.append(_section(experiment, numbers, drawn.get(experiment.name)))
        if experiment.name == "figure-1":
            parts.append(f"## {DIAGRAM}\n\nThe framework as a diagram: there is nothing to run.\n")
    if beside:
        parts.append("## Beside these\n\n" + "\n".join(f"- [{t}]({file})" for t, file in beside) + "\n")
    parts.append(_made_on(records, used))
    return "\n".join(parts)


def _contents(sections: Sequence[tuple[Experiment, Sequence[Number]]]) -> str:
    """Every table and figure in a line, with how much of it was run."""
    lines = ["| | | run |", "| --- | --- | ---: |"]
    for experiment, numbers in sections:
        there = sum(n.ours is not None for n in numbers)
        asked = sum(n.state != "none" for n in numbers)
        name = experiment.name
        lines.append(f"| [{name}]({name}.md) | {experiment.title} | {there} of {asked} |")
    return "\n".join(lines) + "\n"


def _goals(sections: Sequence[tuple[Experiment, Sequence[Number]]]) -> str:
    """GiGaMAE against the paper's GiGaMAE, all three tasks on one page."""
    ours = [
        n for experiment, numbers in sections if experiment.name in ("table-1", "table-2", "table-3")
        for n in numbers if n.row.key == "gigamae"
    ]  # fmt: skip
    reached = Counter(n.standing for n in ours if n.standing)
    told = "; ".join(f"{count} {standing}" for standing, count in reached.most_common()) or "none run yet"
    if rest := sum(n.ours is None for n in ours):
        told += f"; {rest} not run"
    metrics = list(dict.fromkeys(n.metric for n in ours))
    rows = [
        "## GiGaMAE against the paper's GiGaMAE\n",
        f"Of {len(ours)} numbers: {told}. The rank is that of ours among the paper's nine methods, in "
        "place of its own GiGaMAE.\n",
        "| | " + " | ".join(METRICS[m].title for m in metrics) + " |",
        "| --- |" + " ---: |" * len(metrics),
    ]
    for dataset in dict.fromkeys(n.dataset for n in ours):
        here = {n.metric: n for n in ours if n.dataset == dataset}
        rows.append(as_row([dataset_title(dataset), *(_goal(here[m]) for m in metrics)]))
    return "\n".join(rows) + "\n"


def _goal(n: Number) -> str:
    rank = rank_in_paper(n)
    place = "" if rank is None else f"<br>rank {rank_text(rank)}"
    return f"{number_text(n)}<br>{paper_text(n)}{place}"


def _section(experiment: Experiment, numbers: Sequence[Number], picture: str | None) -> str:
    name = experiment.name
    files = f"[all of it]({name}.md) · [CSV]({name}.csv)"
    lines = [f"## {name}: {experiment.title}\n", f"`gigamae reproduce {name}` · {files}\n"]
    if picture:
        lines.append(f"![{experiment.title}]({picture})\n")
    if name.startswith("figure"):
        there = sum(n.ours is not None for n in numbers)
        lines += [f"- {note}" for note in experiment.notes]
        lines.append(f"\n{there} of {len(numbers)} numbers are there: [table]({name}.md).\n")
    else:
        lines.append(compact(experiment, numbers))
        lines += [f"{part}\n" for part in reading(experiment, numbers)]
    return "\n".join(lines)


def _made_on(records: Sequence[Mapping[str, Any]], used: set[str]) -> str:
    lines = ["## Machine, versions, dates, cost\n"]
    if not records:
        return "\n".join([*lines, "No cell has been run yet.\n"])
    machines = Counter(_machine(r) for r in records)
    versions = Counter(", ".join(f"{k} {v}" for k, v in r["versions"].items()) for r in records)
    dates = sorted(str(r["date"]) for r in records)
    hours = sum(r["seconds"]["total"] for r in records) / 3600
    other = sum(r["key"] not in used for r in records)
    lines += [f"- {count} cells on {machine}" for machine, count in machines.most_common()]
    lines += [f"- {count} cells with {version}" for version, count in versions.most_common()]
    lines.append(f"- run from {dates[0]} to {dates[-1]}, {hours:.1f} hours of running in all")
    if other:
        lines.append(f"- {other} cells stand in no table above: they were run with other settings or seeds")
    lines.append(
        f"- {', '.join(map(dataset_title, NOT_HERE))}: its files could not be had where this was run; "
        f"`gigamae reproduce all --dataset {','.join(NOT_HERE)}` runs it where they can be fetched"
    )
    lines.append("\nSeconds of a cell, the judging with it, by dataset and task:\n")
    return "\n".join([*lines, *_cost(records), ""])


def _machine(record: Mapping[str, Any]) -> str:
    told = record["machine"]
    where = f"{told['processor']} ({told['cores']} cores, {told['memory'] / 2**30:.0f} GiB)"
    gpu = f" with {told['gpu']}" if told["gpu"] and str(record["device"]).startswith("cuda") else ""
    return f"{where}{gpu}, {record['threads']} threads"


def _cost(records: Sequence[Mapping[str, Any]]) -> list[str]:
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for r in records:
        found.setdefault((r["dataset"], r["task"], str(r["device"])), []).append(r)
    lines = [
        "| dataset | task | device | cells | mean s | longest s | most memory, MiB |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for (dataset, task, device), here in sorted(found.items()):
        seconds = [r["seconds"]["total"] for r in here]
        memory = max(r["peak_memory"] for r in here) / 2**20
        mean, longest = sum(seconds) / len(seconds), max(seconds)
        lines.append(
            f"| {dataset} | {task} | {device} | {len(here)} | {mean:.1f} | {longest:.1f} | {memory:.0f} |"
        )
    return lines
