"""gigamae: node vectors from an attributed graph, without labels.

The public names; each is imported when it is first asked for, so that importing the package costs
nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gigamae import evaluate, targets
    from gigamae.errors import GigamaeError
    from gigamae.estimator import GiGaMAE
    from gigamae.graph.datasets import load_dataset
    from gigamae.graph.graph import Graph
    from gigamae.graph.readers import read_graph
    from gigamae.graph.splits import split_links
    from gigamae.settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "GiGaMAE": "gigamae.estimator",
    "Graph": "gigamae.graph.graph",
    "GigamaeError": "gigamae.errors",
    "Settings": "gigamae.settings",
    "load_dataset": "gigamae.graph.datasets",
    "read_graph": "gigamae.graph.readers",
    "split_links": "gigamae.graph.splits",
}
_ROOMS = ("baselines", "evaluate", "targets")

__all__ = [
    "GiGaMAE",
    "GigamaeError",
    "Graph",
    "Settings",
    "evaluate",
    "load_dataset",
    "read_graph",
    "split_links",
    "targets",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"gigamae.{name}")
    raise AttributeError(f"module 'gigamae' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOMES, *_ROOMS, "__version__"])
