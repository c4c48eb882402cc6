"""The demo: one generated graph, GiGaMAE, and what it must beat, judged on all three tasks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from gigamae.baselines.controls import SGC, RandomEncoder, TargetAlone
from gigamae.evaluate.result import Evaluation
from gigamae.experiments.fit_run import Run, fit_run
from gigamae.experiments.plan import Plan, make_plan
from gigamae.experiments.protocols import fit_with, judge_embedding, judge_links
from gigamae.experiments.runs import COMPARISON, write_run
from gigamae.graph.graph import Graph

OURS = "GiGaMAE"
#: task and measure of each column of the table
MEASURES = (
    ("classification", "accuracy"), ("clustering", "nmi"), ("clustering", "ari"), ("links", "auc"),
    ("links", "ap"),
)  # fmt: skip


@dataclass
class Demo:
    """What the demo found.

    Attributes:
        run: GiGaMAE's run, written to its folder.
        scores: method -> task -> measure -> {"mean", "std"}; GiGaMAE is the first.
        seconds: of all of it.
    """

    run: Run
    scores: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0

    def verdict(self) -> str:
        """What the table shows, in one line."""
        wins = sum(self._best(task, measure) == OURS for task, measure in MEASURES)
        return (
            "What you just saw: one embedding, learned without labels by reconstructing node2vec and PCA "
            f"of a masked graph, is best on {wins} of {len(MEASURES)} measures, against either of them "
            "alone and two embeddings that learn nothing."
        )

    def _best(self, task: str, measure: str) -> str:
        return max(self.scores, key=lambda method: self.scores[method][task][measure]["mean"])


def run_demo(
    folder: str | Path,
    *,
    graph: Graph | None = None,
    seed: int = 0,
    settings: dict[str, Any] | None = None,
    progress: Any = None,
) -> Demo:
    """Fit, embed and judge GiGaMAE and four controls on the demo graph.

    Args:
        folder: where GiGaMAE's run and the comparison are written.
        graph: another graph with labels instead.
        seed: of every method.
        settings: settings of GiGaMAE that win over the preset's.
        progress: a watcher.
    """
    start = time.perf_counter()
    if graph is None:
        from gigamae.graph.datasets import load_dataset

        graph = load_dataset("demo")
    plan = make_plan(graph, dataset="demo", settings=settings)
    run = fit_run(graph, plan, seed=seed, progress=progress, story={"source": "demo", "dataset": "demo"})
    write_run(run, folder)
    demo = Demo(run)

    def links_model(split_seed: int) -> Any:
        return run.new_model("links", seed)

    demo.scores[OURS] = _judge(OURS, run.z, links_model, graph, progress)
    for name, make in controls(plan, seed).items():
        z = fit_with(make(), graph).transform(graph)
        demo.scores[name] = _judge(name, z, partial(_unseeded, make), graph, progress)
    demo.seconds = time.perf_counter() - start
    text = json.dumps({"scores": demo.scores, "seconds": round(demo.seconds, 1)}, indent=2)
    (Path(folder) / COMPARISON).write_text(text + "\n", encoding="utf-8")
    return demo


def controls(plan: Plan, seed: int) -> dict[str, Callable[[], Any]]:
    """What GiGaMAE is held against: each target alone, and two embeddings without training."""
    chosen = plan.settings
    return {
        **{f"{name} alone": partial(TargetAlone, r, random_state=seed) for name, r in plan.targets.items()},
        "SGC features, 2 hops": lambda: SGC(hops=2),
        "random encoder": lambda: RandomEncoder(
            hidden_dim=chosen["hidden_dim"], out_dim=chosen["out_dim"], heads=chosen["heads"],
            kind=chosen["encoder"], random_state=seed,
        ),
    }  # fmt: skip


def _unseeded(make: Callable[[], Any], split_seed: int) -> Any:
    """A control is the same for every split."""
    return make()


def _judge(
    name: str, z: Any, links_model: Callable[[int], Any], graph: Graph, progress: Any
) -> dict[str, Any]:
    """All three tasks; links on one split, the same for all."""
    if progress is not None:
        progress.stage(f"judging {name}")
    assert graph.y is not None
    by_label = judge_embedding(z, graph.y)
    links = judge_links(links_model, graph, (0,), progress=progress)
    return Evaluation(by_label.classification, by_label.clustering, links).to_dict()
