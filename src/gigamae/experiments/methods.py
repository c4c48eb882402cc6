"""Methods by name: GiGaMAE, and every baseline that ``gigamae.baselines.METHODS`` lists."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from gigamae.errors import SettingsError


def method_names() -> list[str]:
    """Every method that can be fitted."""
    return ["gigamae", *sorted(_baselines())]


def check_method(name: str) -> None:
    """Refuse what is no method; none is imported to find out.

    Raises:
        SettingsError: there is no such method.
    """
    known = method_names()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise SettingsError(f"There is no method {name!r}. {hint}Known: {', '.join(known)}.")


def method_class(name: str) -> Any:
    """The class of a method; imported only now.

    Raises:
        SettingsError: there is no such method.
    """
    check_method(name)
    if name == "gigamae":
        from gigamae.estimator import GiGaMAE

        return GiGaMAE
    module, _, kind = _baselines()[name].partition(":")
    return getattr(import_module(module), kind)


def make_model(
    method: str,
    settings: Mapping[str, Any],
    targets: Mapping[str, Any],
    *,
    seed: int = 0,
    device: str = "auto",
    cache: bool | str = False,
) -> Any:
    """An unfitted model.

    Args:
        method: its name.
        settings: its settings; for a baseline only those that its class has.
        targets: GiGaMAE's targets.
        seed, device, cache: as in :class:`gigamae.GiGaMAE`.
    """
    kind = method_class(method)
    if method == "gigamae":
        from gigamae.settings import Settings

        return kind.from_settings(
            Settings.from_dict(settings), targets=dict(targets), random_state=seed, device=device, cache=cache
        )
    known = inspect.signature(kind).parameters
    for name in settings:
        if name not in known:
            raise SettingsError(f"{method} has no setting {name!r}. It has: {', '.join(known)}.")
    extras = {"random_state": seed, "device": device}
    return kind(**settings, **{k: v for k, v in extras.items() if k in known})


def _baselines() -> Mapping[str, str]:
    from gigamae import baselines

    found: Mapping[str, str] = getattr(baselines, "METHODS", {})
    return found
