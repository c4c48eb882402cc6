"""``gigamae presets``: the known settings, and what they should give."""

from __future__ import annotations

from typing import Annotated

import typer

from gigamae.cli.console import Out
from gigamae.cli.options import Debug, Json, Quiet


def command(
    name: Annotated[str | None, typer.Argument(help="Show this one.", show_default=False)] = None,
    task: Annotated[str, typer.Option(help="all, or links for its settings for link prediction.")] = "all",
    method: Annotated[str, typer.Option(help="gigamae, or a baseline.")] = "gigamae",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """List the presets, or show one: settings, targets, the numbers expected, where each value is from."""
    from gigamae.experiments.methods import check_method
    from gigamae.presets import load_preset, preset_names

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    check_method(method)
    if name is None:
        names = preset_names(method)
        for known in names:
            out.show(known)
        out.result({"method": method, "presets": names})
        return
    preset = load_preset(name, task, method)
    out.notes(preset.notes)
    values = dict(preset.settings)
    for target, recipe in preset.targets.items():
        values |= {f"{target}.{key}": value for key, value in recipe.items()}
    rows = [(key, str(value), _origin(preset.origin, preset.task, key)) for key, value in values.items()]
    out.table(f"{preset.name}, task {task}", ("setting", "value", "origin"), rows)
    expected = [
        (judged, metric, f"{number['mean']:g} ± {number['std']:g}")
        for judged, metrics in preset.expected.items()
        for metric, number in metrics.items()
    ]
    out.table("expected", ("task", "metric", "mean ± std"), expected)
    out.result(
        {
            "name": preset.name, "method": preset.method, "task": task, "settings": preset.settings,
            "targets": preset.targets, "expected": preset.expected, "origin": preset.origin,
            "notes": list(preset.notes),
        }
    )  # fmt: skip


def _origin(origin: dict[str, str], task: str | None, key: str) -> str:
    links = origin.get(f"links.{key}") if task == "links" else None
    return links or origin.get(key, "")
