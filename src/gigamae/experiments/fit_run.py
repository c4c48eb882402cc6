"""Fit a run: what a plan says is done, and how it was done is noted down."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gigamae.experiments.machine import peak_memory
from gigamae.experiments.methods import make_model
from gigamae.experiments.plan import Plan
from gigamae.experiments.protocols import fit_on_split, fit_with
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links


@dataclass
class Run:
    """A fitted model with its graph and its story.

    Attributes:
        about: what ``run.json`` holds.
        graph: the whole graph, also where the model saw only 85% of its edges.
        model: the fitted model; None where a folder was read whose method saves none.
        z: embeddings of the graph that the model was fitted on.
        matrices: the user's own target matrices, by name.
        folder: where it lies, once it does.
    """

    about: dict[str, Any]
    graph: Graph
    model: Any
    z: np.ndarray | None = None
    matrices: dict[str, np.ndarray] = field(default_factory=dict)
    folder: Path | None = None

    @property
    def task(self) -> str:
        return str(self.about["task"])

    def new_model(self, task: str, seed: int) -> Any:
        """An unfitted model with the run's settings for a task."""
        kind = "links_" if task == "links" else ""
        targets = with_matrices(self.about[f"{kind}targets"], self.matrices)
        settings = self.about[f"{kind}settings"]
        return make_model(self.about["method"], settings, targets, seed=seed, device=self.about["device"])


def fit_run(
    graph: Graph,
    plan: Plan,
    *,
    seed: int = 0,
    split_seed: int = 0,
    device: str = "auto",
    cache: bool | str = False,
    progress: Any = None,
    story: dict[str, Any] | None = None,
) -> Run:
    """Fit what a plan says, and note down how it was done.

    For links, the model is fitted on the training edges of the split ``split_seed``, and
    validation AUC picks the epoch.

    Args:
        graph: the whole graph.
        plan: from :func:`gigamae.experiments.plan.make_plan`.
        seed, device, cache: as in :class:`gigamae.GiGaMAE`.
        split_seed: of the link split.
        progress: a watcher.
        story: what else ``run.json`` should say: where the graph is from, say.
    """
    start = time.perf_counter()
    matrices = read_matrices({**plan.targets, **plan.links_targets}, graph)
    targets = with_matrices(plan.targets, matrices)
    model = make_model(plan.method, plan.settings, targets, seed=seed, device=device, cache=cache)
    if plan.task == "links":
        split = split_links(graph, seed=split_seed)
        seen = split.train
        fit_on_split(model, split, progress=progress)
    else:
        seen = graph
        fit_with(model, graph, progress=progress)
    before = time.perf_counter()
    z = model.transform(seen)
    end = time.perf_counter()
    seconds = {**getattr(model, "timings_", {}), "embedding": end - before, "total": end - start}
    about = {
        "method": plan.method,
        "task": plan.task,
        "split_seed": split_seed if plan.task == "links" else None,
        "seed": seed,
        "device": device,
        "preset": plan.preset,
        "expected": plan.expected,
        "settings": plan.settings,
        "targets": plan.targets,
        "links_settings": plan.links_settings,
        "links_targets": plan.links_targets,
        "graph": {
            "name": graph.name, "nodes": graph.num_nodes, "edges": graph.num_edges,
            "features": graph.num_features, "classes": graph.num_classes, "fingerprint": graph.fingerprint(),
        },
        "embedding": {"nodes": len(z), "dimensions": int(z.shape[1])},
        "best_epoch": getattr(getattr(model, "history_", None), "best_epoch", None),
        "seconds": {k: round(float(v), 3) for k, v in seconds.items()},
        "peak_memory": peak_memory(),
        "notes": list(getattr(model, "notes_", ())),
        **(story or {}),
    }  # fmt: skip
    return Run(about, graph, model, z, matrices)


def read_matrices(targets: dict[str, Any], graph: Graph) -> dict[str, np.ndarray]:
    """The user's own target matrices, read from the files that they named, in the graph's order."""
    from gigamae.targets import make_target

    return {
        name: make_target(recipe, name).fit(graph)
        for name, recipe in targets.items()
        if isinstance(recipe, dict) and "path" in recipe
    }


def with_matrices(targets: dict[str, Any], matrices: dict[str, np.ndarray]) -> dict[str, Any]:
    """Target recipes with the user's own matrices in place of the files they are from."""
    told = {}
    for name, recipe in targets.items():
        if name in matrices:
            kept = {k: v for k, v in recipe.items() if k not in ("path", "id_column")}
            recipe = {**kept, "name": "precomputed", "source": matrices[name]}
        told[name] = recipe
    return told
