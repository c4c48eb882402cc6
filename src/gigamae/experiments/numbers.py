"""Numbers: the cells of a row, put together and held against what the paper prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import Any

from gigamae.evaluate.ranking import average_ranks
from gigamae.evaluate.significance import Difference, paired, welch
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import Cell, Variant
from gigamae.experiments.experiment import METRICS, Experiment, Row, first_cell, repeats
from gigamae.experiments.paper import Printed, printed

#: Graphs of the paper that could not be had where these results were made.
NOT_HERE = ("wikics",)
#: Seeds beyond those that an experiment asks for count too, if somebody ran them: all up to these.
MOST_SEEDS, MOST_LINK_SEEDS = 10, 3
#: The paper's table in which a method's number of a metric stands.
_TABLE_OF = {
    "accuracy": "table-1", "nmi": "table-2", "ari": "table-2", "auc": "table-3", "ap": "table-3",
    "total_s": "table-6",
}  # fmt: skip


@dataclass(frozen=True)
class Number:
    """One place in a table.

    Attributes:
        experiment, row, dataset, metric: where it stands.
        paper: what the paper prints there, if anything.
        values: ours in the paper's unit, by pre-training seed; for links by split.
        places: the seeds (for links the splits) that the values are of.
        within: the other spread: over the judge's repeats; for links over pre-training seeds.
        wanted: how many values there should be.
        state: done, partly, not run, not run here, or failed.
        error: why it failed.
        preset: where its settings are from.
        device: where it ran.
    """

    experiment: str
    row: Row
    dataset: str
    metric: str
    paper: Printed | None
    values: tuple[float, ...] = ()
    places: tuple[int, ...] = ()
    within: float | None = None
    wanted: int = 0
    state: str = "not run"
    error: str | None = None
    preset: str = ""
    device: str = ""

    @property
    def ours(self) -> float | None:
        return fmean(self.values) if self.values else None

    @property
    def std(self) -> float | None:
        """Over seeds or splits; None for a single one, which has none."""
        return pstdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's, both as they are printed."""
        if self.ours is None or self.paper is None:
            return None
        digits = METRICS[self.metric].digits
        return round(round(self.ours, digits) - self.paper.mean, digits)

    @property
    def standing(self) -> str:
        """Where ours stands: at or above, within two of the paper's spreads below, or below."""
        if self.difference is None or not METRICS[self.metric].score:
            return ""
        if self.difference >= 0:
            return "at or above"
        spread = self.paper.std if self.paper is not None else None
        if spread is not None and -self.difference <= 2 * spread:
            return "below, within two of its std"
        return "below"

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` says of it."""
        return {
            "table": self.experiment,
            "method": self.row.key,
            "dataset": self.dataset,
            "metric": self.metric,
            "paper": None if self.paper is None else self.paper.mean,
            "ours": None if self.ours is None else round(self.ours, 6),
            "std": None if self.std is None else round(self.std, 6),
            "seeds": len(self.values),
        }


def collect(experiment: Experiment, store: CellStore) -> list[Number]:
    """Every number that an experiment has a place for."""
    found: dict[tuple[str, str, str], tuple[Cell, list[dict[str, Any]]]] = {}
    numbers = []
    for row, dataset, name in experiment.entries():
        task = METRICS[name].task
        place = (row.key, dataset, task)
        if place not in found:
            first = first_cell(row, dataset, task)
            found[place] = (first, _records(first, experiment, store))
        first, records = found[place]
        told = _in_paper(experiment.name, row, dataset, name)
        wanted = experiment.num_seeds(dataset) if task == "labels" else experiment.num_splits(dataset)
        number = Number(experiment.name, row, dataset, name, told, wanted=wanted, preset=first.preset)
        numbers.append(_filled(number, first, records, store))
    return numbers


def _in_paper(experiment: str, row: Row, dataset: str, metric: str) -> Printed | None:
    """What the paper prints in this place; where it prints nothing, but has the same run in one of its
    tables (its figure 1, our comparisons), what stands there."""
    told = printed().get((experiment, row.key, dataset, metric))
    if told is None and row.variant == Variant():
        told = printed().get((_TABLE_OF.get(metric, ""), row.key, dataset, metric))
    return told


def _records(first: Cell, experiment: Experiment, store: CellStore) -> list[dict[str, Any]]:
    if not store.knows(first.dataset, first.method):
        return []
    splits = experiment.num_splits(first.dataset)
    cells = repeats(first, MOST_SEEDS, splits, MOST_LINK_SEEDS)
    return [told for cell in cells if (told := store.get(cell)) is not None]


def _filled(number: Number, first: Cell, records: list[dict[str, Any]], store: CellStore) -> Number:
    metric = METRICS[number.metric]
    read = [(r, value) for r in records if (value := metric.read(r)) is not None]
    if not read:
        if records:  # it was run, but has no such part: node2vec's seconds without that target
            return replace(number, state="none")
        error = store.failure(first)
        missing = "not run here" if number.dataset in NOT_HERE else "not run"
        return replace(number, state=missing if error is None else "failed", error=error)
    by_place: dict[Any, list[float]] = {}
    for record, value in read:
        by_place.setdefault(record["seed"] if metric.task == "labels" else record["split"], []).append(value)
    if metric.task == "labels":
        spreads = [s for r, _ in read if (s := metric.spread(r)) is not None]
    else:
        spreads = [pstdev(values) for values in by_place.values() if len(values) > 1]
    return replace(
        number,
        values=tuple(fmean(by_place[place]) for place in sorted(by_place)),
        places=tuple(sorted(by_place)),
        within=fmean(spreads) if spreads else None,
        state="done" if len(by_place) >= number.wanted else "partly",
        device=", ".join(sorted({str(r["device"]) for r, _ in read})),
    )


@dataclass(frozen=True)
class Ranks:
    """Average ranks of the rows that have every one of some columns.

    Attributes:
        ours: row -> average rank among our numbers.
        paper: row -> average rank among the paper's, over the same columns and rows.
        columns: how many (dataset, metric) they are over.
    """

    ours: Mapping[str, float]
    paper: Mapping[str, float]
    columns: int


def rank(experiment: Experiment, numbers: Iterable[Number]) -> Ranks | None:
    """Average ranks over the columns that all rows have which were run at all; None without such."""
    ours: dict[str, dict[str, float]] = {}
    theirs: dict[str, dict[str, float]] = {}
    for n in numbers:
        if n.row.key not in experiment.ranks or not METRICS[n.metric].score:
            continue
        column = f"{n.dataset}/{n.metric}"
        if n.ours is not None:
            ours.setdefault(n.row.key, {})[column] = n.ours
        if n.paper is not None:
            theirs.setdefault(n.row.key, {})[column] = n.paper.mean
    shared = set.intersection(*(set(row) for row in ours.values())) if ours else set()
    if len(ours) < 2 or not shared:
        return None
    same = {row: {c: theirs.get(row, {}).get(c) for c in shared} for row in ours}
    whole = {r: {c: v for c, v in row.items() if v is not None} for r, row in same.items()}
    complete = all(len(row) == len(shared) for row in whole.values())
    cut = {row: {c: values[c] for c in shared} for row, values in ours.items()}
    return Ranks(average_ranks(cut), average_ranks(whole) if complete else {}, len(shared))


def paper_ranks(table: str) -> dict[str, float]:
    """The paper's A.R. column, computed from its own numbers."""
    rows: dict[str, dict[str, float]] = {}
    for (name, row, dataset, metric), told in printed().items():
        if name == table and dataset:
            rows.setdefault(row, {})[f"{dataset}/{metric}"] = told.mean
    return average_ranks(rows)


@dataclass(frozen=True)
class Lead:
    """The first method of a column against the second.

    Attributes:
        first, second: the two numbers.
        by: their difference with its interval.
        test: paired (over the same splits) or Welch (over seeds).
    """

    first: Number
    second: Number
    by: Difference
    test: str


def leads(numbers: Iterable[Number]) -> list[Lead]:
    """For every column, the best two rows that have at least two values each."""
    columns: dict[tuple[str, str], list[Number]] = {}
    for n in numbers:
        if METRICS[n.metric].score and len(n.values) > 1:
            columns.setdefault((n.dataset, n.metric), []).append(n)
    found = []
    for (_, metric), column in columns.items():
        if len(column) < 2:
            continue
        first, second = sorted(column, key=lambda n: n.ours or 0.0, reverse=True)[:2]
        together = METRICS[metric].task == "links" and first.places == second.places
        by = paired(first.values, second.values) if together else welch(first.values, second.values)
        found.append(Lead(first, second, by, "paired" if together else "Welch"))
    return found
