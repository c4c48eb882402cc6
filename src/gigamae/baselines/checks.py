"""Checks: what a setting of a baseline may be, said in one sentence when it is something else."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from gigamae.errors import SettingsError


def check_counts(model: Any, *names: str, least: int = 1, optional: bool = False) -> None:
    """Whole numbers of at least ``least``; with ``optional`` None passes too."""
    for name in names:
        value = getattr(model, name)
        if optional and value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            rest = ", or None" if optional else ""
            raise SettingsError(f"{name}={value!r} must be a whole number of at least {least}{rest}.")


def check_range(model: Any, *names: str, low: float = 0.0, high: float = 1.0) -> None:
    """Numbers from ``low`` to ``high``, both allowed."""
    for name in names:
        value = getattr(model, name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            raise SettingsError(f"{name}={value!r} must be a number from {low:g} to {high:g}.")


def check_flags(model: Any, *names: str) -> None:
    """True or false."""
    for name in names:
        if not isinstance(getattr(model, name), bool):
            raise SettingsError(f"{name}={getattr(model, name)!r} must be true or false.")


def check_choice(model: Any, name: str, allowed: Sequence[str]) -> None:
    """One of a few words; the nearest is named."""
    value = getattr(model, name)
    if value not in allowed:
        near = difflib.get_close_matches(str(value), allowed, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingsError(f"{name}={value!r} is not one of {', '.join(allowed)}.{hint}")


def check_multiple(model: Any, name: str, of: str) -> None:
    """A width that attention heads can share."""
    if getattr(model, name) % getattr(model, of):
        raise SettingsError(
            f"{name}={getattr(model, name)} must be a multiple of {of}={getattr(model, of)}."
        )
