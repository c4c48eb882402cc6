"""Judge a run on all tasks; it remembers its graph and its settings, so nothing else is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gigamae.errors import InputError, SettingsError
from gigamae.evaluate.result import Evaluation, Score
from gigamae.experiments.fit_run import Run
from gigamae.experiments.protocols import (
    LABEL_TASKS,
    SPLIT_SEEDS,
    fit_on_split,
    fit_with,
    judge_embedding,
    judge_links,
    judge_split,
)
from gigamae.graph.splits import split_links

TASKS = ("all", *LABEL_TASKS, "links")


@dataclass
class Judgement:
    """What was found.

    Attributes:
        scores: task -> measure -> {"mean", "std"}.
        details: task -> measure -> the single values, by pre-training seed or split.
        notes: what was left out and why, and how to read the spread.
    """

    scores: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def judge_run(
    run: Run,
    task: str = "all",
    *,
    seeds: int = 1,
    split_seeds: Sequence[int] = SPLIT_SEEDS,
    progress: Any = None,
) -> Judgement:
    """Judge a run by the protocols.

    Args:
        run: from :func:`gigamae.experiments.runs.load_run`.
        task: all, classification, clustering or links.
        seeds: pre-training seeds for classification and clustering; the first is the run's own
            model, each other is fitted anew. With more than one, the spread is that over seeds.
        split_seeds: of the link splits; a run made for links is judged on its own split alone.
        progress: a watcher.

    Raises:
        SettingsError: no such task.
        InputError: classification or clustering of a graph without labels.
    """
    if task not in TASKS:
        raise SettingsError(f"task={task!r} is not one of {', '.join(TASKS)}.")
    if seeds < 1 or not split_seeds:
        raise SettingsError("seeds and splits must be at least 1.")
    judgement = Judgement()
    labelled = [t for t in LABEL_TASKS if task in ("all", t)]
    if labelled and run.graph.num_classes < 2:
        why = f"{run.graph.name} has no labels" if run.graph.y is None else f"{run.graph.name} has one class"
        if task != "all":
            raise InputError(
                f"{why}, so {task} cannot be judged; fit it again with --labels, or judge links."
            )
        judgement.notes.append(f"{why}: classification and clustering are left out.")
        labelled = []
    if labelled:
        _judge_labels(run, labelled, seeds, progress, judgement)
    if task in ("all", "links"):
        _judge_links(run, split_seeds, progress, judgement)
    return judgement


def _judge_labels(run: Run, tasks: list[str], seeds: int, progress: Any, judgement: Judgement) -> None:
    assert run.graph.y is not None
    found: list[Evaluation] = []
    for number in range(seeds):
        seed = int(run.about["seed"]) + number
        z = _embedding(run, seed, first=number == 0, progress=progress)
        _tell(progress, " and ".join(tasks))
        found.append(judge_embedding(z, run.graph.y, tasks=tasks))
    for task in tasks:
        by_seed = [getattr(f, task).scores() for f in found]
        _enter(judgement, task, {m: [s[m] for s in by_seed] for m in by_seed[0]})
    if run.task == "links":
        judgement.notes.append("The model saw 85% of the edges: the run was made for links.")
    spread = "pre-training seeds" if seeds > 1 else "splits of the classifier and starts of K-means"
    judgement.notes.append(f"Classification and clustering: std over {spread}.")


def _embedding(run: Run, seed: int, *, first: bool, progress: Any) -> np.ndarray:
    if first and run.model is not None:
        z: np.ndarray = run.model.transform(run.graph)
        return z
    _tell(progress, f"pre-training with seed {seed}")
    model = fit_with(run.new_model("all", seed), run.graph, progress=progress)
    return np.asarray(model.transform(run.graph))


def _judge_links(run: Run, split_seeds: Sequence[int], progress: Any, judgement: Judgement) -> None:
    if run.task == "links":
        split = split_links(run.graph, seed=run.about["split_seed"])
        model = run.model
        if model is None:
            model = fit_on_split(run.new_model("links", run.about["seed"]), split, progress=progress)
        result = judge_split(model, split)
        judgement.notes.append(f"Links: on the run's own split (seed {run.about['split_seed']}).")
    else:
        result = judge_links(
            lambda seed: run.new_model("links", seed), run.graph, split_seeds, progress=progress
        )
        judgement.notes.append(f"Links: std over {len(split_seeds)} splits, each with a model of its own.")
    _enter(judgement, "links", {m: [Score.of(v) for v in s.values] for m, s in result.scores().items()})


def _enter(judgement: Judgement, task: str, measures: dict[str, list[Score]]) -> None:
    """One score a seed (or split): its own spread where there is one only, else that of the means."""
    summary = {m: s[0] if len(s) == 1 else Score.of(one.mean for one in s) for m, s in measures.items()}
    judgement.scores[task] = {m: s.to_dict() for m, s in summary.items()}
    judgement.details[task] = {m: [list(one.values) for one in s] for m, s in measures.items()}


def _tell(progress: Any, stage: str) -> None:
    if progress is not None:
        progress.stage(stage)
