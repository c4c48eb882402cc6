"""Run one cell: load the graph, fit, judge, and say all that a reader may ask about it."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from gigamae.errors import InputError
from gigamae.evaluate.result import Score
from gigamae.experiments.cells import PROTOCOL, Cell
from gigamae.experiments.machine import machine, peak_memory, reset_peak_memory
from gigamae.experiments.protocols import fit_on_split, fit_with, judge_embedding
from gigamae.experiments.resolved import build_model
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links

_DIGITS = 6


def run_cell(
    cell: Cell, *, data_root: str | Path | None = None, device: str = "auto", progress: Any = None
) -> dict[str, Any]:
    """Fit and judge; returns what the cell's file will hold.

    Args:
        cell: from :func:`gigamae.experiments.cells.make_cell`.
        data_root: where the raw files lie; without it they are fetched.
        device: auto, cpu, cuda or cuda:0.
        progress: a watcher.
    """
    import torch

    graph = _graph(cell.dataset, None if data_root is None else str(data_root))
    reset_peak_memory()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    model = build_model(cell.method, cell.settings, cell.targets, seed=cell.seed, device=device)
    judge = _judge_labels if cell.task == "labels" else _judge_links
    scores, seconds, width = judge(cell, model, graph, progress)
    whole = {"model": seconds["fit"] + seconds["embedding"], "total": time.perf_counter() - start}
    seconds = {**getattr(model, "timings_", {}), **seconds, **whole}
    history = getattr(model, "history_", None)
    best = getattr(history, "best_epoch", None)
    return {
        "protocol": PROTOCOL,
        "key": cell.key,
        "method": cell.method,
        "dataset": cell.dataset,
        "task": cell.task,
        "seed": cell.seed,
        "split": cell.split,
        "scores": scores,
        "validation_auc": getattr(history, "scores", {}).get(best),
        "best_epoch": best,
        "epochs": len(getattr(history, "losses", ())) or None,
        "dimensions": width,
        "seconds": {name: round(float(value), 3) for name, value in seconds.items()},
        "peak_memory": peak_memory(),
        "device": _device(model),
        "peak_gpu_memory": torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None,
        "threads": torch.get_num_threads(),
        "machine": machine(),
        "versions": _versions(),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "preset": cell.preset,
        "settings": dict(cell.settings),
        "targets": {name: dict(recipe) for name, recipe in cell.targets.items()},
    }


Judged = tuple[dict[str, Any], dict[str, float], int]


def _judge_labels(cell: Cell, model: Any, graph: Graph, progress: Any) -> Judged:
    if graph.num_classes < 2:
        raise InputError(f"{cell.dataset} has no labels: classification and clustering cannot be judged.")
    start = time.perf_counter()
    fit_with(model, graph, progress=progress)
    fitted = time.perf_counter()
    z = model.transform(graph)
    embedded = time.perf_counter()
    assert graph.y is not None
    found = judge_embedding(z, graph.y)
    seconds = {
        "fit": fitted - start, "embedding": embedded - fitted, "evaluation": time.perf_counter() - embedded,
    }  # fmt: skip
    tasks = {"classification": found.classification, "clustering": found.clustering}
    return {t: _told(r.scores()) for t, r in tasks.items() if r is not None}, seconds, int(z.shape[1])


def _judge_links(cell: Cell, model: Any, graph: Graph, progress: Any) -> Judged:
    from gigamae import evaluate

    split = split_links(graph, seed=cell.split or 0)
    start = time.perf_counter()
    fit_on_split(model, split, progress=progress)
    fitted = time.perf_counter()
    z = model.transform(split.train)  # messages pass along training edges alone
    embedded = time.perf_counter()
    found = evaluate.links(z, split, part="test")
    seconds = {
        "fit": fitted - start, "embedding": embedded - fitted, "evaluation": time.perf_counter() - embedded,
    }  # fmt: skip
    return {"links": _told(found.scores())}, seconds, int(z.shape[1])


def _told(scores: dict[str, Score]) -> dict[str, Any]:
    return {
        name: {
            "mean": round(s.mean, _DIGITS),
            "std": round(s.std, _DIGITS),
            "values": [round(v, _DIGITS) for v in s.values],
        }
        for name, s in scores.items()
    }


@lru_cache(maxsize=1)  # cells of one graph come one after the other
def _graph(dataset: str, data_root: str | None) -> Graph:
    from gigamae.graph.datasets import load_dataset

    return load_dataset(dataset, root=data_root)


def _device(model: Any) -> str:
    """Where the weights lie; cpu for what has none."""
    module = getattr(model, "module_", None)
    parameters = list(module.parameters()) if module is not None else []
    return str(parameters[0].device) if parameters else "cpu"


def _versions() -> dict[str, str]:
    from gigamae.pretrain.checkpoint import versions

    return versions()
