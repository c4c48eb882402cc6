"""The results page: results/README.md, which a reader opens first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gigamae.experiments.experiment import METRICS, Experiment
from gigamae.experiments.figures import DIAGRAM
from gigamae.experiments.markdown import as_markdown, number_text, paper_text
from gigamae.experiments.numbers import NOT_HERE, Number

_HEAD = """# Results

Written by `gigamae reproduce`; change nothing here by hand. Each number is ours, mean ± standard deviation
over pre-training seeds (over the five fixed splits for links), in brackets how many; below it what the paper
prints, and ours less the paper's. "not run" means nobody has run it yet, "not run here" that its graph could
not be had on the machine used; no number is filled in by other means. Each `.csv` has the single values, and
the other spread as `std_within`: over the repeats of the judge, for links over pre-training seeds.
[How it is run, and what a cell is](../docs/reproduce.md).

`gigamae reproduce all` runs whatever is missing and writes this page anew; `--render-only` only writes it.
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
    parts = [_HEAD, _goals(sections)]
    for experiment, numbers in sections:
        parts.append(_section(experiment, numbers, drawn.get(experiment.name)))
        if experiment.name == "figure-1":
            parts.append(f"## {DIAGRAM}\n\nThe framework as a diagram: there is nothing to run.\n")
    if beside:
        parts.append("## Beside these\n\n" + "\n".join(f"- [{t}]({file})" for t, file in beside) + "\n")
    parts.append(_made_on(records, used))
    return "\n".join(parts)


def _goals(sections: Sequence[tuple[Experiment, Sequence[Number]]]) -> str:
    """GiGaMAE against the paper's GiGaMAE, all three tasks on one page."""
    ours = [
        n for experiment, numbers in sections if experiment.name in ("table-1", "table-2", "table-3")
        for n in numbers if n.row.key == "gigamae"
    ]  # fmt: skip
    reached = Counter(n.standing for n in ours if n.standing)
    told = ", ".join(f"{count} {standing}" for standing, count in reached.most_common()) or "none run yet"
    metrics = list(dict.fromkeys(n.metric for n in ours))
    rows = [
        "## GiGaMAE against the paper's GiGaMAE\n",
        f"Of {len(ours)} numbers: {told}.\n",
        "| | " + " | ".join(METRICS[m].title for m in metrics) + " |",
        "| --- |" + " ---: |" * len(metrics),
    ]
    for dataset in dict.fromkeys(n.dataset for n in ours):
        here = {n.metric: n for n in ours if n.dataset == dataset}
        cells = [f"{number_text(here[m])}<br>{paper_text(here[m])}" for m in metrics]
        rows.append(f"| {dataset} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _section(experiment: Experiment, numbers: Sequence[Number], picture: str | None) -> str:
    name = experiment.name
    lines = [f"## {name}: {experiment.title}\n", f"`gigamae reproduce {name}` · [CSV]({name}.csv)\n"]
    if picture:
        lines.append(f"![{experiment.title}]({picture})\n")
    if name.startswith("figure"):
        there = sum(n.ours is not None for n in numbers)
        lines += [f"- {note}" for note in experiment.notes]
        lines.append(f"\n{there} of {len(numbers)} numbers are there: [table]({name}.md).\n")
    else:
        lines.append(as_markdown(experiment, numbers))
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
        f"- {', '.join(NOT_HERE)}: its files could not be had where this was run; `gigamae reproduce all "
        f"--dataset {','.join(NOT_HERE)}` runs it where they can be fetched"
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
