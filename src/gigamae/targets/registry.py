"""From a word, a table of settings, a matrix or a file to a Target, and from several to several."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from gigamae.errors import SettingsError
from gigamae.targets.base import Target

#: Every target by the word that Python, TOML and the command line use for it, and where it lives.
TARGETS: dict[str, str] = {
    "node2vec": "gigamae.targets.node2vec:Node2Vec",
    "deepwalk": "gigamae.targets.deepwalk:DeepWalk",
    "pca": "gigamae.targets.pca:PCA",
    "gae": "gigamae.targets.gae:GAE",
    "precomputed": "gigamae.targets.precomputed:Precomputed",
}


def target_class(name: str) -> type[Target]:
    """The class behind a name, imported now.

    Raises:
        SettingsError: there is no such target; the message lists those there are.
    """
    if name not in TARGETS:
        raise SettingsError(
            f"There is no target {name!r}{_nearest(name, TARGETS)}. Known: {', '.join(TARGETS)}; "
            "a matrix of your own, or the path of one, is a target too."
        )
    module, word = TARGETS[name].split(":")
    return cast(type[Target], getattr(import_module(module), word))


def make_target(spec: Any, label: str | None = None) -> Target:
    """One target from whatever describes it.

    Args:
        spec: a Target; its name (``"pca"``); its settings (``{"name": "pca", "ratio": 0.3}``,
            as read from TOML); a matrix or frame, or a path to one, which become a
            :class:`~gigamae.targets.precomputed.Precomputed` (in a mapping as
            ``{"path": "text.npy", "modality": "attributes"}``).
        label: what messages call a matrix of the user's own.

    Example:
        >>> make_target({"name": "pca", "ratio": 0.3}).ratio
        0.3

    Raises:
        SettingsError: an unknown name, an unknown setting (the nearest known one is named), or a
            value that a setting cannot have.
    """
    if isinstance(spec, Target):
        return spec
    if isinstance(spec, type) and issubclass(spec, Target):
        return spec()
    if isinstance(spec, Mapping):
        return _from_settings(dict(spec), label)
    if isinstance(spec, str) and not _is_path(spec):
        return _from_settings({"name": spec}, label)
    if spec is None or isinstance(spec, (bool, int, float, set)):
        raise SettingsError(
            f"A target is a name ({', '.join(TARGETS)}), a matrix, a path or a Target; got {spec!r}."
        )
    return _from_settings({"name": "precomputed", "source": spec}, label)


def make_targets(spec: Any) -> dict[str, Target]:
    """Several targets, by name and in order.

    Args:
        spec: one of what :func:`make_target` takes, a list of them, or a mapping from names of
            the caller's choice: ``{"text": matrix, "structure": Node2Vec()}``.

    Example:
        >>> list(make_targets(["pca", {"name": "gae", "dim": 32}]))
        ['pca', 'gae']

    Raises:
        SettingsError: no target, or two of one name.
    """
    if isinstance(spec, Mapping) and not _is_settings(spec):
        targets = {str(name): make_target(one, str(name)) for name, one in spec.items()}
    elif isinstance(spec, (list, tuple)):
        targets = {}
        for one in map(make_target, spec):
            if one.name in targets:
                raise SettingsError(
                    f"There are two targets named {one.name!r}. Give a mapping with names of your "
                    f"own: {{'first': ..., 'second': ...}}."
                )
            targets[one.name] = one
    else:
        target = make_target(spec)
        targets = {target.name: target}
    if not targets:
        raise SettingsError(f"At least one target is needed; known: {', '.join(TARGETS)}.")
    return targets


def _from_settings(settings: dict[str, Any], label: str | None) -> Target:
    if "path" in settings:
        settings = {"name": "precomputed", **settings, "source": settings["path"]}
        del settings["path"]
    if "name" not in settings:
        raise SettingsError(f"A target's settings need its name; known: {', '.join(TARGETS)}.")
    name = settings.pop("name")
    cls = target_class(name)
    known = [f.name for f in dataclasses.fields(cast(Any, cls)) if f.init]
    for word in settings:
        if word not in known:
            raise SettingsError(
                f"{name}: there is no setting {word!r}{_nearest(word, known)}. "
                f"Known: {', '.join(known)}."
            )
    if label is not None and "label" in known:
        settings.setdefault("label", label)
    try:
        return cls(**settings)
    except TypeError as error:
        raise SettingsError(f"{name}: a setting is missing or of the wrong type ({error}).") from error


def _is_settings(spec: Mapping[Any, Any]) -> bool:
    """Whether a mapping describes one target, and is not a mapping of several."""
    return isinstance(spec.get("name"), str) or isinstance(spec.get("path"), (str, Path))


def _is_path(text: str) -> bool:
    return text not in TARGETS and (Path(text).suffix != "" or "/" in text or "\\" in text)


def _nearest(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
