"""node2vec written plainly in torch: what the library's own kernels are measured against.

Uniform random walks made by vectorised indexing, every window of a walk one row of positives,
``negatives`` walks of uniformly random nodes for each true one, one embedding table trained by
SparseAdam on ``-log sigmoid(pos) - log(1 - sigmoid(neg))``, each term a mean.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from gigamae.graph.graph import Graph


def uniform_walks(
    indptr: Tensor, indices: Tensor, starts: Tensor, length: int, generator: torch.Generator
) -> Tensor:
    """(W, length + 1) node numbers; a walk that stands on an isolated node stays there."""
    walks = torch.empty(len(starts), length + 1, dtype=torch.long)
    walks[:, 0] = here = starts
    for step in range(length):
        degree = indptr[here + 1] - indptr[here]
        chosen = (torch.rand(len(here), generator=generator) * degree).long()
        chosen = torch.minimum(chosen, (degree - 1).clamp(min=0))
        place = (indptr[here] + chosen).clamp(max=max(len(indices) - 1, 0))
        here = torch.where(degree > 0, indices[place], here) if len(indices) else here
        walks[:, step + 1] = here
    return walks


def windows(walks: Tensor, context_size: int) -> Tensor:
    """Every run of ``context_size`` nodes of each walk: (W * (length + 2 - context), context)."""
    return walks.unfold(1, context_size, 1).reshape(-1, context_size)


def reference_node2vec(
    graph: Graph,
    dim: int,
    walk_length: int,
    context_size: int,
    walks_per_node: int,
    epochs: int,
    negatives: int,
    learning_rate: float,
    seed: int,
    batch_size: int = 128,
) -> np.ndarray:
    """The (N, dim) float32 table after ``epochs`` passes, p = q = 1, edges unweighted."""
    generator = torch.Generator().manual_seed(seed)
    n = graph.num_nodes
    indptr, indices = torch.from_numpy(graph.indptr), torch.from_numpy(graph.indices)
    table = torch.nn.Embedding(n, dim, sparse=True)
    torch.nn.init.normal_(table.weight, generator=generator)
    optimizer = torch.optim.SparseAdam(list(table.parameters()), lr=learning_rate)

    def scores(rows: Tensor) -> Tensor:  # first node of each window with each of the others
        return (table(rows[:, :1]) * table(rows[:, 1:])).sum(dim=-1)

    for _ in range(epochs):
        for batch in torch.randperm(n, generator=generator).split(batch_size):
            starts = batch.repeat(walks_per_node)
            walks = uniform_walks(indptr, indices, starts, walk_length, generator)
            fake = torch.randint(n, (len(starts) * negatives, walk_length), generator=generator)
            fake = torch.cat([starts.repeat(negatives).unsqueeze(1), fake], dim=1)
            positive = -logsigmoid(scores(windows(walks, context_size))).mean()
            negative = -logsigmoid(-scores(windows(fake, context_size))).mean()
            optimizer.zero_grad()
            (positive + negative).backward()
            optimizer.step()
    return table.weight.detach().numpy().copy()
