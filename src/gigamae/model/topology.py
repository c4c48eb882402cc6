"""Topology: a graph's edges as tensors, laid out once so that every epoch only reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gigamae.graph.graph import Graph


@dataclass(frozen=True)
class Topology:
    """Compressed rows of a symmetric graph, with what masking and backward passes need.

    Attributes:
        indptr: (N + 1,) int64 row starts.
        cols: (2M,) int64 neighbours, sorted within a row.
        rows: (2M,) int64 the row of each entry.
        reverse: (2M,) int64 where the entry (j, i) stands for the entry (i, j).
        undirected: (2M,) int64 the number in 0..M-1 of the undirected edge of each entry.
        weights: (2M,) float32 edge weights, or None.
    """

    indptr: Tensor
    cols: Tensor
    rows: Tensor
    reverse: Tensor
    undirected: Tensor
    weights: Tensor | None = None

    @classmethod
    def of(cls, graph: Graph, device: torch.device | str = "cpu") -> Topology:
        """The topology of ``graph`` on ``device``."""
        rows, cols, n = graph.rows, graph.indices, graph.num_nodes
        # Entries are sorted by (row, col); sorted by (col, row) the k-th entry is its reverse.
        reverse = np.argsort(cols * n + rows, kind="stable")
        upper = rows < cols
        undirected = np.empty(len(cols), dtype=np.int64)
        undirected[upper] = np.arange(int(upper.sum()))
        undirected[~upper] = undirected[reverse[~upper]]

        def tensor(array: np.ndarray) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        return cls(
            indptr=tensor(graph.indptr),
            cols=tensor(cols),
            rows=tensor(rows),
            reverse=tensor(reverse),
            undirected=tensor(undirected),
            weights=None if graph.weights is None else tensor(graph.weights),
        )

    @property
    def num_nodes(self) -> int:
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Undirected edges, M."""
        return len(self.cols) // 2

    @property
    def device(self) -> torch.device:
        return self.indptr.device
