"""``gigamae bench``: the library beside the method written plainly, in one run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out
from gigamae.errors import GigamaeError

HEADS = ("", "library", "reference", "times better")


def command(
    quick: Annotated[bool, typer.Option("--quick", help="Less work: under 50 seconds on two cores.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write bench.json and bench.md there.", show_default=False, parser=o.path
        ),
    ] = None,
    data_root: o.DataRoot = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Time the library beside the reference in benchmarks/, in turn, on the same data and settings.

    Without --data-root the graph is generated, of the size of Amazon's Computers.
    """
    side_by_side = _benchmarks()
    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    try:
        report = side_by_side.compare(
            quick=quick, data_root=None if data_root is None else str(data_root.resolve()), tell=out.note
        )
    except side_by_side.JobFailed as error:
        raise GigamaeError(f"{error}. Run it with --debug to see where.") from error
    rows = []
    for row in report["rows"]:
        sides = (row["library"], row["reference"])
        for key, unit, scale in (
            ("seconds", "s", 1),
            ("cpu_seconds", "CPU s", 1),
            ("peak_bytes", "MiB", 2**20),
        ):
            told = (f"{side[key] / scale:,.2f}" for side in sides)
            rows.append((f"{row['name']}, {unit}", *told, f"{row['ratios'][key]:.1f}"))
        for key in ("loss", "accuracy", "auc"):
            if key in sides[0]:
                rows.append((f"{row['name']}, {key}", *(f"{side[key]:.4f}" for side in sides), ""))
    out.table("", HEADS, rows)
    if output is not None:
        side_by_side.write(report, output)
        out.show(f"{output}/ has bench.json and bench.md.")
    out.result(report)


def _benchmarks() -> ModuleType:
    """benchmarks/side_by_side.py of the checkout that this package runs from."""
    folder = Path(__file__).resolve().parents[3] / "benchmarks"
    path = folder / "side_by_side.py"
    if not path.is_file():
        raise GigamaeError(
            f"bench needs the folder benchmarks/ of a checkout, and {folder} is not there: an installed "
            "package does not carry it. Clone the repository and run make bench."
        )
    spec = importlib.util.spec_from_file_location("side_by_side", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["side_by_side"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
