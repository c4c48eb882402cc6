"""``gigamae evaluate``: judge a run by the three protocols."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gigamae.cli import options as o
from gigamae.cli.console import Out

MEASURES = {"accuracy": "accuracy", "nmi": "NMI", "ari": "ARI", "auc": "AUC", "ap": "AP"}


def command(
    run: o.RunFolder,
    task: Annotated[str, typer.Option(help="all, classification, clustering or links.")] = "all",
    seeds: Annotated[
        int, typer.Option(help="Pre-training seeds for classification and clustering.", min=1)
    ] = 1,
    splits: Annotated[int, typer.Option(help="Link splits, each with a model of its own.", min=1)] = 5,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Judge a run: node classification, clustering, link prediction.

    The run remembers its graph and settings. For links it is pre-trained anew on 85% of the
    edges, once a split, unless the run was made for links.
    """
    from gigamae.experiments.judge_run import judge_run
    from gigamae.experiments.places import try_writing
    from gigamae.experiments.runs import EVALUATION, load_run

    out = Out(as_json=as_json, quiet=quiet, debug=debug)
    loaded = load_run(run)
    try_writing(run / EVALUATION)
    with out.watch() as progress:
        judgement = judge_run(loaded, task, seeds=seeds, split_seeds=range(splits), progress=progress)
    out.notes(judgement.notes)
    rows = [
        (name, MEASURES.get(measure, measure), f"{score['mean']:.4f}", f"{score['std']:.4f}",
         _expected(loaded.about.get("expected", {}), name, measure))
        for name, measures in judgement.scores.items()
        for measure, score in measures.items()
    ]  # fmt: skip
    out.table(f"{loaded.graph.name}", ("task", "measure", "mean", "std", "expected"), rows)
    found = {"scores": judgement.scores, "values": judgement.details, "notes": judgement.notes}
    (run / EVALUATION).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    out.result(judgement.scores)


def _expected(expected: dict, task: str, measure: str) -> str:  # type: ignore[type-arg]
    number = expected.get(task, {}).get(measure)
    return f"{number['mean']:.4f}" if number else ""
