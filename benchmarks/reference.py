"""The method written plainly, as one would from the paper with PyTorch Geometric.

Dense features, GATConv, dense n x n similarities that autograd keeps, one term after the other in a
Python loop. Nothing is wasted on purpose: what carries no gradient is not kept, nothing is computed
twice. It is what the library is measured against, and tests/benchmarks/test_reference.py holds the
two to the same loss and the same gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv

Subset = tuple[int, ...]
SUBSETS: tuple[Subset, ...] = ((0,), (1,), (0, 1))


class Reference(nn.Module):
    """Encoder, projectors and loss for two targets.

    Args:
        num_features: D.
        dims: the widths of the two targets.
        weights: tilde-lambda by node type (E, F, B) for T1, T2 and both together.
    """

    def __init__(
        self,
        num_features: int,
        dims: Sequence[int],
        weights: Mapping[str, Sequence[float]],
        *,
        hidden_dim: int = 256,
        out_dim: int = 512,
        heads: int = 4,
        dropout: float = 0.6,
        attention_dropout: float = 0.6,
        norm_momentum: float = 0.99,
        tau: float = 0.7,
        symmetric: bool = False,
    ) -> None:
        super().__init__()
        self.weights, self.dropout, self.tau, self.symmetric = weights, dropout, tau, symmetric
        self.first = GATConv(num_features, hidden_dim // heads, heads, dropout=attention_dropout)
        self.norm = nn.BatchNorm1d(hidden_dim, momentum=norm_momentum)
        self.second = GATConv(hidden_dim, out_dim, 1, concat=False, dropout=attention_dropout)
        self.projectors = nn.ModuleList(
            nn.Sequential(
                nn.Linear(out_dim, 2 * out_dim), nn.BatchNorm1d(2 * out_dim), nn.ReLU(),
                nn.Linear(2 * out_dim, sum(dims[i] for i in subset)),
            )
            for subset in SUBSETS
        )  # fmt: skip

    def encode(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Z: (N, d)."""
        h = F.dropout(x, self.dropout, self.training)
        h = F.elu(self.norm(self.first(h, edge_index)))
        h = F.dropout(h, self.dropout, self.training)
        return F.elu(self.second(h, edge_index))

    def loss(
        self,
        x: Tensor,
        edge_index: Tensor,
        number: Tensor,
        targets: Sequence[Tensor],
        hidden_features: Tensor,
        hidden_edges: Tensor,
    ) -> Tensor:
        """The paper's loss for one draw of masks.

        Args:
            x: (N, D) dense features.
            edge_index: (2, 2M), both directions of every edge.
            number: (2M,) which of the M undirected edges each column is.
            targets: T1 and T2.
            hidden_features: (N,) bool, the feature rows that are masked.
            hidden_edges: (M,) bool, the edges that are masked.
        """
        gone = hidden_edges[number]  # (2M,)
        lost_edge = torch.zeros(len(x), dtype=torch.bool)
        lost_edge[edge_index[0, gone]] = True
        kinds = {
            "E": lost_edge & ~hidden_features,
            "F": ~lost_edge & hidden_features,
            "B": lost_edge & hidden_features,
        }
        z = self.encode(x * (~hidden_features).unsqueeze(1), edge_index[:, ~gone])
        masked = lost_edge | hidden_features
        total = z.new_zeros(())
        for k, (subset, projector) in enumerate(zip(SUBSETS, self.projectors, strict=True)):
            p = projector(z[masked])
            q = torch.cat([targets[i] for i in subset], dim=1)[masked]
            for letter, kind in kinds.items():
                own = kind[masked]
                if self.weights[letter][k] and own.sum() > 1:
                    bound = infonce(p[own], q[own], self.tau, self.symmetric)
                    total = total - self.weights[letter][k] * bound
        return total


def infonce(p: Tensor, q: Tensor, tau: float, symmetric: bool) -> Tensor:
    """Equations 4 and 5; from the target's side alone when not symmetric."""
    p, q = F.normalize(p), F.normalize(q)

    def anchored(a: Tensor, b: Tensor) -> Tensor:
        cross = torch.exp(a @ b.T / tau)  # (n, n)
        intra = torch.exp(a @ a.T / tau)
        below = cross.sum(1) + intra.sum(1) - intra.diagonal()
        return torch.log(cross.diagonal() / below)

    value = anchored(q, p)
    if symmetric:
        value = (value + anchored(p, q)) / 2
    return value.mean()


def train_epoch(
    model: Reference,
    optimizer: torch.optim.Optimizer,
    x: Tensor,
    edge_index: Tensor,
    number: Tensor,
    targets: Sequence[Tensor],
    mask_feature: float = 0.4,
    mask_edge: float = 0.4,
) -> float:
    """One draw of masks, one step of Adam."""
    model.train()
    hidden_features = torch.rand(len(x)) < mask_feature
    hidden_edges = torch.rand(int(number.max()) + 1) < mask_edge
    optimizer.zero_grad()
    loss = model.loss(x, edge_index, number, targets, hidden_features, hidden_edges)
    loss.backward()
    optimizer.step()
    return float(loss.detach())
