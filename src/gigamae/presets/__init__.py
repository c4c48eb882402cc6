"""Presets: the best known settings of a dataset, with the numbers they should give beside them.

One TOML file a dataset, ``<method>/<dataset>.toml``::

    notes = ["what a reader should know"]

    [settings]                  # names of gigamae.settings.Settings
    mask_edge = 0.4
    [targets.pca]               # a target by the reader's own name, then its settings
    name = "pca"
    ratio = 0.5

    [links.settings]            # for link prediction: only what differs
    epochs = 800
    [links.targets.pca]
    ratio = 0.9

    [expected.classification]   # mean over pre-training seeds and its spread
    accuracy = { mean = 84.7, std = 0.3, seeds = 5 }

    [origin]                    # where each value is from: paper, release, search or default
    mask_edge = "paper"
    "pca.ratio" = "paper"
    "links.epochs" = "search"

TOML has no "nothing": the word "none" stands for it where a setting may be None.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gigamae.errors import SettingsError
from gigamae.settings import Settings

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

FOLDER = Path(__file__).parent
ORIGINS = ("paper", "release", "search", "default")
TASKS = ("all", "classification", "clustering", "links")
_NULLABLE = (
    "projector_dim", "max_order", "patience", "memory_limit", "term_weights", "knowledge_weights"
)  # fmt: skip
_TABLES = {"settings", "targets", "links", "expected", "origin", "notes", "faithful_to"}

#: What ``faithful_to = "paper" | "release"`` sets together, below [settings]; the release's other
#: ways (docs/method.md) are refused on purpose.
FAITHFUL: dict[str, dict[str, Any]] = {
    "paper": {"symmetric": True, "project_all": False},
    "release": {
        "symmetric": False,
        "project_all": True,
        "norm_momentum": 0.99,
        "knowledge_weights": {"E": [5, 2, 6], "F": [2, 5, 6], "B": [1, 1, 3]},
        "allow_negative_weights": True,
    },
}


@dataclass(frozen=True)
class Preset:
    """Settings and targets for one dataset, and what they should give.

    Attributes:
        name: the file's name without its ending.
        method: the folder it lies in.
        task: what :attr:`settings` and :attr:`targets` are for: "links", or None for all else.
        settings: setting -> value.
        targets: target's name -> its recipe, with "name" and its settings.
        links_settings: what link prediction changes.
        links_targets: likewise.
        expected: task -> metric -> {"mean", "std", "seeds"}.
        origin: value's name -> paper, release, search or default.
        notes: sentences for the reader.
    """

    name: str
    method: str = "gigamae"
    task: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    targets: dict[str, dict[str, Any]] = field(default_factory=dict)
    links_settings: dict[str, Any] = field(default_factory=dict)
    links_targets: dict[str, dict[str, Any]] = field(default_factory=dict)
    expected: dict[str, dict[str, Any]] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def for_task(self, task: str | None) -> Preset:
        """The same preset with link prediction's changes made, where the task is that."""
        if task is not None and task not in TASKS:
            raise SettingsError(f"task={task!r} is not one of {', '.join(TASKS)}.")
        if task != "links" or self.task == "links":
            return self
        targets = merge_targets(self.targets, self.links_targets)
        return replace(self, task="links", settings={**self.settings, **self.links_settings}, targets=targets)


def load_preset(dataset: str, task: str | None = None, method: str = "gigamae") -> Preset:
    """The preset that comes with the package for a dataset.

    Args:
        dataset: its name, in any way :func:`gigamae.load_dataset` understands.
        task: "links" for the settings of link prediction.
        method: gigamae, or a baseline.

    Raises:
        SettingsError: there is none.

    Example:
        >>> list(load_preset("Cora", task="links").targets)
        ['node2vec', 'pca']
    """
    preset = find_preset(dataset, task, method)
    if preset is None:
        known = ", ".join(preset_names(method)) or "none"
        raise SettingsError(
            f"There is no preset {dataset!r} for {method}. Known: {known}. Give the path of a TOML file "
            "of your own, or 'none' to start from the defaults."
        )
    return preset


def find_preset(dataset: str, task: str | None = None, method: str = "gigamae") -> Preset | None:
    """As :func:`load_preset`, but None where there is no such preset."""
    from gigamae.graph.catalogue import canonical_name

    for name in (dataset.lower(), canonical_name(dataset) or ""):
        if name in preset_names(method):
            return read_preset(FOLDER / method / f"{name}.toml", task)
    return None


def preset_names(method: str = "gigamae") -> list[str]:
    """Every preset that comes with the package for a method."""
    return sorted(path.stem for path in (FOLDER / method).glob("*.toml"))


def preset_methods() -> list[str]:
    """Every method that has presets."""
    return sorted({path.parent.name for path in FOLDER.glob("*/*.toml")})


def read_preset(path: str | Path, task: str | None = None, method: str | None = None) -> Preset:
    """A preset from a file, every name and value in it checked.

    Args:
        path: a TOML file.
        task: "links" for the settings of link prediction.
        method: whose settings they are; None for that of the folder, where it comes with the package,
            and gigamae elsewhere.

    Raises:
        SettingsError: no such file, not TOML, or a name or value that is not allowed.
    """
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: the preset cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}.") from error
    links = told.get("links", {})
    unknown = [k for k in told if k not in _TABLES] + [f"links.{k}" for k in links if k not in _TABLES]
    if unknown:
        raise SettingsError(f"{path}: unknown table {unknown[0]!r}; known are {', '.join(sorted(_TABLES))}.")
    preset = Preset(
        name=path.stem,
        method=method or (path.parent.name if path.parent.parent == FOLDER else "gigamae"),
        settings={**_faithful(path, told.get("faithful_to")), **_with_none(told.get("settings", {}))},
        targets=told.get("targets", {}),
        links_settings=_with_none(links.get("settings", {})),
        links_targets=links.get("targets", {}),
        expected=told.get("expected", {}),
        origin=told.get("origin", {}),
        notes=tuple(told.get("notes", ())),
    )
    _check(path, preset)
    return preset.for_task(task)


def merge_targets(
    base: dict[str, dict[str, Any]], changes: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Target recipes with some settings changed; a change that names another recipe replaces it."""
    merged = {name: dict(recipe) for name, recipe in base.items()}
    for name, change in changes.items():
        old = merged.get(name, {"name": name})
        same = change.get("name", old["name"]) == old["name"]
        merged[name] = {**old, **change} if same else dict(change)
    return merged


def _with_none(values: dict[str, Any]) -> dict[str, Any]:
    return {k: None if k in _NULLABLE and v == "none" else v for k, v in values.items()}


def _faithful(path: Path, to: str | None) -> dict[str, Any]:
    if to is None:
        return {}
    if to not in FAITHFUL:
        raise SettingsError(f"{path}: faithful_to={to!r} is not one of {', '.join(FAITHFUL)}.")
    return dict(FAITHFUL[to])


def _check(path: Path, preset: Preset) -> None:
    for name, recipe in preset.targets.items():
        if not isinstance(recipe, dict) or "name" not in recipe:
            raise SettingsError(f'{path}: [targets.{name}] lacks its name = "node2vec", "pca" or the like.')
    for where, origin in preset.origin.items():
        if origin not in ORIGINS:
            raise SettingsError(f"{path}: origin of {where} is {origin!r}, not one of {', '.join(ORIGINS)}.")
    if preset.method != "gigamae":
        return  # a baseline's settings are its own to check
    try:
        Settings.from_dict(preset.settings)
        Settings.from_dict(preset.for_task("links").settings)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error
