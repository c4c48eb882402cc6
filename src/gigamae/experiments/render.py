"""Render: from the cells on disk to Markdown, CSV, drawings and the page that shows them all."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gigamae.errors import MissingExtraError
from gigamae.experiments.average_of_ranks import average_of_ranks
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import Cell
from gigamae.experiments.chosen import experiments
from gigamae.experiments.experiment import METRICS, Experiment, first_cell, repeats
from gigamae.experiments.markdown import as_csv, as_markdown
from gigamae.experiments.numbers import MOST_LINK_SEEDS, MOST_SEEDS, Number, collect
from gigamae.experiments.results_page import results_page

log = logging.getLogger(__name__)


@dataclass
class Rendered:
    """What was written.

    Attributes:
        readme: the page.
        numbers: of every experiment.
        files: how many files there are.
        seconds: that it took.
    """

    readme: Path
    numbers: list[Number] = field(default_factory=list)
    files: int = 0
    seconds: float = 0.0


def render(store: CellStore, folder: Path, *, tell: Callable[[str], None] = log.info) -> Rendered:
    """Write every table and figure from the cells that there are; nothing is trained.

    Args:
        store: the cells.
        folder: where ``README.md``, and ``<name>.md``, ``.csv``, ``.png`` and ``.svg`` go.
        tell: gets a line when something had to be left out.
    """
    start = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    sections = all_numbers(store)
    drawn: dict[str, str] = {}
    page = Rendered(folder / "README.md", [n for _, numbers in sections for n in numbers])
    for experiment, numbers in sections:
        name = experiment.name
        title = f"# {name}: {experiment.title}\n\n`gigamae reproduce {name}` · [all results](README.md)\n\n"
        (folder / f"{name}.md").write_text(title + as_markdown(experiment, numbers), encoding="utf-8")
        (folder / f"{name}.csv").write_text(as_csv(numbers), encoding="utf-8")
        page.files += 2
    try:
        from gigamae.report.plots import draw

        for experiment, numbers in sections:
            if picture := draw(experiment, numbers, folder):
                drawn[experiment.name] = picture
                page.files += 2
    except MissingExtraError as error:
        tell(f"No drawings: {error}")
    used = used_keys(sections, store)
    text = results_page(sections, drawn, list(store.records()), used, _beside(folder))
    page.readme.write_text(text, encoding="utf-8")
    page.files += 1
    page.seconds = time.perf_counter() - start
    return page


def _beside(folder: Path) -> list[tuple[str, str]]:
    """What others wrote into the folder: title and file."""
    found = [
        (f"`gigamae compare {path.stem.partition('-')[2]}`", path.name)
        for path in sorted(folder.glob("compare-*.md"))
    ]
    if (folder / "search" / "README.md").is_file():
        found.append(("How the presets were found", "search/README.md"))
    return found


def all_numbers(store: CellStore) -> list[tuple[Experiment, list[Number]]]:
    """Every experiment with its numbers; figure 3 has average ranks instead of scores."""
    sections = [(experiment, collect(experiment, store)) for experiment in experiments().values()]
    told = {experiment.name: numbers for experiment, numbers in sections}
    return [
        average_of_ranks(e, told) if e.name == "figure-3" else (e, numbers) for e, numbers in sections
    ]


def used_keys(sections: Sequence[tuple[Experiment, Sequence[Number]]], store: CellStore) -> set[str]:
    """Keys of the cells that some experiment asks for, where there may be any."""
    first: dict[str, tuple[Cell, int]] = {}
    for experiment, _ in sections:
        for row, dataset, metric in experiment.entries():
            if store.knows(dataset, row.method):
                cell = first_cell(row, dataset, METRICS[metric].task)
                first[cell.key] = (cell, experiment.num_splits(dataset))
    return {
        repeated.key
        for cell, splits in first.values()
        for repeated in repeats(cell, MOST_SEEDS, splits, MOST_LINK_SEEDS)
    }
