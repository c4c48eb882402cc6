"""Graph attention: each node takes a weighted mean of its neighbours' rows and its own.

The scores are those of GAT: e_ij = LeakyReLU(a_src . h_j + a_dst . h_i), a softmax over the kept
neighbours j of i and i itself, dropout on the attention. On the CPU the work is done by compiled
passes (:mod:`gigamae.model.attention_cpu`); elsewhere by tensor operations over the edges.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

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
    return attend_by_edges(h, a_src, a_dst, topology, keep, slope, dropout, seed)


def keep_entries(topology: Topology, hidden_edges: Tensor | None) -> Tensor:
    """(2M,) uint8: 1 where an entry of the rows may pass messages."""
    if hidden_edges is None:
        return torch.ones(len(topology.cols), dtype=torch.uint8, device=topology.device)
    return (~hidden_edges)[topology.undirected].to(torch.uint8)


def attend_by_edges(
    h: Tensor,
    a_src: Tensor,
    a_dst: Tensor,
    topology: Topology,
    keep: Tensor,
    slope: float,
    dropout: float,
    seed: int,
) -> Tensor:
    """The same by tensor operations over a list of edges: any device, and the tests' yardstick."""
    n = topology.num_nodes
    kept = keep.bool()
    loops = torch.arange(n, device=h.device)
    dst = torch.cat([topology.rows[kept], loops])  # (E,) with the self-loops
    src = torch.cat([topology.cols[kept], loops])
    score = torch.nn.functional.leaky_relu(a_src[src] + a_dst[dst], slope)  # (E, H)
    at = dst.unsqueeze(1).expand_as(score)
    top = score.detach().new_full((n, score.shape[1]), -torch.inf)
    top = top.scatter_reduce(0, at, score.detach(), "amax")
    weight = (score - top[dst]).exp()
    total = torch.zeros_like(top).index_add(0, dst, weight)
    alpha = weight / total[dst]
    if dropout > 0:
        own = torch.Generator(device=h.device).manual_seed(seed)
        kept_share = torch.rand(alpha.shape, generator=own, device=h.device) >= dropout
        alpha = alpha * kept_share / (1.0 - dropout)
    return torch.zeros_like(h).index_add(0, dst, alpha.unsqueeze(2).to(h.dtype) * h[src])


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
