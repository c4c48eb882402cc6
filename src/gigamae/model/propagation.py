"""Propagation: products of a sparse, symmetric-patterned matrix with rows that take gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from gigamae.model.csr import csr
from gigamae.model.topology import Topology


def sum_values(topology: Topology, hidden_edges: Tensor | None) -> Tensor:
    """(2M,) edge weights, ones without weights, zeros where an edge is hidden."""
    values = topology.weights
    if values is None:
        values = torch.ones(len(topology.cols), device=topology.device)
    if hidden_edges is not None:
        values = values * (~hidden_edges)[topology.undirected]
    return values


def mean_values(topology: Topology, hidden_edges: Tensor | None) -> Tensor:
    """(2M,) weights divided by their row's sum."""
    values = sum_values(topology, hidden_edges)
    total = torch.zeros(topology.num_nodes, device=topology.device)
    total = total.index_add(0, topology.rows, values)
    return values / total.clamp(min=1e-12)[topology.rows]


def gcn_values(topology: Topology, hidden_edges: Tensor | None) -> tuple[Tensor, Tensor]:
    """D^-1/2 (A + I) D^-1/2: its (2M,) entries off the diagonal and its (N,) diagonal."""
    values = sum_values(topology, hidden_edges)
    degree = torch.ones(topology.num_nodes, device=topology.device)
    root = degree.index_add(0, topology.rows, values).rsqrt()
    return values * root[topology.rows] * root[topology.cols], root * root


def neighbourhood_mean(h: Tensor, topology: Topology) -> Tensor:
    """(N, F): the mean of each node's row and its neighbours', all of the same weight."""
    around = propagate(h, topology, torch.ones(len(topology.cols), device=h.device), None)
    return around.add_(h).div_((topology.indptr.diff() + 1).to(h.dtype).unsqueeze(1))


def propagate(h: Tensor, topology: Topology, values: Tensor, own: Tensor | None) -> Tensor:
    """out[i] = sum_j values_ij h[j] + own[i] h[i]; differentiable in all three.

    Args:
        h: (N, F).
        topology: the pattern.
        values: (2M,) in the order of ``topology.cols``.
        own: (N,) the diagonal, or None.
    """
    out: Tensor = _Propagate.apply(h, topology, values)
    return out if own is None else out + own.unsqueeze(1) * h


class _Propagate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, topology: Topology, values: Tensor) -> Tensor:  # type: ignore[override]
        ctx.topology = topology
        ctx.save_for_backward(h if ctx.needs_input_grad[2] else None, values)
        return _matrix(topology, values.to(h.dtype)) @ h.contiguous()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, None, Tensor | None]:  # type: ignore[override]
        h, values = ctx.saved_tensors
        topology: Topology = ctx.topology
        grad = grad.contiguous()
        grad_h = grad_values = None
        if ctx.needs_input_grad[0]:  # the pattern is its own transpose: only the values trade places
            grad_h = _matrix(topology, values[topology.reverse].to(grad.dtype)) @ grad
        if ctx.needs_input_grad[2]:  # grad_i . h_j, where there is an entry
            pattern = _matrix(topology, torch.zeros_like(values, dtype=grad.dtype))
            sampled = torch.sparse.sampled_addmm(pattern, grad, h.to(grad.dtype).T.contiguous())
            grad_values = sampled.values().to(values.dtype)
        return grad_h, None, grad_values


def _matrix(topology: Topology, values: Tensor) -> Tensor:
    """(N, N) sparse, with ``values`` in the order of ``topology.cols``."""
    n = topology.num_nodes
    return csr(topology.indptr, topology.cols, values, (n, n))
