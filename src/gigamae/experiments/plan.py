"""Plan: the settings and targets of a run, from a preset, advice or defaults, and what was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gigamae.errors import SettingsError
from gigamae.experiments.methods import check_method
from gigamae.graph.graph import Graph
from gigamae.presets import Preset, find_preset, load_preset, merge_targets, read_preset
from gigamae.settings import Settings

DEFAULT_TARGETS = {"node2vec": {"name": "node2vec"}, "pca": {"name": "pca"}}


@dataclass
class Plan:
    """What a run will do.

    Attributes:
        settings, targets: for the task that the model is fitted for.
        links_settings, links_targets: for link prediction, should it be judged on that too.
        preset: where they are from: a preset's name or file, "advice" or "none".
        expected: the numbers that the preset says it gives.
        reasons: a sentence for each choice that was not the user's.
        method: gigamae, or a baseline.
        task: all, or links.
    """

    settings: dict[str, Any]
    targets: dict[str, Any]
    links_settings: dict[str, Any]
    links_targets: dict[str, Any]
    preset: str = "none"
    expected: dict[str, Any] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    method: str = "gigamae"
    task: str = "all"


def make_plan(
    graph: Graph,
    *,
    dataset: str | None = None,
    preset: str = "auto",
    task: str = "all",
    method: str = "gigamae",
    settings: Mapping[str, Any] | None = None,
    targets: Mapping[str, Any] | None = None,
    target_settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Plan:
    """Decide on settings and targets; what the user gave wins over everything else.

    Args:
        graph: its size, density and features decide where nothing else does.
        dataset: its name, if it is a known one.
        preset: "auto" (the dataset's own, else advice), "none" (the defaults), a preset's name, or a file.
        task: all, or links.
        method: gigamae, or a baseline.
        settings: the user's settings.
        targets: the user's targets; one that the preset has too keeps the preset's settings.
        target_settings: settings of single targets, by the target's name.

    Raises:
        SettingsError: an unknown method, preset, setting or value, or targets of a method without.
    """
    check_method(method)
    if method != "gigamae" and (targets or target_settings):
        raise SettingsError(
            f"{method} reconstructs no targets; leave --targets and --target-setting out, or fit gigamae."
        )
    if task not in ("all", "links"):
        raise SettingsError(f"task={task!r} is not one of all, links.")
    found, reasons = _find(graph, dataset, preset, method)
    plans = []
    for kind in (None, "links"):
        told = found.for_task(kind)
        chosen = {**told.settings, **(settings or {})}
        if method == "gigamae":
            chosen = Settings.from_dict(chosen).to_dict()
        plans.append((chosen, _targets(told.targets, targets, target_settings or {})))
    everything, links = plans
    fitted = links if task == "links" else everything
    return Plan(
        *fitted, *links, preset=found.name, expected=found.expected, reasons=reasons, method=method, task=task
    )


def _find(graph: Graph, dataset: str | None, preset: str, method: str) -> tuple[Preset, list[str]]:
    """The preset to start from; advice and the defaults are presets without a file."""
    targets: dict[str, Any] = {} if method != "gigamae" else DEFAULT_TARGETS
    if preset == "none":
        return Preset("none", targets=targets), []
    if preset != "auto":
        path = Path(preset)
        if path.suffix == ".toml" or path.is_file():
            return read_preset(path, method=method), [f"Settings from {path}."]
        return load_preset(preset, method=method), [f"Settings of the preset {preset}."]
    own = find_preset(dataset, method=method) if dataset else None
    if own is not None:
        return own, [f"Settings of the preset {own.name} (gigamae presets {own.name} shows them)."]
    if method != "gigamae":
        return Preset("none"), [f"There is no preset for {dataset or 'this graph'}: {method}'s defaults."]
    from gigamae.pretrain.advice import advise

    advice = advise(graph)
    return Preset("advice", settings=advice.settings, targets=advice.targets), advice.reasons


def _targets(
    base: Mapping[str, Any],
    asked: Mapping[str, Any] | None,
    changes: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    chosen: dict[str, Any] = dict(base)
    if asked is not None:
        chosen = {
            name: base[name] if name in base and recipe == {"name": base[name]["name"]} else recipe
            for name, recipe in asked.items()
        }
    for name in changes:
        if name not in chosen:
            known = ", ".join(chosen)
            raise SettingsError(f"There is no target {name!r} to change; the targets are {known}.")
    return merge_targets(chosen, {name: dict(change) for name, change in changes.items()})


def parse_targets(text: str) -> dict[str, Any]:
    """Targets as they are written on the command line: names, and names of files with a matrix.

    Example:
        >>> parse_targets("node2vec,text=sentences.npy")
        {'node2vec': {'name': 'node2vec'}, 'text': {'name': 'precomputed', 'path': 'sentences.npy'}}
    """
    targets: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, path = (p.strip() for p in part.partition("="))
        if not equals and Path(part).suffix:
            name, equals, path = Path(part).stem, "=", part
        if not name or (equals and not path):
            raise SettingsError(f"targets: {part!r} is not understood; write node2vec,pca or name=path.npy.")
        if name in targets:
            raise SettingsError(f"targets: {name!r} is there twice.")
        targets[name] = {"name": "precomputed", "path": path} if equals else {"name": name}
    if not targets:
        raise SettingsError("targets is empty; write node2vec,pca or name=path.npy.")
    return targets


def parse_target_settings(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Settings of single targets as they are written on the command line.

    Example:
        >>> parse_target_settings(["pca.ratio=0.9", "pca.whiten=false"])
        {'pca': {'ratio': 0.9, 'whiten': False}}
    """
    changes: dict[str, dict[str, Any]] = {}
    for text in texts:
        where, equals, value = text.partition("=")
        name, dot, key = where.strip().partition(".")
        if not (name and dot and key and equals):
            raise SettingsError(f"target setting {text!r} is not understood; write pca.ratio=0.9.")
        changes.setdefault(name, {})[key] = _value(value.strip())
    return changes


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "yes": True, "no": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
