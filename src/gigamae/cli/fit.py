"""``gigamae fit``: from a graph to a run folder with a model and embeddings."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out, duration, size
from gigamae.cli.settings_options import with_settings

_READ = {"rich_help_panel": "How files are read"}


@with_settings
def command(
    source: o.Source,
    output: o.RunOutput,
    settings: Any,
    data_root: o.DataRoot = None,
    features: o.Features = None,
    labels: o.Labels = None,
    directed: o.Directed = None,
    header: o.Header = None,
    source_column: o.SourceColumn = None,
    target_column: o.TargetColumn = None,
    weight_column: o.WeightColumn = None,
    id_column: o.IdColumn = None,
    label_column: o.LabelColumn = None,
    targets: Annotated[
        str | None,
        typer.Option(
            help="node2vec,pca,gae,...; name=path.npy for a matrix of your own.", show_default=False
        ),
    ] = None,
    target_setting: Annotated[
        list[str] | None,
        typer.Option(help="A target's setting, as pca.ratio=0.9; may be repeated.", show_default=False),
    ] = None,
    preset: Annotated[str, typer.Option(help="auto, none, a preset's name, or a TOML file.")] = "auto",
    task: Annotated[
        str, typer.Option(help="all, or links: learn from 85% of the edges, to be judged on the rest.")
    ] = "all",
    split_seed: Annotated[int, typer.Option(help="Seed of the link split, for --task links.", min=0)] = 0,
    method: Annotated[str, typer.Option(help="gigamae, or a baseline.")] = "gigamae",
    seed: o.Seed = 0,
    device: o.Device = "auto",
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep targets on disk between runs.")
    ] = False,
    profile: Annotated[
        bool, typer.Option(help="Print where the time went: targets, masks, encoder, objective, evaluation.")
    ] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Learn embeddings of a graph's nodes, without labels, and write them to a run folder.

    The folder gets embeddings.parquet, the model, the graph and run.json; evaluate and embed
    need nothing else.
    """
    from gigamae.cli.sources import open_source
    from gigamae.experiments.fit_run import fit_run
    from gigamae.experiments.plan import make_plan, parse_target_settings, parse_targets
    from gigamae.experiments.profile import profile as profile_of
    from gigamae.experiments.runs import check_folder, write_run

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    check_folder(output)
    with out.watch() as progress:
        opened = open_source(
            source, data_root, features=features, labels=labels, directed=directed, header=header,
            source_column=source_column, target_column=target_column, weight_column=weight_column,
            id_column=id_column, label_column=label_column,
        )  # fmt: skip
        graph = opened.graph
        out.note(repr(graph))
        out.notes(graph.notes)
        plan = make_plan(
            graph,
            dataset=opened.dataset,
            preset=preset,
            task=task,
            method=method,
            settings=settings,
            targets=None if targets is None else parse_targets(targets),
            target_settings=parse_target_settings(target_setting or []),
        )
        out.notes(plan.reasons)
        story = {"source": source, "dataset": opened.dataset, "given": settings}
        run = fit_run(
            graph, plan, seed=seed, split_seed=split_seed, device=device, cache=cache, progress=progress,
            story=story,
        )  # fmt: skip
        write_run(run, output)
    about = run.about
    if profile:
        total = about["seconds"]["total"]
        rows = [(name, duration(s), f"{s / total:.1%}") for name, s in profile_of(about["seconds"])]
        out.table("where the time went", ("part", "time", "share"), [*rows, ("total", duration(total), "")])
    shape = about["embedding"]
    out.show(
        f"{shape['nodes']:,} embeddings of {shape['dimensions']} dimensions in "
        f"{duration(about['seconds']['total'])}, at most {size(about['peak_memory'])} of memory."
    )
    out.show(f"Written to {output}: embeddings.parquet, the model, the graph, run.json.")
    out.show(f"Next: gigamae evaluate {output}")
    kept = ("method", "task", "dataset", "preset", "seed", "graph", "embedding", "best_epoch", "seconds",
            "peak_memory")  # fmt: skip
    notes = [*graph.notes, *plan.reasons, *about["notes"]]
    out.result({"run": str(output), **{k: about[k] for k in kept}, "notes": notes})
