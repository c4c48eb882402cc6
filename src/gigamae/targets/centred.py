"""Features minus their column means, known by their products alone: a sparse matrix stays sparse."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    import torch

    from gigamae.graph.graph import Features

_BLOCK = 4 * 2**20  # entries of a dense block: 32 MiB in float64
_SPARSE_COST = 40  # one multiplication of a sparse-sparse product costs as much as 40 dense ones


def torch_csr(matrix: sp.csr_matrix) -> torch.Tensor:
    """The same CSR matrix for torch, whose products use every core (SciPy's use one)."""
    import torch

    with warnings.catch_warnings():  # 'sparse CSR is in beta': nothing a caller could act on
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr),
            torch.from_numpy(matrix.indices),
            torch.from_numpy(matrix.data),
            size=matrix.shape,
            check_invariants=False,
        )


class Centred:
    """X - 1 mean^T in float64, never formed as a whole.

    Attributes:
        shape: (N, D).
        mean: (D,) column means.
        total: the sum of all squares, N times the total variance.
        side: min(N, D), the side of the smaller of X X^T and X^T X.
        noise: eigenvalues of the Gram matrix below this cannot be told from rounding.
    """

    def __init__(self, x: Features) -> None:
        self.x = x
        self.shape: tuple[int, int] = (int(x.shape[0]), int(x.shape[1]))
        self.side = min(self.shape)
        n = self.shape[0]
        if not isinstance(x, np.ndarray):
            wide = x.astype(np.float64).tocsr()
            self.mean = np.asarray(wide.sum(axis=0)).ravel() / n
            self.total = max(float(wide.data @ wide.data - n * self.mean @ self.mean), 0.0)
            self._x, self._xt = torch_csr(wide), torch_csr(wide.T.tocsr())
        else:
            self.mean = x.mean(axis=0, dtype=np.float64)
            self.total = sum(float((block**2).sum()) for _, block in self._row_blocks())
        # Sparse rows are centred by subtracting products, dense ones before any product.
        lost = self.precision ** (1 if sp.issparse(x) else 2)
        self.noise = float(n * self.mean @ self.mean) * lost

    @property
    def precision(self) -> float:
        """What rounding leaves of 1 in a product over the longer side."""
        return float(np.finfo(np.float64).eps) * max(self.shape)

    @property
    def is_constant(self) -> bool:
        return self.total <= self.noise

    def _row_blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Dense centred rows, a block at a time."""
        step = max(_BLOCK // self.shape[1], 1)
        for start in range(0, self.shape[0], step):
            rows = slice(start, min(start + step, self.shape[0]))
            block = self.x[rows] if isinstance(self.x, np.ndarray) else self.x[rows].toarray()
            yield rows, block.astype(np.float64) - self.mean

    def _column_blocks(self) -> Iterator[np.ndarray]:
        """Dense centred columns, a block at a time: (N, b)."""
        step = max(_BLOCK // self.shape[0], 1)
        x = self.x if isinstance(self.x, np.ndarray) else self.x.tocsc()
        for start in range(0, self.shape[1], step):
            block = x[:, start : start + step]
            block = block if isinstance(block, np.ndarray) else block.toarray()
            yield block.astype(np.float64) - self.mean[start : start + step]

    def times(self, v: torch.Tensor) -> torch.Tensor:
        """(N, b) = (X - 1 mean^T) V for V of shape (D, b)."""
        import torch

        if sp.issparse(self.x):
            return (self._x @ v).sub_(torch.from_numpy(self.mean) @ v)
        out = v.new_empty(self.shape[0], v.shape[1])
        for rows, block in self._row_blocks():
            torch.mm(torch.from_numpy(block), v, out=out[rows])
        return out

    def transposed_times(self, u: torch.Tensor) -> torch.Tensor:
        """(D, b) = (X - 1 mean^T)^T U for U of shape (N, b)."""
        import torch

        if sp.issparse(self.x):
            return (self._xt @ u).sub_(torch.outer(torch.from_numpy(self.mean), u.sum(0)))
        out = u.new_zeros(self.shape[1], u.shape[1])
        for rows, block in self._row_blocks():
            out.addmm_(torch.from_numpy(block).T, u[rows])
        return out

    def gram_times(self, v: torch.Tensor) -> torch.Tensor:
        """The smaller Gram matrix times V, (side, b), through two thin products."""
        if self.shape[1] <= self.shape[0]:
            return self.transposed_times(self.times(v))
        return self.times(self.transposed_times(v))

    def gram(self) -> torch.Tensor:
        """The smaller of X^T X (D, D) and X X^T (N, N), centred, dense: 8 side^2 bytes."""
        import torch

        n, d = self.shape
        by_columns = d <= n
        if not isinstance(self.x, np.ndarray):
            x = self.x.astype(np.float64).tocsr()
            inner = x if by_columns else x.T.tocsr()
            filled = np.diff(inner.indptr).astype(np.float64)
            if _SPARSE_COST * float(filled @ filled) < float(n) * d * self.side:
                full = torch.from_numpy((inner.T @ inner).toarray())
                mean = torch.from_numpy(self.mean)
                if by_columns:
                    return full.addr_(mean, mean, alpha=-n)
                row = torch.from_numpy(x @ self.mean)  # (N,) x_i . mean
                return full.sub_(row).sub_(row[:, None]).add_(mean @ mean)
        full = torch.zeros(self.side, self.side, dtype=torch.float64)
        if by_columns:
            for _, block in self._row_blocks():
                full.addmm_(torch.from_numpy(block).T, torch.from_numpy(block))
        else:
            for block in self._column_blocks():
                full.addmm_(torch.from_numpy(block), torch.from_numpy(block).T)
        return full
