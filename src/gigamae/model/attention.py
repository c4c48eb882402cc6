"""Graph attention: each node takes a weighted mean of its neighbours' rows and its own.

The scores are those of GAT: e_ij = LeakyReLU(a_src . h_j + a_dst . h_i), a softmax over the kept
neighbours j of i and i itself, dropout on the attention. On the CPU the work is done by compiled
passes (:mod:`gigamae.model.attention_cpu`); elsewhere by sparse products, one a head. Either way no
tensor of edges x width exists.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from gigamae.model.dropout import dropout as drop
from gigamae.model.propagation import propagate
from gigamae.model.topology import Topology


def attend(
    h: Tensor,
    a_src: Tensor,
    a_dst: Tensor,
    topology: Topology,
    *,
    hidden_edges: Tensor | None = None,
    slope: float = 0.2,
    dropout: float = 0.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """out[i] = sum over j in N(i) and i of drop(softmax_j(LeakyReLU(a_src[j] + a_dst[i]))) h[j].

    Args:
        h: (N, H, F) projected rows, H heads.
        a_src: (N, H) what j says as a sender.
        a_dst: (N, H) what i says as a receiver.
        topology: the graph; edges hidden by ``hidden_edges`` (M,) are not there.
        slope: of the LeakyReLU below zero.
        dropout: on the attention; 0 for none.
        generator: where dropout's random numbers come from.

    Returns:
        (N, H, F).
    """
    keep = keep_entries(topology, hidden_edges)
    seed = 0
    if dropout > 0:
        seed = int(torch.randint(2**62, (1,), generator=generator, device=h.device).item())
    if h.device.type == "cpu" and h.dtype == torch.float32:
        out: Tensor = _CompiledAttention.apply(h, a_src, a_dst, topology, keep, slope, dropout, seed)
        return out
    return attend_by_products(h, a_src, a_dst, topology, keep, slope, dropout, seed)


def keep_entries(topology: Topology, hidden_edges: Tensor | None) -> Tensor:
    """(2M,) uint8: 1 where an entry of the rows may pass messages."""
    if hidden_edges is None:
        return torch.ones(len(topology.cols), dtype=torch.uint8, device=topology.device)
    return (~hidden_edges)[topology.undirected].to(torch.uint8)


def attend_by_products(
    h: Tensor,
    a_src: Tensor,
    a_dst: Tensor,
    topology: Topology,
    keep: Tensor,
    slope: float,
    dropout: float,
    seed: int,
) -> Tensor:
    """The same by tensor operations, on any device: numbers an edge, and a sparse product a head."""
    rows, cols = topology.rows, topology.cols
    leaky = torch.nn.functional.leaky_relu
    score = leaky(a_src[cols] + a_dst[rows], slope)  # (2M, H)
    score = score.masked_fill(~keep.bool().unsqueeze(1), -torch.inf)
    own = leaky(a_src + a_dst, slope)  # (N, H), the self-loops
    at = rows.unsqueeze(1).expand_as(score)
    top = own.detach().scatter_reduce(0, at, score.detach(), "amax")
    weight, weight_own = (score - top[rows]).exp(), (own - top).exp()
    total = weight_own.index_add(0, rows, weight)
    alpha, alpha_own = weight / total[rows], weight_own / total
    if dropout > 0:
        drawing = torch.Generator(device=h.device).manual_seed(seed)
        alpha = drop(alpha, dropout, drawing)
        alpha_own = drop(alpha_own, dropout, drawing)
    heads = [
        propagate(h[:, k], topology, alpha[:, k].to(h.dtype), alpha_own[:, k].to(h.dtype))
        for k in range(h.shape[1])
    ]
    return torch.stack(heads, dim=1)


class _CompiledAttention(torch.autograd.Function):
    """The compiled passes, as one differentiable step."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        h: Tensor,
        a_src: Tensor,
        a_dst: Tensor,
        topology: Topology,
        keep: Tensor,
        slope: float,
        dropout: float,
        seed: int,
    ) -> Tensor:
        import numpy as np

        from gigamae.model import attention_cpu

        h, a_src, a_dst = h.contiguous(), a_src.contiguous(), a_dst.contiguous()
        fixed = (np.float32(slope), np.float32(dropout), np.uint64(seed))
        out, alpha, alpha_self = attention_cpu.forward(
            h.numpy(), a_src.numpy(), a_dst.numpy(),
            topology.indptr.numpy(), topology.cols.numpy(), keep.numpy(), *fixed,
        )  # fmt: skip
        ctx.save_for_backward(h, a_src, a_dst, keep)
        ctx.rest = (topology, alpha, alpha_self, fixed)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        from gigamae.model import attention_cpu

        h, a_src, a_dst, keep = (t.detach().numpy() for t in ctx.saved_tensors)
        topology, alpha, alpha_self, (slope, dropout, seed) = ctx.rest
        g = grad.contiguous().numpy()
        indptr, cols = topology.indptr.numpy(), topology.cols.numpy()
        g_score, g_self, g_dst = attention_cpu.backward_scores(
            g, h, a_src, a_dst, alpha, alpha_self, indptr, cols, keep, slope, dropout, seed
        )
        g_h, g_src = attention_cpu.backward_inputs(
            g, alpha, alpha_self, g_score, g_self, indptr, cols,
            topology.reverse.numpy(), keep, dropout, seed,
        )  # fmt: skip
        turned = (torch.from_numpy(a) for a in (g_h, g_src, g_dst))
        return (*turned, None, None, None, None, None)
