"""``gigamae embed``: another graph, embedded with the model of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out


def command(
    run: o.RunFolder,
    other: o.Source,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .parquet, .csv, .npy or .npz file.", parser=o.path),
    ],
    data_root: o.DataRoot = None,
    features: o.Features = None,
    directed: o.Directed = None,
    header: o.Header = None,
    source_column: o.SourceColumn = None,
    target_column: o.TargetColumn = None,
    weight_column: o.WeightColumn = None,
    id_column: o.IdColumn = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Embed nodes, or a whole graph, that were not there at training.

    The graph must have the feature columns that the model learned from; they are checked.
    """
    from gigamae.cli.sources import open_source
    from gigamae.experiments.runs import load_model
    from gigamae.experiments.vectors import check_output, write_vectors

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    check_output(output)
    model = load_model(run)
    with out.watch() as progress:
        graph = open_source(
            other, data_root, features=features, directed=directed, header=header,
            source_column=source_column, target_column=target_column, weight_column=weight_column,
            id_column=id_column,
        ).graph  # fmt: skip
        out.note(repr(graph))
        out.notes(graph.notes)
        progress.stage("embedding")
        z = model.transform(graph)
        write_vectors(output, z, graph.ids)
    out.show(f"{len(z):,} embeddings of {z.shape[1]} dimensions written to {output}.")
    shape = {"nodes": len(z), "dimensions": int(z.shape[1])}
    out.result({"output": str(output), **shape, "notes": list(graph.notes)})
