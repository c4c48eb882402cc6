"""Estimate: what training will take, counted tensor by tensor at the fullest moment of a step.

It is held against measured peaks by a test; :mod:`gigamae.pretrain.memory` plans with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from gigamae.graph.graph import Graph
from gigamae.model.features import stays_sparse
from gigamae.model.infonce import TILE_ENTRIES
from gigamae.model.weights import Subset
from gigamae.pretrain.resources import use_low_precision
from gigamae.settings import Settings

FLOAT, INDEX = 4, 8  # bytes
#: What lies about besides the tensors: memory that was freed and not given back, and what the first
#: call of the compiled kernels and the products leaves behind.
OVERHEAD, RUNTIME = 1.25, 96 << 20
#: Rows of hidden width and of output width that an encoder keeps for the backward pass.
_KEPT = {"gat": (5, 3), "gatv2": (7, 5), "gcn": (4, 2), "sage": (6, 2), "gin": (7, 5)}
#: Linear maps that open a layer.
_LIFTS = {"gat": 1, "gatv2": 2, "gcn": 1, "sage": 2, "gin": 1}


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
