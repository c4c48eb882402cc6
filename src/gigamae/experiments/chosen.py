"""Chosen: what was asked for on the command line, as experiments and what is wanted of them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from gigamae.errors import SettingsError
from gigamae.experiments.experiment import Experiment, Narrowing
from gigamae.experiments.figures import DIAGRAM, figures
from gigamae.experiments.switches import switches
from gigamae.experiments.tables import tables


def experiments() -> dict[str, Experiment]:
    """Everything that can be reproduced, by name and in order."""
    last = switches()
    return {**tables(), **figures(), last.name: last}


def choose(names: Sequence[str]) -> tuple[list[Experiment], list[str]]:
    """The experiments of these names, each once, and what else there is to say.

    Raises:
        SettingsError: there is no such experiment.

    Example:
        >>> chosen, remarks = choose(["figure-2", "table-1"])
        >>> [e.name for e in chosen], remarks[0]
        (['table-1'], 'figure-2 is the diagram of the framework: there is nothing to run.')
    """
    known = experiments()
    remarks: list[str] = []
    chosen: dict[str, Experiment] = {}
    for name in listed(names):
        if name == "all":
            chosen.update(known)
        elif name == DIAGRAM:
            remarks.append(f"{DIAGRAM} is the diagram of the framework: there is nothing to run.")
        elif name in known:
            chosen[name] = known[name]
        else:
            raise SettingsError(
                f"There is nothing called {name!r} to reproduce.{_near(name, [*known, 'all'])} "
                f"Known: {', '.join(known)}, all."
            )
    return list(chosen.values()), remarks


def narrowing(
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    seeds: int | None = None,
    splits: int | None = None,
    link_seeds: int = 1,
) -> Narrowing:
    """What of the experiments is wanted, its names checked.

    Raises:
        SettingsError: no such dataset or method.
    """
    return Narrowing(
        tuple(dataset_name(name) for name in listed(datasets or ())),
        tuple(_method(name) for name in listed(methods or ())),
        seeds, splits, link_seeds,
    )  # fmt: skip


def listed(texts: Sequence[str]) -> list[str]:
    """Words from options that may be repeated and may hold commas.

    Example:
        >>> listed(["cora,photo", "cs"])
        ['cora', 'photo', 'cs']
    """
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def dataset_name(name: str) -> str:
    """A dataset's name as the catalogue has it.

    Raises:
        SettingsError: there is no such dataset.
    """
    from gigamae.graph.catalogue import canonical_name
    from gigamae.graph.datasets import dataset_names

    found = canonical_name(name)
    if found is None:
        known = dataset_names()
        raise SettingsError(
            f"There is no dataset {name!r}.{_near(name, known)} Known: {', '.join(known)}. "
            "Experiments are kept by dataset; a graph of your own is judged with fit and evaluate."
        )
    return found


def _method(name: str) -> str:
    rows = {word for e in experiments().values() for row in e.rows for word in (row.key, row.method)}
    if name not in rows:
        raise SettingsError(
            f"There is no method {name!r}.{_near(name, sorted(rows))} Known: {', '.join(sorted(rows))}."
        )
    return name


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f" Did you mean {near[0]!r}?" if near else ""
