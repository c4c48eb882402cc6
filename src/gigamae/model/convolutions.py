"""Convolutions: one layer of message passing each, over a Topology with some edges hidden.

Every layer is called as ``layer(x, step)``: ``x`` is a :class:`FeatureMatrix` in the first layer
and a tensor after it, ``step`` says what this pass hides and drops. The first thing a layer does
to its input is one linear map, so sparse features never become dense.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gigamae.model.attention import attend, keep_entries
from gigamae.model.dropout import dropout
from gigamae.model.features import FeatureMatrix
from gigamae.model.linear import Linear, product
from gigamae.model.propagation import gcn_values, mean_values, propagate, sum_values
from gigamae.model.topology import Topology


@dataclass(frozen=True)
class Step:
    """One pass through the encoder: the graph, what is hidden, what is dropped."""

    topology: Topology
    hidden_edges: Tensor | None = None  # (M,) bool
    hidden_features: Tensor | None = None  # (N,) bool
    dropout: float = 0.0
    attention_dropout: float = 0.0
    generator: torch.Generator | None = None


class Lift(nn.Module):
    """The linear map that opens a layer: features (sparse or dense) or hidden rows to (N, out)."""

    low_precision = False

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_dim, out_dim))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: FeatureMatrix | Tensor, step: Step) -> Tensor:
        if isinstance(x, FeatureMatrix):
            return x.project(
                self.weight,
                hidden=step.hidden_features,
                dropout=step.dropout,
                generator=step.generator,
            )
        return product(dropout(x, step.dropout, step.generator), self.weight, self.low_precision)


class GATLayer(nn.Module):
    """Graph attention (Velickovic et al. 2018): ``heads`` heads, concatenated or averaged.

    Args:
        in_dim: width of the input.
        out_dim: width of the output; with ``concat`` each head has ``out_dim / heads``.
        heads: how many.
        concat: put the heads side by side, or average them.
    """

    def __init__(self, in_dim: int, out_dim: int, heads: int = 1, concat: bool = True) -> None:
        super().__init__()
        self.heads, self.concat = heads, concat
        self.width = out_dim // heads if concat else out_dim
        self.lift = Lift(in_dim, heads * self.width)
        self.att_src = nn.Parameter(torch.empty(heads, self.width))
        self.att_dst = nn.Parameter(torch.empty(heads, self.width))
        self.bias = nn.Parameter(torch.zeros(heads * self.width if concat else self.width))
        nn.init.xavier_uniform_(self.att_src)
        nn.init.xavier_uniform_(self.att_dst)

    def forward(self, x: FeatureMatrix | Tensor, step: Step) -> Tensor:
        h = self.lift(x, step).view(-1, self.heads, self.width)  # (N, H, F)
        out = attend(
            h,
            (h * self.att_src).sum(dim=2),
            (h * self.att_dst).sum(dim=2),
            step.topology,
            hidden_edges=step.hidden_edges,
            dropout=step.attention_dropout,
            generator=step.generator,
        )
        return (out.flatten(1) if self.concat else out.mean(dim=1)) + self.bias


class GATv2Layer(nn.Module):
    """Graph attention with scores a . LeakyReLU(W_l x_i + W_r x_j) (Brody et al. 2022).

    The scores need both ends of each edge at full width; they are made head by head and made again
    in the backward pass, so that one head's edges x width is the most that is ever held.
    """

    def __init__(self, in_dim: int, out_dim: int, heads: int = 1, concat: bool = True) -> None:
        super().__init__()
        self.heads, self.concat = heads, concat
        self.width = out_dim // heads if concat else out_dim
        self.lift_src = Lift(in_dim, heads * self.width)
        self.lift_dst = Lift(in_dim, heads * self.width)
        self.att = nn.Parameter(torch.empty(heads, self.width))
        self.bias = nn.Parameter(torch.zeros(heads * self.width if concat else self.width))
        nn.init.xavier_uniform_(self.att)

    def forward(self, x: FeatureMatrix | Tensor, step: Step) -> Tensor:
        from torch.utils.checkpoint import checkpoint

        n = step.topology.num_nodes
        sent = self.lift_src(x, step).view(n, self.heads, self.width)
        received = self.lift_dst(x, step).view(n, self.heads, self.width)
        keep = keep_entries(step.topology, step.hidden_edges).bool()
        loops = torch.arange(n, device=sent.device)
        dst = torch.cat([step.topology.rows[keep], loops])
        src = torch.cat([step.topology.cols[keep], loops])
        heads = []
        for k in range(self.heads):
            kept = None
            if step.attention_dropout > 0:
                drawn = torch.rand(len(dst), generator=step.generator, device=sent.device)
                kept = (drawn >= step.attention_dropout).float() / (1 - step.attention_dropout)
            heads.append(
                checkpoint(
                    _attend_v2, sent[:, k], received[:, k], self.att[k], dst, src, kept,
                    use_reentrant=False,
                )
            )  # fmt: skip
        out = torch.stack(heads, dim=1)  # (N, H, F)
        return (out.flatten(1) if self.concat else out.mean(dim=1)) + self.bias


def _attend_v2(
    sent: Tensor, received: Tensor, att: Tensor, dst: Tensor, src: Tensor, kept: Tensor | None
) -> Tensor:
    """One head: (N, F) of what was sent, weighed by a softmax over each node's senders."""
    n = len(sent)
    score = nn.functional.leaky_relu(received[dst] + sent[src], 0.2) @ att  # (E,)
    top = score.detach().new_full((n,), -torch.inf).scatter_reduce(0, dst, score.detach(), "amax")
    weight = (score - top[dst]).exp()
    alpha = weight / torch.zeros_like(top).index_add(0, dst, weight)[dst]
    if kept is not None:
        alpha = alpha * kept
    return torch.zeros_like(sent).index_add(0, dst, alpha.unsqueeze(1) * sent[src])


class GCNLayer(nn.Module):
    """Graph convolution (Kipf and Welling 2017): D^-1/2 (A + I) D^-1/2 X W + b."""

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.lift = Lift(in_dim, out_dim)
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x: FeatureMatrix | Tensor, step: Step) -> Tensor:
        values, own = gcn_values(step.topology, step.hidden_edges)
        return propagate(self.lift(x, step), step.topology, values, own) + self.bias


class SAGELayer(nn.Module):
    """GraphSAGE with mean aggregation (Hamilton et al. 2017): mean_j x_j W_l + x_i W_r + b."""

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.lift = Lift(in_dim, out_dim)
        self.lift_self = Lift(in_dim, out_dim)
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x: FeatureMatrix | Tensor, step: Step) -> Tensor:
        values = mean_values(step.topology, step.hidden_edges)
        gathered = propagate(self.lift(x, step), step.topology, values, None)
        return gathered + self.lift_self(x, step) + self.bias


class GINLayer(nn.Module):
    """Graph isomorphism layer (Xu et al. 2019): MLP((1 + eps) x_i + sum_j x_j).

    The MLP's first linear map is applied before the sum, with which it commutes.
    """

    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.lift = Lift(in_dim, out_dim)
        self.eps = nn.Parameter(torch.zeros(()))
        self.bias = nn.Parameter(torch.zeros(out_dim))
        self.second = Linear(out_dim, out_dim)

    def forward(self, x: FeatureMatrix | Tensor, step: Step) -> Tensor:
        h = self.lift(x, step)
        values = sum_values(step.topology, step.hidden_edges)
        summed = propagate(h, step.topology, values, None) + (1 + self.eps) * h
        out: Tensor = self.second(torch.relu(summed + self.bias))
        return out
