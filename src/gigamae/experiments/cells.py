"""Cells: one number of a table is the mean of cells, and a cell is one training run, judged.

A cell is known by everything that decides its numbers and by nothing else: the method, its settings
and targets, the task, the seeds, the dataset, the protocol. So a cell serves every table that wants
it (GiGaMAE on Cora stands in five), and one that is on disk is never run again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gigamae.errors import SettingsError
from gigamae.experiments.resolved import resolved_settings, resolved_targets, unlike_default
from gigamae.presets import Preset, find_preset, load_preset, merge_targets

#: Raised when the protocols change what they measure: every cell is then run anew.
PROTOCOL = 1
#: One embedding of the whole graph serves classification and clustering; links are fitted apart.
TASKS = ("labels", "links")
#: Whose preset a dataset without one of its own gets.
FALLBACK = "cora"


@dataclass(frozen=True)
class Variant:
    """What an ablation changes in a preset.

    Attributes:
        settings: settings that win over the preset's; for both tasks.
        targets: changes by the target's name, as ``[links.targets]`` of a preset has them.
        only: the targets that are kept; all of them when empty.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    targets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One run to be judged.

    Attributes:
        method: its name in ``gigamae.baselines.METHODS``, gigamae, target (a target as it is) or
            integrated (targets put together naively).
        dataset: its name in the catalogue.
        task: labels (classification and clustering) or links.
        seed: of pre-training.
        split: seed of the link split; None for labels.
        settings, targets: resolved, every one of them.
        preset: where they are from, in words.
    """

    method: str
    dataset: str
    task: str
    seed: int
    split: int | None
    settings: Mapping[str, Any]
    targets: Mapping[str, Mapping[str, Any]]
    preset: str

    @property
    def key(self) -> str:
        """A hash of all that decides the numbers; what is at its default does not enter."""
        decides = {
            "protocol": PROTOCOL, "method": self.method, "dataset": self.dataset, "task": self.task,
            "seed": self.seed, "split": self.split,
            "settings": unlike_default(self.method, self.settings),
            "targets": {n: unlike_default("target", t) for n, t in self.targets.items()},
        }  # fmt: skip
        text = json.dumps(decides, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def path(self) -> Path:
        """Where it lies below ``results/cells``."""
        seeds = f"seed{self.seed}" if self.split is None else f"split{self.split}-seed{self.seed}"
        return Path(self.dataset) / self.method / f"{self.task}-{seeds}-{self.key}.json"

    def __str__(self) -> str:
        split = "" if self.split is None else f" split {self.split}"
        return f"{self.method} {self.dataset} {self.task}{split} seed {self.seed}"


def make_cell(
    method: str,
    dataset: str,
    task: str,
    *,
    seed: int = 0,
    split: int | None = None,
    variant: Variant | None = None,
) -> Cell:
    """A cell with its settings resolved: the preset's, then what the variant changes.

    A method without a preset for the dataset has that for Cora, or its own defaults; the cell says so.

    Raises:
        SettingsError: no such task, or a setting that the method does not have.

    Example:
        >>> cell = make_cell("gigamae", "cora", "labels", variant=Variant({"epochs": 7}))
        >>> cell.settings["epochs"], cell.preset
        (7, 'gigamae/cora')
    """
    if task not in TASKS:
        raise SettingsError(f"task={task!r} is not one of {', '.join(TASKS)}.")
    if (split is not None) != (task == "links"):
        raise SettingsError(f"task={task!r} with split={split!r}: links have a split, labels have none.")
    variant = variant or Variant()
    preset, origin = preset_for(method, dataset, task)
    targets = merge_targets(preset.targets, {k: dict(v) for k, v in variant.targets.items()})
    if variant.only:
        missing = [name for name in variant.only if name not in targets]
        if missing:
            raise SettingsError(f"{origin} has no target {missing[0]!r}; it has {', '.join(targets)}.")
        targets = {name: targets[name] for name in variant.only}
    return Cell(
        method=method, dataset=dataset, task=task, seed=seed, split=split,
        settings=resolved_settings(method, {**preset.settings, **variant.settings}),
        targets=resolved_targets(targets), preset=origin,
    )  # fmt: skip


@cache
def preset_for(method: str, dataset: str, task: str) -> tuple[Preset, str]:
    """The preset that a cell starts from, and where it is from in words."""
    home = "gigamae" if method in ("target", "integrated") else method
    kind = "links" if task == "links" else None
    if found := find_preset(dataset, kind, home):
        origin = f"{home}/{found.name}"
    elif find_preset(FALLBACK, kind, home) is not None:
        found = load_preset(FALLBACK, kind, home)
        origin = f"{home}/{FALLBACK}, for want of one for {dataset}"
    else:
        found, origin = Preset("none", method=home), "the method's defaults"
    if method in ("target", "integrated"):  # of GiGaMAE's preset they have the targets alone
        found = Preset(found.name, method=method, targets=found.targets)
    return found, origin
