"""``gigamae compare``: methods on one graph, in one table with ranks, time and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out
from gigamae.errors import MissingExtraError


def command(
    dataset: Annotated[str, typer.Argument(help="A dataset's name.", metavar="DATASET")],
    methods: Annotated[str, typer.Option(help="all, or names with commas.")] = "all",
    tasks: Annotated[
        str, typer.Option(help="all, or classification, clustering and links with commas.")
    ] = "all",
    seeds: Annotated[
        int | None,
        typer.Option(help="Pre-training seeds; at most so many link splits.", min=1, show_default=False),
    ] = None,
    splits: Annotated[int | None, typer.Option(help="Link splits.", min=1, max=5, show_default=False)] = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    data_root: o.DataRoot = None,
    out_folder: o.OutFolder = Path("results"),
    render_only: Annotated[
        bool, typer.Option("--render-only", help="Train nothing: show what is on disk.")
    ] = False,
    device: o.Device = "auto",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Judge methods on one graph, each with its own preset, and show them in one table.

    The runs are those of reproduce: what was run there is not run again.
    """
    from gigamae.experiments.cell_store import CellStore
    from gigamae.experiments.chosen import dataset_name, listed
    from gigamae.experiments.compare import comparison, overview, write_comparison
    from gigamae.experiments.experiment import Narrowing, wanted_cells
    from gigamae.experiments.numbers import collect
    from gigamae.experiments.schedule import run_cells

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    name = dataset_name(dataset)
    experiment = comparison(name, listed([methods]), listed([tasks]), seeds=seeds, splits=splits)
    store = CellStore(out_folder / "cells")
    if not render_only:
        cells = wanted_cells((experiment,), Narrowing(seeds=seeds, splits=splits))
        with out.watch() as progress:
            tally = run_cells(
                cells, store, jobs=jobs, data_root=data_root, device=device, progress=progress, tell=out.note
            )
        out.notes(f"{name} was left out: {why}" for name, why in tally.missing.items())
        out.notes(f"{cell} failed: {why}" for cell, why in tally.failed.items())
    numbers = collect(experiment, store)
    heads, rows, told = overview(experiment, numbers)
    out.table(experiment.title, heads, rows)
    out.show(told)
    try:
        files = write_comparison(experiment, numbers, out_folder)
        out.show(f"Written to {out_folder}: {', '.join(path.name for path in files)}.")
    except MissingExtraError as error:
        out.note(f"No drawing: {error}")
    out.result({"cells": [n.to_dict() for n in numbers]})
