"""The average of average ranks: the paper's figure 3, from its tables 1 to 3 and from ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from gigamae.experiments.experiment import Experiment
from gigamae.experiments.numbers import Number, paper_ranks, rank
from gigamae.experiments.paper import Printed
from gigamae.experiments.tables import tables

TASKS = ("table-1", "table-2", "table-3")


def average_of_ranks(figure: Experiment, told: Mapping[str, Sequence[Number]]) -> list[Number]:
    """A number for each row of figure 3; ours only for methods that are ranked in all three tables.

    Args:
        figure: figure 3.
        told: the numbers of tables 1 to 3 by the table's name.
    """
    theirs = [paper_ranks(name) for name in TASKS]
    found = [rank(tables()[name], told[name]) for name in TASKS]
    numbers = []
    for row in figure.rows:
        ours = [r.ours[row.key] for r in found if r is not None and row.key in r.ours]
        whole = len(ours) == len(TASKS)
        numbers.append(
            Number(
                figure.name, row, "", "average_rank",
                Printed(round(fmean(ranks[row.key] for ranks in theirs), 2)),
                values=(fmean(ours),) if whole else (), wanted=1, state="done" if whole else "not run",
            )
        )  # fmt: skip
    return numbers
