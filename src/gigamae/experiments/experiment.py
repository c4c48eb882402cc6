"""Experiment: what a table or a figure wants to know, as rows of runs and columns of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gigamae.experiments.cells import Cell, Variant, make_cell

#: Pre-training seeds of a preset's own rows by dataset, and of ablations.
SEEDS = {"cora": 5, "citeseer": 5, "physics": 2}
ABLATION_SEEDS = {"cora": 5, "computers": 2, "wikics": 2}
SWEEP_SEEDS = {"cora": 3, "computers": 2}
OTHER_SEEDS = 3
#: The five splits of the edges that every method shares.
SPLITS = 5


@dataclass(frozen=True)
class Metric:
    """A column of numbers.

    Attributes:
        title: its heading.
        task: of the cells that it is read from: labels or links; empty for what is computed of others.
        where: the path to it in a cell's file.
        scale: from the cell's unit to the paper's: 100 for percent.
        digits: that the paper prints.
        score: whether it is a score: higher is better, and it has a spread of its own.
    """

    title: str
    task: str
    where: tuple[str, ...]
    scale: float = 1.0
    digits: int = 2
    score: bool = True

    def read(self, record: Mapping[str, Any]) -> float | None:
        """Its value in a cell, in the paper's unit; None where the cell has none."""
        found = self._find(record)
        if isinstance(found, Mapping):
            found = found["mean"]
        return None if found is None else float(found) * self.scale

    def spread(self, record: Mapping[str, Any]) -> float | None:
        """Its standard deviation within a cell: over the repeats of the judge."""
        found = self._find(record)
        return float(found["std"]) * self.scale if isinstance(found, Mapping) else None

    def _find(self, record: Mapping[str, Any]) -> Any:
        found: Any = record
        for step in self.where:
            if not isinstance(found, Mapping) or step not in found:
                return None
            found = found[step]
        return found


METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy, %", "labels", ("scores", "classification", "accuracy"), 100),
    "nmi": Metric("NMI", "labels", ("scores", "clustering", "nmi"), 1, 4),
    "ari": Metric("ARI", "labels", ("scores", "clustering", "ari"), 1, 4),
    "auc": Metric("AUC, %", "links", ("scores", "links", "auc"), 100),
    "ap": Metric("AP, %", "links", ("scores", "links", "ap"), 100),
    "pca_s": Metric("PCA, s", "labels", ("seconds", "target pca"), score=False),
    "node2vec_s": Metric("node2vec, s", "labels", ("seconds", "target node2vec"), score=False),
    "train_s": Metric("training, s", "labels", ("seconds", "training"), score=False),
    "total_s": Metric("fit and embed, s", "labels", ("seconds", "model"), score=False),
    "average_rank": Metric("average rank", "", (), score=False),
    "memory_mib": Metric("peak memory, MiB", "labels", ("peak_memory",), 2**-20, 0, score=False),
}


@dataclass(frozen=True)
class Row:
    """One thing that is run: a method, changed or not.

    Attributes:
        key: its word in files; the paper's numbers are found by it.
        title: its name for people.
        method, variant: of its cells.
        metrics: those that it has; all of the experiment's when empty.
        group, x: where a figure puts it: the sweep that it belongs to, and its place in it.
        datasets: those that it is run on; all of the experiment's when empty.
    """

    key: str
    title: str
    method: str = "gigamae"
    variant: Variant = field(default_factory=Variant)
    metrics: tuple[str, ...] = ()
    group: str = ""
    x: float | None = None
    datasets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A table or a figure.

    Attributes:
        name: table-1, figure-4, weights ...
        title: its caption.
        rows, datasets, metrics: what it shows.
        seeds: pre-training seeds by dataset; :data:`OTHER_SEEDS` for those not named.
        splits: link splits by dataset; :data:`SPLITS` for those not named.
        ranks: the rows that average ranks are taken of; none when empty.
        notes: sentences below it.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    seeds: Mapping[str, int] = field(default_factory=lambda: SEEDS)
    splits: Mapping[str, int] = field(default_factory=dict)
    ranks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def num_seeds(self, dataset: str) -> int:
        return self.seeds.get(dataset, OTHER_SEEDS)

    def num_splits(self, dataset: str) -> int:
        return self.splits.get(dataset, SPLITS)

    def entries(self) -> Iterator[tuple[Row, str, str]]:
        """Every number it has a place for: row, dataset, metric."""
        for row in self.rows:
            for dataset in row.datasets or self.datasets:
                for metric in row.metrics or self.metrics:
                    yield row, dataset, metric


@dataclass(frozen=True)
class Narrowing:
    """What of an experiment is wanted; None and empty for all of it."""

    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: int | None = None
    splits: int | None = None
    link_seeds: int = 1

    def allows(self, row: Row, dataset: str) -> bool:
        """Whether a row's cells of a dataset are wanted; a row answers to its key and to its method."""
        wanted = not self.methods or bool({row.key, row.method} & set(self.methods))
        return wanted and (not self.datasets or dataset in self.datasets)


def wanted_cells(experiments: tuple[Experiment, ...], narrow: Narrowing) -> list[Cell]:
    """Every cell that the experiments need, each once: first all first seeds, then all second ones."""
    found: dict[str, tuple[tuple[int, int], Cell]] = {}
    for experiment in experiments:
        for row, dataset, metric in experiment.entries():
            if not narrow.allows(row, dataset):
                continue
            task = METRICS[metric].task
            first = first_cell(row, dataset, task)
            seeds = narrow.seeds or experiment.num_seeds(dataset)
            splits = narrow.splits or min(narrow.seeds or SPLITS, experiment.num_splits(dataset))
            for place, cell in enumerate(repeats(first, seeds, splits, narrow.link_seeds)):
                found.setdefault(cell.key, ((place, len(found)), cell))
    return [cell for _, cell in sorted(found.values(), key=lambda pair: pair[0])]


def first_cell(row: Row, dataset: str, task: str) -> Cell:
    """The cell of the first seed; the others differ from it in their seeds alone."""
    split = 0 if task == "links" else None
    return make_cell(row.method, dataset, task, split=split, variant=row.variant)


def repeats(first: Cell, seeds: int, splits: int, link_seeds: int = 1) -> Iterator[Cell]:
    """The same run with every seed: of pre-training for labels, of the split and then of
    pre-training for links."""
    if first.task == "labels":
        yield from (replace(first, seed=seed) for seed in range(seeds))
    else:
        for seed in range(link_seeds):
            yield from (replace(first, seed=seed, split=split) for split in range(splits))
