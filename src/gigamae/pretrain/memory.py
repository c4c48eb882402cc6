"""Memory: what training will take, told before it starts; and what to do when that is too much.

:func:`estimate_memory` counts what one step holds at its fullest, tensor by tensor, and is held
against measured peaks by a test. :func:`plan_memory` lowers first the tile of the comparison, then
the negatives, then trains on clusters, until the estimate fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from gigamae.errors import MemoryLimitError
from gigamae.graph.graph import Graph
from gigamae.model.features import stays_sparse
from gigamae.model.infonce import TILE_ENTRIES
from gigamae.model.weights import Subset, subsets
from gigamae.pretrain.resources import DRAWN_NEGATIVES, free_bytes, pick_negatives, use_low_precision
from gigamae.settings import Settings

FLOAT, INDEX = 4, 8  # bytes
#: What lies about besides the tensors: memory that was freed and not given back, and what the first
#: call of the compiled kernels and the products leaves behind.
OVERHEAD, RUNTIME = 1.25, 96 << 20
#: The tile is not made smaller than this, nor the negatives fewer, nor a step's nodes.
LEAST_TILE, LEAST_NEGATIVES, LEAST_NODES = 1 << 18, 512, 256
#: Rows of hidden width and of output width that an encoder keeps for the backward pass.
_KEPT = {"gat": (5, 3), "gatv2": (7, 5), "gcn": (4, 2), "sage": (6, 2), "gin": (7, 5)}
#: Linear maps that open a layer.
_LIFTS = {"gat": 1, "gatv2": 2, "gcn": 1, "sage": 2, "gin": 1}


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


@dataclass(frozen=True)
class Extent:
    """How much of a graph one step sees."""

    nodes: float
    entries: float  # 2M, both directions of every edge
    stored: float  # feature values
    masked: dict[str, float]  # expected nodes of each type E, F, B

    @classmethod
    def of(cls, graph: Graph, settings: Settings, share: float = 1.0) -> Extent:
        """The expected extent of ``share`` of the nodes; edges are taken to stay inside."""
        n, hide = graph.num_nodes * share, settings.mask_feature
        whole = float(((1 - settings.mask_edge) ** graph.degree).mean()) if graph.num_nodes else 1.0
        masked = {"E": (1 - hide) * (1 - whole) * n, "F": hide * whole * n, "B": hide * (1 - whole) * n}
        stored = graph.x.size if isinstance(graph.x, np.ndarray) else graph.x.nnz
        return cls(n, len(graph.indices) * share, stored * share, masked)


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


def estimate_memory(
    settings: Settings,
    graph: Graph,
    dims: Sequence[int],
    chosen: Sequence[Subset],
    device: torch.device,
    *,
    share: float = 1.0,
    negatives: int | None = None,
    tile_entries: int = TILE_ENTRIES,
) -> int:
    """Bytes that training takes at its fullest, beside the graph and the targets themselves.

    Args:
        share: of the nodes that a step sees; below 1 in cluster mode, where the whole graph is
            laid out once more at the end, to be embedded.
    """
    low = use_low_precision(settings, device, int(graph.num_nodes * share))
    widths = [sum(dims[i] for i in s) for s in chosen]
    joint = sum(w for s, w in zip(chosen, widths, strict=True) if len(s) > 1 or share < 1)
    seen, whole = Extent.of(graph, settings, share), Extent.of(graph, settings)
    weights = _weights(settings, graph.num_features, widths)
    laid_out = _laid_out(graph, seen, device) + FLOAT * seen.nodes * joint
    masked_rows = 2 * FLOAT * sum(seen.masked.values()) * settings.out_dim  # z of these, and its gradient
    terms = (_term(settings, seen, w, negatives, tile_entries, device, low) for w in widths)
    back = FLOAT * seen.nodes * 4 * max(settings.hidden_dim, settings.out_dim)  # through the encoder
    training = laid_out + _encoder(settings, graph, seen, device) + masked_rows + max(back, *terms)
    embedding = 0.0
    if share < 1:  # the whole graph, layer by layer
        rows = settings.hidden_dim + 3 * max(settings.hidden_dim, settings.out_dim)
        embedding = _laid_out(graph, whole, device) + FLOAT * whole.nodes * rows
    return int(OVERHEAD * (weights + max(training, embedding))) + RUNTIME


def _weights(settings: Settings, num_features: int, widths: Sequence[int]) -> float:
    """Weights, their gradients (the projectors' twice), Adam's two moments, and the best seen."""
    hidden, out = settings.hidden_dim, settings.out_dim
    inner = settings.projector_dim or 2 * out
    first = _LIFTS[settings.encoder] * num_features * hidden
    second = _LIFTS[settings.encoder] * hidden * out
    largest = max([num_features * hidden, hidden * out, *(inner * max(out, w) for w in widths)])
    return FLOAT * (5 * (first + second) + 6 * sum(inner * (out + w) for w in widths) + 2 * largest)


def _laid_out(graph: Graph, seen: Extent, device: torch.device) -> float:
    """The graph as tensors: topology and features, where they are not the graph's own arrays."""
    copied = device.type != "cpu" or seen.nodes < graph.num_nodes
    edges = INDEX * seen.entries * (5 if copied else 3)
    if isinstance(graph.x, np.ndarray):
        return edges + FLOAT * seen.stored * copied
    if stays_sparse(graph.x):
        return edges + (FLOAT + 4 * INDEX) * seen.stored
    return edges + FLOAT * seen.nodes * graph.num_features


def _encoder(settings: Settings, graph: Graph, seen: Extent, device: torch.device) -> float:
    """What both layers keep for the backward pass."""
    hidden, out = settings.hidden_dim, settings.out_dim
    rows_hidden, rows_out = _KEPT[settings.encoder]
    kept = seen.nodes * (rows_hidden * hidden + rows_out * out)
    if settings.dropout == 0:
        kept -= seen.nodes * hidden
    heads = settings.heads + 1
    edges = seen.entries + seen.nodes
    if settings.encoder == "gat":
        kept += edges * heads * (2 if device.type == "cpu" else 6)
        if device.type != "cpu":  # there the messages along all edges are laid out
            kept += 2 * edges * max(hidden, out)
    elif settings.encoder == "gatv2":
        kept += edges * heads * 4 + 4 * edges * max(hidden // settings.heads, out)
    else:
        kept += 4 * edges
    if settings.dropout > 0:
        kept += 3 * seen.stored if stays_sparse(graph.x) else seen.nodes * graph.num_features
    return FLOAT * kept


def _term(
    settings: Settings, seen: Extent, width: int, negatives: int | None, tile: int, device: torch.device,
    low: bool,
) -> float:  # fmt: skip
    """One projector and its comparison, which are held alone; ``width`` is that of the target."""
    n, inner = sum(seen.masked.values()), settings.projector_dim or 2 * settings.out_dim
    if low and device.type == "cpu":  # the hidden rows, twice, in bfloat16, and their gradient ...
        kept, back = 2 * n * (2 * inner + settings.out_dim), 2 * n * (inner + width)
        back += FLOAT * n * (inner + settings.out_dim)  # ... and what the products pack for themselves
    else:
        kept, back = FLOAT * 2 * n * inner, FLOAT * 2 * n * inner
        kept += 2 * n * (inner + settings.out_dim) if low else 0
    outputs = FLOAT * n * 3 * width  # projected, and by type: gathered, and its gradient
    back += FLOAT * n * (2 * width + settings.out_dim)
    most = max(seen.masked.values())
    return kept + outputs + max(back, _comparison(settings, most, width, negatives, tile, device, low))


def _comparison(
    settings: Settings, n: float, width: int, negatives: int | None, tile: int, device: torch.device,
    low: bool,
) -> float:  # fmt: skip
    """The fullest moment of comparing ``n`` nodes with their targets."""
    rows = FLOAT * 4 * n * width  # both sides normalised, and as they were
    if settings.objective in ("scaled_cosine", "mse"):
        return rows
    work = 2 if low else FLOAT
    views = 2 if settings.objective == "mutual_information" else 1
    kept_views = 2 if views == 2 and (settings.symmetric or settings.tau < 1 / 30) else 1
    threads = torch.get_num_threads() if device.type == "cpu" else 1
    columns = min(n, negatives or n)
    tiles = kept_views * work * min(max(tile, columns), n * columns)
    copies = columns * width * (2 * views * work + FLOAT * kept_views * threads)
    return rows + tiles + copies


def size(num_bytes: float) -> str:
    """Bytes the way people say them."""
    if num_bytes >= 2**30:
        return f"{num_bytes / 2**30:.1f} GiB"
    return f"{max(num_bytes, 0) / 2**20:.0f} MiB"
