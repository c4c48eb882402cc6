"""``gigamae datasets``: the graphs known by name."""

from __future__ import annotations

from typing import Any

from gigamae.cli.console import Out
from gigamae.cli.options import Debug, Json, Quiet


def command(as_json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """List the graphs known by name, with their published sizes and whether a preset is there."""
    from gigamae.graph.catalogue import DATASETS
    from gigamae.presets import preset_names

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    tuned = preset_names()
    sizes = ("nodes", "edges", "features", "classes")
    about: dict[str, dict[str, Any]] = {
        name: {"title": info.title, **{k: getattr(info, k) for k in sizes}, "preset": name in tuned}
        for name, info in DATASETS.items()
    }
    rows = [
        (name, told["title"], *(f"{told[k]:,}" for k in sizes), "yes" if told["preset"] else "")
        for name, told in about.items()
    ]
    out.table("", ("name", "title", *sizes, "preset"), rows)
    out.show("demo is generated and needs no download. The others are fetched, or read from --data-root.")
    out.result({"datasets": about})
