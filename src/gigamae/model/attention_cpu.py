"""Attention over neighbours on the CPU: three compiled passes over the rows of the graph.

No tensor of edges x width ever exists: each pass reads the projected rows of a node's neighbours
and keeps one number an edge and head. Both passes of the backward write to the rows that their
own thread owns (the graph is symmetric, so the incoming edges of j stand reversed in row j):
no atomics, and the same result for any number of threads.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import torch
from numba import njit, prange

_compiled: Any = njit(parallel=True, fastmath={"contract", "reassoc", "nsz", "arcp"}, cache=True)


def _as_many_threads_as_torch() -> None:
    """Starting its threads, numba sets the number of torch's too: all cores, whatever was asked."""
    threads = torch.get_num_threads()
    started = numba.get_num_threads()
    torch.set_num_threads(threads)
    numba.set_num_threads(min(threads, started))


_as_many_threads_as_torch()


@njit(inline="always")
def _uniform(seed: np.uint64, index: np.uint64) -> float:  # pragma: no cover - compiled
    """A uniform number in [0, 1) for each index: counter-based (splitmix64), thread-free."""
    z = seed + (index + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(40)) * (1.0 / 16777216.0)


@_compiled
def forward(h, a_src, a_dst, indptr, cols, keep, slope, dropout, seed):  # type: ignore[no-untyped-def]  # pragma: no cover
    """out[i, k] = sum_j drop(alpha_ijk) h[j, k] over kept neighbours and i itself.

    h (N, H, F); a_src, a_dst (N, H); keep (2M,) uint8. Returns out (N, H, F), and the attention
    before dropout as alpha (2M, H) and, for the self-loops, alpha_self (N, H).
    """
    n, heads, width = h.shape
    out = np.empty((n, heads, width), np.float32)
    alpha = np.empty((len(cols), heads), np.float32)
    alpha_self = np.empty((n, heads), np.float32)
    scale = np.float32(1.0 / (1.0 - dropout))
    for i in prange(n):
        start, stop = indptr[i], indptr[i + 1]
        for k in range(heads):
            score = a_src[i, k] + a_dst[i, k]
            own = score if score > 0 else score * slope
            top = own
            for e in range(start, stop):
                if keep[e]:
                    score = a_src[cols[e], k] + a_dst[i, k]
                    score = score if score > 0 else score * slope
                    alpha[e, k] = score
                    top = max(top, score)
            total = np.exp(own - top)
            alpha_self[i, k] = total
            for e in range(start, stop):
                if keep[e]:
                    value = np.exp(alpha[e, k] - top)
                    alpha[e, k] = value
                    total += value
            inverse = np.float32(1.0) / total
            alpha_self[i, k] *= inverse
            for e in range(start, stop):
                if keep[e]:
                    alpha[e, k] *= inverse
                else:
                    alpha[e, k] = 0
            weight = alpha_self[i, k]
            if dropout > 0:
                at = np.uint64((len(cols) + i) * heads + k)
                weight = weight * scale if _uniform(seed, at) >= dropout else np.float32(0)
            for f in range(width):
                out[i, k, f] = weight * h[i, k, f]
        for e in range(start, stop):
            if keep[e]:
                j = cols[e]
                for k in range(heads):
                    weight = alpha[e, k]
                    if dropout > 0:
                        at = np.uint64(e * heads + k)
                        if _uniform(seed, at) < dropout:
                            continue
                        weight *= scale
                    for f in range(width):
                        out[i, k, f] += weight * h[j, k, f]
    return out, alpha, alpha_self


@_compiled
def backward_scores(grad, h, a_src, a_dst, alpha, alpha_self, indptr, cols, keep, slope, dropout, seed):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Gradients of the scores, by the receiving node: g_score (2M, H), g_self (N, H), g_dst (N, H)."""
    n, heads, width = h.shape
    g_score = np.zeros((len(cols), heads), np.float32)
    g_self = np.empty((n, heads), np.float32)
    g_dst = np.empty((n, heads), np.float32)
    scale = np.float32(1.0 / (1.0 - dropout))
    for i in prange(n):
        start, stop = indptr[i], indptr[i + 1]
        for k in range(heads):
            dot = np.float32(0)
            for f in range(width):
                dot += grad[i, k, f] * h[i, k, f]
            if dropout > 0:
                at = np.uint64((len(cols) + i) * heads + k)
                dot = dot * scale if _uniform(seed, at) >= dropout else np.float32(0)
            g_self[i, k] = dot
        for e in range(start, stop):
            if keep[e]:
                j = cols[e]
                for k in range(heads):
                    if dropout > 0:
                        at = np.uint64(e * heads + k)
                        if _uniform(seed, at) < dropout:
                            continue
                    dot = np.float32(0)
                    for f in range(width):
                        dot += grad[i, k, f] * h[j, k, f]
                    g_score[e, k] = dot * scale if dropout > 0 else dot
        for k in range(heads):
            mean = alpha_self[i, k] * g_self[i, k]
            for e in range(start, stop):
                mean += alpha[e, k] * g_score[e, k]
            value = alpha_self[i, k] * (g_self[i, k] - mean)
            if a_src[i, k] + a_dst[i, k] <= 0:
                value *= slope
            g_self[i, k] = value
            total = value
            for e in range(start, stop):
                if keep[e]:
                    value = alpha[e, k] * (g_score[e, k] - mean)
                    if a_src[cols[e], k] + a_dst[i, k] <= 0:
                        value *= slope
                    g_score[e, k] = value
                    total += value
            g_dst[i, k] = total
    return g_score, g_self, g_dst


@_compiled
def backward_inputs(grad, alpha, alpha_self, g_score, g_self, indptr, cols, reverse, keep, dropout, seed):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Gradients of what was sent, by the sending node: g_h (N, H, F) and g_src (N, H)."""
    n, heads, width = grad.shape
    g_h = np.empty((n, heads, width), np.float32)
    g_src = np.empty((n, heads), np.float32)
    scale = np.float32(1.0 / (1.0 - dropout))
    for j in prange(n):
        for k in range(heads):
            weight = alpha_self[j, k]
            if dropout > 0:
                at = np.uint64((len(cols) + j) * heads + k)
                weight = weight * scale if _uniform(seed, at) >= dropout else np.float32(0)
            for f in range(width):
                g_h[j, k, f] = weight * grad[j, k, f]
            g_src[j, k] = g_self[j, k]
        for e in range(indptr[j], indptr[j + 1]):
            if keep[e]:
                i = cols[e]  # j sends to i; that edge stands in row i at r
                r = reverse[e]
                for k in range(heads):
                    g_src[j, k] += g_score[r, k]
                    weight = alpha[r, k]
                    if dropout > 0:
                        at = np.uint64(r * heads + k)
                        if _uniform(seed, at) < dropout:
                            continue
                        weight *= scale
                    for f in range(width):
                        g_h[j, k, f] += weight * grad[i, k, f]
    return g_h, g_src
