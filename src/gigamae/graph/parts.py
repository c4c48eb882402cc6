"""Parts: what every reader hands on, whatever it read: edges, and what is known of the nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gigamae.graph.canonical import Features

# A row's place in words for a message: "line 7" of a text file, "row 6" of an array.
Locate = Callable[[int], str]


def by_row(row: int) -> str:
    return f"row {row} (counted from 0)"


@dataclass
class Ids:
    """Node ids as they came in.

    ``kind`` is what is known of them: ``int`` and ``str`` come from typed sources and stay so;
    ``text`` comes from a text file, where 12 and "12" look the same: such ids become numbers
    if all of them are written as plain numbers (012 is not).
    """

    values: np.ndarray  # int64, or object holding str
    kind: Literal["int", "str", "text"]

    def __len__(self) -> int:
        return len(self.values)


@dataclass
class Edges:
    """Edges between positions in ``ids``.

    Attributes:
        source, target: (M,) int64 positions.
        ids: the nodes; all of them and in order when ``complete``, else those that edges name.
        weights: (M,) or None.
        where: the file or object, for messages.
        locate: where edge i stands in it.
        directed: True where the source says so, None where it does not say.
        numbered: the ids are no more than the nodes' numbers 0..N-1.
    """

    source: np.ndarray
    target: np.ndarray
    ids: Ids
    weights: np.ndarray | None = None
    where: str = "graph"
    locate: Locate = by_row
    directed: bool | None = None
    complete: bool = False
    numbered: bool = False


@dataclass
class NodeTable:
    """Rows about nodes: features, labels or both, with ids, or else in the order of the nodes."""

    where: str
    num_rows: int
    ids: Ids | None = None
    x: Features | None = None
    names: tuple[str, ...] | None = None
    labels: np.ndarray | None = None
    locate: Locate = by_row
    notes: list[str] = field(default_factory=list)


@dataclass
class Parts:
    """Everything one source holds of a graph."""

    edges: Edges
    features: NodeTable | None = None
    labels: NodeTable | None = None
    class_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)


def numbered_ids(n: int) -> Ids:
    """The ids 0..n-1."""
    return Ids(np.arange(n, dtype=np.int64), "int")
