"""The numbers that the paper prints, as it prints them: percent for accuracy, AUC and AP."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("paper.csv")
#: The nine methods of its tables 1 to 3, in its order; its average ranks are among these.
METHODS = ("deepwalk", "mvgrl", "gca", "bgrl", "vgae", "graphmae", "graphmae2", "s2gae", "gigamae")
#: Its seven graphs, in its order.
DATASETS = ("cora", "citeseer", "wikics", "computers", "photo", "cs", "physics")
_TITLES = {"citeseer": "CiteSeer", "wikics": "WikiCS", "cs": "CS", "pubmed": "PubMed"}


def dataset_title(name: str) -> str:
    """A dataset's name as the paper writes it; "all graphs" for what is over all of them.

    Example:
        >>> dataset_title("cora"), dataset_title("wikics")
        ('Cora', 'WikiCS')
    """
    return _TITLES.get(name, name.capitalize()) or "all graphs"


@dataclass(frozen=True)
class Printed:
    """A number and its spread; None where the paper prints no spread."""

    mean: float
    std: float | None = None


@lru_cache(maxsize=1)
def printed() -> dict[tuple[str, str, str, str], Printed]:
    """(table, row, dataset, metric) -> what the paper prints; average ranks have no dataset.

    Example:
        >>> printed()["table-1", "gigamae", "cora", "accuracy"]
        Printed(mean=84.72, std=0.47)
    """
    with FILE.open(newline="", encoding="utf-8") as file:
        return {
            (row["table"], row["row"], row["dataset"], row["metric"]): Printed(
                float(row["mean"]), float(row["std"]) if row["std"] else None
            )
            for row in csv.DictReader(file)
        }
