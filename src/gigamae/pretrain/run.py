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
from gigamae.model.weights import Subset, one_term_weights, resolve_term_weights
from gigamae.pretrain.clusters import Clusters
from gigamae.pretrain.full_graph import FullGraph
from gigamae.pretrain.loop import History, train
from gigamae.pretrain.memory import plan_memory, size
from gigamae.pretrain.progress import Progress, Silent
from gigamae.pretrain.resources import give_back_freed_memory, pick_device, use_low_precision
from gigamae.settings import Settings
from gigamae.targets.base import Target


@dataclass
class Pretrained:
    """What pre-training leaves.

    Attributes:
        module: trained, ready to embed.
        history: losses, scores and times.
        targets: the targets' recipes by name.
        timings: seconds by stage, and those of training by part.
        notes: what the user should know: the memory that was planned with, what was changed to fit.
    """

    module: GiGaMAEModule
    history: History
    targets: Mapping[str, Target]
    timings: dict[str, float]
    notes: tuple[str, ...] = ()


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
    """From a graph and targets to a trained module. Reads edges and features, never labels.

    Raises:
        MemoryLimitError: training does not fit, whatever is tried.
    """
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
    module, history, notes = learn(
        graph, matrices, weights, settings, seed=seed, device=where, validate=validate, progress=progress
    )
    timings["training"] = history.seconds
    timings |= {f"training, {part}": seconds for part, seconds in history.parts.items()}
    progress.done()
    return Pretrained(module, history, recipes, timings, notes)


def learn(
    graph: Graph,
    matrices: Sequence[np.ndarray],
    weights: Mapping[str, Mapping[Subset, float]],
    settings: Settings,
    *,
    seed: int,
    device: torch.device,
    validate: Callable[[np.ndarray], float] | None = None,
    progress: Progress | None = None,
) -> tuple[GiGaMAEModule, History, tuple[str, ...]]:
    """Train on target matrices (N, d_n) that are there already: the module, what happened, notes."""
    progress = progress or Silent()
    dims = [m.shape[1] for m in matrices]
    module = GiGaMAEModule(graph.num_features, dims, weights, settings, seed=seed).to(device)
    plan = plan_memory(settings, graph, dims, device, chosen=module.subsets)
    notes = (f"Training will take about {size(plan.estimate)} of memory.", *plan.reasons)
    for text in notes:
        progress.note(text)
    if settings.memory_limit is not None and 2 * plan.estimate > plan.limit:
        give_back_freed_memory()
    progress.stage("training")
    batches: FullGraph | Clusters
    if plan.mode == "full":
        batches = FullGraph(graph, matrices, module.subsets, device)
        steps, nodes = 1, graph.num_nodes
    else:
        batches = Clusters(
            graph, matrices, module.subsets, device,
            parts=plan.parts, parts_a_step=plan.parts_a_step, seed=seed,
        )  # fmt: skip
        steps, nodes = len(batches), graph.num_nodes // len(batches)
        # What a whole epoch moves the statistics that inference uses stays the same.
        module.encoder.norm.momentum = 1 - (1 - settings.norm_momentum) ** (1 / steps)
    low_precision = use_low_precision(settings, device, nodes)
    module.set_low_precision(low_precision)
    options = ObjectiveOptions(
        objective=settings.objective,  # type: ignore[arg-type]
        tau=settings.tau,
        symmetric=settings.symmetric,
        negatives=plan.negatives,
        low_precision=low_precision,
        gamma=settings.gamma,
        tile_entries=plan.tile_entries,
    )
    def whole() -> tuple[Topology, FeatureMatrix]:
        """The graph that is embedded, with the statistics to embed it by."""
        if isinstance(batches, FullGraph):  # it is laid out already
            at = batches.topology, batches.features
        else:
            at = Topology.of(graph, device), FeatureMatrix(graph.x, device)
        if settings.norm_statistics == "whole":
            module.settle(*at)
        return at

    score = None
    if validate is not None:
        judge = validate

        def score() -> float:
            return judge(module.embed(*whole()).cpu().numpy())

    generator = torch.Generator(device=device).manual_seed(seed)
    history = train(module, batches, settings, options, generator, score=score, progress=progress)
    if score is None and settings.norm_statistics == "whole":  # else the best check's are kept
        whole()
    module.eval()
    return module, history, notes


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
