"""``gigamae demo``: the main job on a generated graph, held against what it must beat."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out, duration

HEADS = ("embedding", "accuracy", "NMI", "ARI", "AUC", "AP")


def command(
    output: o.RunOutput = Path("demo-run"),
    seed: o.Seed = 0,
    epochs: Annotated[
        int | None, typer.Option(help="Fewer for a quicker look.", min=1, show_default=False)
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """See the whole method on a generated graph: fit, embed, judge; under two minutes on two cores.

    GiGaMAE is judged on classification, clustering and links beside node2vec alone, PCA alone,
    SGC-propagated features and its own encoder untrained.
    """
    from gigamae.experiments.demo import MEASURES, run_demo
    from gigamae.experiments.runs import check_folder

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    check_folder(output)
    with out.watch() as progress:
        settings = {} if epochs is None else {"epochs": epochs}
        demo = run_demo(output, seed=seed, settings=settings, progress=progress)
    rows = [
        (name, *(f"{scores[task][measure]['mean']:.3f}" for task, measure in MEASURES))
        for name, scores in demo.scores.items()
    ]
    about = demo.run.about["graph"]
    title = f"{about['nodes']:,} nodes, {about['edges']:,} edges, {about['classes']} classes"
    out.table(title, HEADS, rows)
    out.show(demo.verdict())
    out.show(
        f"{output}/ has embeddings.parquet, the model (model.safetensors, model.json) and the settings "
        f"(run.json); {duration(demo.seconds)} in all."
    )
    out.result(
        {"run": str(output), "seconds": demo.seconds, "scores": demo.scores, "verdict": demo.verdict()}
    )
