"""Standing: the place that a number of ours takes, among the paper's methods and among ours."""

from __future__ import annotations

from collections.abc import Iterable

from gigamae.experiments.experiment import METRICS
from gigamae.experiments.numbers import Number
from gigamae.experiments.paper import METHODS, printed

#: Row, dataset and metric: what a number is known by within its table.
Place = tuple[str, str, str]
#: A rank and of how many.
Rank = tuple[int, int]


def rank_in_paper(n: Number) -> Rank | None:
    """Where ours would stand in the paper's column, its own number taken out; None where it has none.

    Example:
        >>> from gigamae.experiments.experiment import Row
        >>> ours = Number("table-1", Row("gigamae", ""), "cora", "accuracy", None, values=(84.4,))
        >>> rank_in_paper(ours)  # after GraphMAE2, which has 84.41
        (2, 9)
    """
    if n.ours is None or not METRICS[n.metric].score:
        return None
    column = [
        told.mean
        for (table, row, dataset, metric), told in printed().items()
        if (table, dataset, metric) == (n.experiment, n.dataset, n.metric)
        and row in METHODS
        and row != n.row.key
    ]
    return _rank(_as_printed(n), column) if len(column) > 1 else None


def ranks_in_ours(numbers: Iterable[Number]) -> dict[Place, Rank]:
    """The rank of each score among all of ours in its column, where there are two or more."""
    columns: dict[tuple[str, str], list[Number]] = {}
    for n in numbers:
        if METRICS[n.metric].score and n.ours is not None:
            columns.setdefault((n.dataset, n.metric), []).append(n)
    found = {}
    for column in columns.values():
        for n in column:
            others = [_as_printed(other) for other in column if other is not n]
            if others:
                found[n.row.key, n.dataset, n.metric] = _rank(_as_printed(n), others)
    return found


def rank_text(rank: Rank | None) -> str:
    """As people write it: 2 of 9; empty for none."""
    return "" if rank is None else f"{rank[0]} of {rank[1]}"


def _as_printed(n: Number) -> float:
    """Rounded as the paper prints, so that what reads the same ranks the same."""
    assert n.ours is not None
    return round(n.ours, METRICS[n.metric].digits)


def _rank(value: float, others: list[float]) -> Rank:
    return 1 + sum(other > value for other in others), 1 + len(others)
