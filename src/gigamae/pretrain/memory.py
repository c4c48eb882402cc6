"""Memory: what training will take, told before it starts; and what to do when that is too much.

:func:`plan_memory` lowers first the tile of the comparison, then the negatives, then trains on clusters,
until the estimate (:func:`gigamae.pretrain.estimate.estimate_memory`) fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from gigamae.errors import MemoryLimitError
from gigamae.graph.graph import Graph
from gigamae.model.infonce import TILE_ENTRIES
from gigamae.model.weights import Subset, subsets
from gigamae.pretrain.estimate import estimate_memory
from gigamae.pretrain.resources import DRAWN_NEGATIVES, free_bytes, pick_negatives
from gigamae.settings import Settings

#: The tile is not made smaller than this, nor the negatives fewer, nor a step's nodes.
LEAST_TILE, LEAST_NEGATIVES, LEAST_NODES = 1 << 18, 512, 256


@dataclass(frozen=True)
class MemoryPlan:
    """How training will go so that it fits.

    Attributes:
        tile_entries: rows x columns of InfoNCE's tiles.
        negatives: drawn for a term; None for all.
        mode: full or clusters.
        parts, parts_a_step: of cluster mode.
        estimate: bytes that training will take, beside the graph and the targets themselves.
        limit: bytes that it may take.
        reasons: a sentence for each thing that is not as it was asked for.
    """

    tile_entries: int
    negatives: int | None
    mode: str
    parts: int
    parts_a_step: int
    estimate: int
    limit: int = 0
    reasons: tuple[str, ...] = ()


def plan_memory(
    settings: Settings,
    graph: Graph,
    dims: Sequence[int],
    device: torch.device,
    *,
    chosen: Sequence[Subset] | None = None,
    limit: int | None = None,
) -> MemoryPlan:
    """How to train within ``limit``; the first of :func:`_ways` that fits.

    Args:
        settings: what is wanted; ``mode`` says what is allowed.
        graph: what is learned from.
        dims: the width of each target.
        device: where.
        chosen: the subsets that have a term; by default all up to ``max_order``.
        limit: bytes that training may take beside what this process holds already; None for what
            ``memory_limit`` leaves of it, or for what is free.

    Raises:
        MemoryLimitError: nothing that is known here fits.
    """
    chosen = subsets(len(dims), settings.max_order) if chosen is None else chosen
    if limit is None:
        limit = free_bytes(device, settings.memory_limit)
    asked = least = None
    for plan in _ways(settings, graph, dims, device, chosen):
        asked = asked or plan
        if plan.estimate <= limit:
            return replace(plan, limit=limit, reasons=tuple(_reasons(asked, plan, limit)))
        least = plan if least is None or plan.estimate < least.estimate else least
    assert least is not None  # there is always a way
    free = "set mode to auto (clusters take less), " if settings.mode == "full" else ""
    whose = "memory_limit" if settings.memory_limit is not None else "what is free"
    raise MemoryLimitError(
        f"{graph.name}: training takes at least {size(least.estimate)} and {whose} leaves {size(limit)}. "
        f"Raise memory_limit, {free}or lower hidden_dim={settings.hidden_dim}, "
        f"out_dim={settings.out_dim} or the targets' widths ({', '.join(map(str, dims))})."
    )


def _ways(
    settings: Settings, graph: Graph, dims: Sequence[int], device: torch.device, chosen: Sequence[Subset]
) -> Iterator[MemoryPlan]:
    """Ways to train, the one that was asked for first and the leanest last."""
    modes = []
    if settings.mode in ("auto", "full"):
        modes.append(("full", settings.parts))
    if settings.mode in ("auto", "clusters"):
        parts = min(settings.parts, graph.num_nodes)
        modes.append(("clusters", parts))
        while parts * 2 <= graph.num_nodes * settings.parts_a_step / LEAST_NODES:
            parts *= 2
            modes.append(("clusters", parts))
    for mode, parts in modes:
        share = min(1.0, settings.parts_a_step / parts) if mode == "clusters" else 1.0
        nodes = int(graph.num_nodes * share)
        negatives = pick_negatives(settings, nodes)
        fewer = (DRAWN_NEGATIVES, DRAWN_NEGATIVES // 2, LEAST_NEGATIVES)
        for drawn in (negatives, *(k for k in fewer if k < (negatives or nodes))):
            tile = TILE_ENTRIES
            while tile >= LEAST_TILE:
                needed = estimate_memory(
                    settings, graph, dims, chosen, device,
                    share=share, negatives=drawn, tile_entries=tile,
                )  # fmt: skip
                yield MemoryPlan(tile, drawn, mode, parts, settings.parts_a_step, needed)
                tile //= 4


def _reasons(asked: MemoryPlan, plan: MemoryPlan, limit: int) -> Iterator[str]:
    why = f"{size(asked.estimate)} would be needed and {size(limit)} may be used"
    if plan.mode != asked.mode:
        yield f"Training on clusters, {plan.parts_a_step} of {plan.parts} parts a step: {why}."
    elif plan.parts != asked.parts:
        yield f"{plan.parts} parts instead of {asked.parts}: {why}."
    if plan.negatives != asked.negatives and plan.mode == asked.mode:
        was = "all" if asked.negatives is None else f"{asked.negatives:,}"
        yield f"{plan.negatives:,} negatives a term instead of {was}: {why}."
    if plan.tile_entries != asked.tile_entries:
        yield f"Comparisons in tiles of {plan.tile_entries:,} entries, not {asked.tile_entries:,}: {why}."


def size(num_bytes: float) -> str:
    """Bytes the way people say them."""
    if num_bytes >= 2**30:
        return f"{num_bytes / 2**30:.1f} GiB"
    return f"{max(num_bytes, 0) / 2**20:.0f} MiB"


__all__ = ["MemoryPlan", "estimate_memory", "plan_memory", "size"]
