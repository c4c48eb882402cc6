"""Resolved: every setting that a run will have, told or not, so that runs can be told apart."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any

from gigamae.errors import SettingsError
from gigamae.experiments.methods import make_model, method_class
from gigamae.settings import Settings

#: What a run is given beside its settings, or what cannot change its numbers.
_NOT_SETTINGS = ("self", "targets", "target", "random_state", "device", "cache", "memory_limit")


def resolved_settings(method: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a method as plain values: those told, the rest at their defaults.

    A method that cannot be imported yet has those told alone; running it will say what is wrong.

    Raises:
        SettingsError: a setting that the method does not have, or a value that it cannot have.

    Example:
        >>> resolved_settings("sgc", {})
        {'hops': 2}
    """
    if method == "gigamae":
        whole = Settings.from_dict(told).to_dict()
        return {name: value for name, value in whole.items() if name not in _NOT_SETTINGS}
    defaults = _defaults(method)
    if defaults is None:
        return dict(told)
    for name in told:
        if name not in defaults:
            raise SettingsError(f"{method} has no setting {name!r}. It has: {', '.join(defaults)}.")
    return {**defaults, **told}


def resolved_targets(recipes: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Target recipes with every setting of theirs.

    Example:
        >>> resolved_targets({"pca": {"name": "pca", "ratio": 0.3}})["pca"]["whiten"]
        True
    """
    from gigamae.targets import make_target

    resolved = {}
    for name, recipe in recipes.items():
        try:
            params = make_target(dict(recipe), name).params()
        except ImportError:
            params = {k: v for k, v in recipe.items() if k != "name"}
        resolved[name] = {"name": recipe["name"], **params}
    return resolved


def unlike_default(method: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not at their defaults: a setting that is new to the library changes
    no run that does not use it. ``method`` may be "target" for a target's recipe."""
    if method == "target":
        defaults = _target_defaults(str(settings["name"])) if settings else {}
    elif method == "gigamae":
        defaults = _gigamae_defaults()
    else:
        defaults = _defaults(method) or {}
    unset = object()
    return {k: v for k, v in settings.items() if _plain(defaults.get(k, unset)) != _plain(v)}


def build_model(
    method: str,
    settings: Mapping[str, Any],
    targets: Mapping[str, Mapping[str, Any]],
    *,
    seed: int,
    device: str = "auto",
) -> Any:
    """An unfitted model of any method that a cell may name."""
    recipes = {name: dict(recipe) for name, recipe in targets.items()}
    if method == "target":
        from gigamae.baselines.controls import TargetAlone

        (recipe,) = recipes.values()
        return TargetAlone(recipe, random_state=seed)
    if method == "integrated":
        return _integrated()(targets=recipes, random_state=seed, **settings)
    return make_model(method, settings, recipes, seed=seed, device=device)


@cache
def _defaults(method: str) -> dict[str, Any] | None:
    """Setting -> default of a method that is not GiGaMAE; None where it cannot be imported."""
    if method == "target":
        return {}
    try:
        kind: Any = _integrated() if method == "integrated" else method_class(method)
    except (ImportError, AttributeError):
        return None
    return {
        name: None if p.default is inspect.Parameter.empty else p.default
        for name, p in inspect.signature(kind).parameters.items()
        if name not in _NOT_SETTINGS and p.kind is not inspect.Parameter.VAR_KEYWORD
    }


@cache
def _gigamae_defaults() -> dict[str, Any]:
    return Settings().to_dict()


def _integrated() -> Any:
    from gigamae.baselines.integrated import IntegratedTargets

    return IntegratedTargets


@cache
def _target_defaults(name: str) -> dict[str, Any]:
    from gigamae.targets.registry import target_class

    try:
        kind: Any = target_class(name)
    except ImportError:
        return {}
    missing = dataclasses.MISSING
    return {f.name: f.default for f in dataclasses.fields(kind) if f.init and f.default is not missing}


def _plain(value: Any) -> Any:
    """Tuples and lists, and 1 and 1.0, are the same setting."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value
