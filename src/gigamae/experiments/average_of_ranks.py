"""The average of average ranks: the paper's figure 3, from its tables 1 to 3 and from ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from gigamae.experiments.experiment import Experiment
from gigamae.experiments.numbers import Number, Ranks, paper_ranks, rank
from gigamae.experiments.paper import METHODS, Printed
from gigamae.experiments.tables import tables

TASKS = ("table-1", "table-2", "table-3")


def average_of_ranks(
    figure: Experiment, told: Mapping[str, Sequence[Number]]
) -> tuple[Experiment, list[Number]]:
    """Figure 3 with a number for each row, and a note on what ours are over.

    A rank among few is no rank among nine: ours are there only once all nine of the paper's methods
    are ranked in all three tables.

    Args:
        figure: figure 3.
        told: the numbers of tables 1 to 3 by the table's name.
    """
    theirs = [paper_ranks(name) for name in TASKS]
    found = [rank(tables()[name], told[name]) for name in TASKS]
    ranked = [r for r in found if r is not None and set(r.ours) == set(METHODS)]
    whole = len(ranked) == len(TASKS)
    numbers = [
        Number(
            figure.name, row, "", "average_rank",
            Printed(round(fmean(ranks[row.key] for ranks in theirs), 2)),
            values=(fmean(r.ours[row.key] for r in ranked),) if whole else (), wanted=1,
            state="done" if whole else "not run",
        )
        for row in figure.rows
    ]  # fmt: skip
    note = _over(figure, ranked) if whole else "Ours are there once all nine methods are in all three tables."
    return replace(figure, notes=(*figure.notes, note)), numbers


def _over(figure: Experiment, ranked: Sequence[Ranks]) -> str:
    """Which columns ours are over, and what the paper's numbers give over the same ones."""
    columns = ", ".join(str(r.columns) for r in ranked)
    same = {row.title: fmean(r.paper[row.key] for r in ranked) for row in figure.rows}
    listed = ", ".join(f"{title} {mean:.2f}" for title, mean in sorted(same.items(), key=lambda p: p[1]))
    return (
        f"Ours are over the {columns} columns of tables 1, 2 and 3 that all nine have, the paper's over its "
        f"7, 14 and 14; over the same columns as ours the paper's would be {listed}."
    )
