"""One run: targets, weights, batches, training; and the embedding of a graph afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gigamae.graph.graph import Graph
from gigamae.model.features import FeatureMatrix
from gigamae.model.gigamae import GiGaMAEModule
from gigamae.model.objective import ObjectiveOptions
from gigamae.model.topology import Topology
from gigamae.model.weights import one_term_weights, resolve_term_weights
from gigamae.pretrain.full_graph import FullGraph
from gigamae.pretrain.loop import History, train
from gigamae.pretrain.progress import Progress, Silent
from gigamae.pretrain.resources import pick_device, pick_negatives, use_low_precision
from gigamae.settings import Settings
from gigamae.targets.base import Target


@dataclass
class Pretrained:
    """What pre-training leaves: the module, its history, the targets' recipes and the seconds."""

    module: GiGaMAEModule
    history: History
    targets: Mapping[str, Target]
    timings: dict[str, float]


def pretrain(
    graph: Graph,
    targets: Any,
    settings: Settings,
    *,
    seed: int = 0,
    device: str = "auto",
    cache: bool | str = False,
    validate: Callable[[np.ndarray], float] | None = None,
    progress: Progress | None = None,
) -> Pretrained:
    """From a graph and targets to a trained module. Reads edges and features, never labels."""
    from gigamae.targets import make_targets
    from gigamae.targets.integrate import integrate

    progress = progress or Silent()
    where = pick_device(device)
    recipes = make_targets(targets)
    timings: dict[str, float] = {}
    matrices = compute_targets(graph, recipes, settings, seed, cache, progress, timings)
    if settings.integration == "mutual":
        weights = resolve_term_weights(
            [t.modality for t in recipes.values()],
            term_weights=settings.term_weights,
            knowledge_weights=settings.knowledge_weights,
            max_order=settings.max_order,
            allow_negative=settings.allow_negative_weights,
        )
    else:
        matrices = [integrate(matrices, settings.integration)]  # type: ignore[arg-type]
        weights = one_term_weights()
    module = GiGaMAEModule(
        graph.num_features, [m.shape[1] for m in matrices], weights, settings, seed=seed
    ).to(where)
    low_precision = use_low_precision(settings, where, graph.num_nodes)
    module.set_low_precision(low_precision)
    batches = FullGraph(graph, matrices, module.subsets, where)
    options = ObjectiveOptions(
        objective=settings.objective,  # type: ignore[arg-type]
        tau=settings.tau,
        symmetric=settings.symmetric,
        negatives=pick_negatives(settings, graph.num_nodes),
        low_precision=low_precision,
        gamma=settings.gamma,
    )
    score = None
    if validate is not None:
        judge = validate

        def score() -> float:
            return judge(module.embed(batches.topology, batches.features).cpu().numpy())

    progress.stage("training")
    generator = torch.Generator(device=where).manual_seed(seed)
    history = train(
        module, batches, settings, options, generator, score=score, progress=progress
    )
    timings["training"] = history.seconds
    module.eval()
    progress.done()
    return Pretrained(module, history, recipes, timings)


def compute_targets(
    graph: Graph,
    recipes: Mapping[str, Target],
    settings: Settings,
    seed: int,
    cache: bool | str,
    progress: Progress,
    timings: dict[str, float],
) -> Sequence[np.ndarray]:
    """The standardised matrix of each target, from the cache where it is kept."""
    from gigamae.targets.cache import TargetCache
    from gigamae.targets.standardisation import standardise

    kept = TargetCache(None if cache is True else cache) if cache else None
    matrices = []
    for name, recipe in recipes.items():
        progress.stage(f"target {name}")
        start = time.perf_counter()
        matrix = kept.get(graph, recipe, seed) if kept else recipe.fit(graph, seed=seed)
        matrices.append(standardise(matrix, settings.standardise))  # type: ignore[arg-type]
        timings[f"target {name}"] = time.perf_counter() - start
    return matrices


def embed(module: GiGaMAEModule, graph: Graph) -> np.ndarray:
    """Z of a graph, nothing masked: (N, d) float32."""
    device = next(module.parameters()).device
    return module.embed(Topology.of(graph, device), FeatureMatrix(graph.x, device)).cpu().numpy()
