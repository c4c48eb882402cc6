"""``gigamae reproduce``: the paper's tables and figures, from cells that are run once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out, duration


def command(
    what: Annotated[
        list[str],
        typer.Argument(
            help="table-1 ... table-6, figure-1 ... figure-7, weights, or all.", metavar="WHAT...",
            show_default=False,
        ),
    ],
    dataset: Annotated[
        list[str] | None, typer.Option(help="Only these; repeat it or use commas.", show_default=False)
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Only these; repeat it or use commas.", show_default=False)
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Pre-training seeds; at most so many link splits.", min=1, show_default=False),
    ] = None,
    splits: Annotated[int | None, typer.Option(help="Link splits.", min=1, max=5, show_default=False)] = None,
    link_seeds: Annotated[int, typer.Option(help="Pre-training seeds on each link split.", min=1, max=3)] = 1,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    data_root: o.DataRoot = None,
    out_folder: o.OutFolder = Path("results"),
    render_only: Annotated[
        bool, typer.Option("--render-only", help="Train nothing: tables and figures from the cells on disk.")
    ] = False,
    device: o.Device = "auto",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Run the paper's tables and figures, and write them as Markdown, CSV and drawings.

    Each run is one small file in the cells folder and is never run twice: stop whenever you like,
    the same command goes on from there.
    """
    from gigamae.experiments.cell_store import CellStore
    from gigamae.experiments.chosen import choose, narrowing
    from gigamae.experiments.experiment import wanted_cells
    from gigamae.experiments.render import render
    from gigamae.experiments.schedule import run_cells

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    chosen, remarks = choose(what)
    out.notes(remarks)
    narrow = narrowing(dataset, method, seeds, splits, link_seeds)
    store = CellStore(out_folder / "cells")
    if not render_only and chosen:
        with out.watch() as progress:
            tally = run_cells(
                wanted_cells(tuple(chosen), narrow), store, jobs=jobs, data_root=data_root, device=device,
                progress=progress, tell=out.note,
            )  # fmt: skip
        for name, why in tally.missing.items():
            out.note(f"{name} was left out: {why}")
        for cell, why in tally.failed.items():
            out.note(f"{cell} failed: {why}")
        out.show(f"{tally.done} cells run, {tally.there} were there, {len(tally.failed)} failed.")
    page = render(store, out_folder, tell=out.note)
    out.show(f"Written to {out_folder}: {page.readme.name}, {page.files} files ({duration(page.seconds)}).")
    names = {experiment.name for experiment in chosen}
    out.result(
        {
            "cells": [
                n.to_dict()
                for n in page.numbers
                if n.experiment in names and narrow.allows(n.row, n.dataset)
            ],
            "readme": str(page.readme),
            "remarks": remarks,
        }
    )
