"""Features: the input matrix as tensors, and its masked, dropped-out product with a weight.

The first layer computes diag(M^F) X W. Sparse features stay sparse: masking a row and dropping
an entry only scale the stored values, and entries that are zero stay zero under dropout.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from gigamae.model.csr import csr

#: Above this share of non-zeros a dense product is faster than a sparse one (docs/performance.md).
DENSE_ABOVE = 0.05
#: ... unless the dense matrix would take more than this many bytes.
DENSE_BYTES = 1 << 30


def stays_sparse(x: np.ndarray | sp.csr_matrix) -> bool:
    """Whether X is multiplied as a sparse matrix: it came as one, and is thin or huge enough."""
    if isinstance(x, np.ndarray):
        return False
    size = x.shape[0] * x.shape[1]
    return bool(x.nnz <= DENSE_ABOVE * size or 4 * size > DENSE_BYTES)


class FeatureMatrix:
    """X on a device, dense or CSR, ready for :meth:`project`.

    Args:
        x: (N, D) numpy array or SciPy CSR matrix.
        device: where the tensors live.
    """

    def __init__(self, x: np.ndarray | sp.csr_matrix, device: torch.device | str = "cpu") -> None:
        self.shape = (int(x.shape[0]), int(x.shape[1]))
        self.dense: Tensor | None = None
        if isinstance(x, np.ndarray):
            self.dense = torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).to(device)
        elif stays_sparse(x):
            self._keep_sparse(x, device)
        else:
            self.dense = torch.from_numpy(x.toarray().astype(np.float32, copy=False)).to(device)

    def _keep_sparse(self, x: sp.csr_matrix, device: torch.device | str) -> None:
        x = x.tocsr()
        self.values = torch.from_numpy(x.data.astype(np.float32)).to(device)
        self.crow = torch.from_numpy(x.indptr.astype(np.int64)).to(device)
        self.col = torch.from_numpy(x.indices.astype(np.int64)).to(device)
        self.row = torch.repeat_interleave(
            torch.arange(self.shape[0], device=device), self.crow.diff()
        )
        # The transpose for the backward pass: the same values in another order.
        turned = sp.csr_matrix((np.arange(x.nnz), x.indices, x.indptr), shape=x.shape).T.tocsr()
        self.t_order = torch.from_numpy(turned.data.astype(np.int64)).to(device)
        self.t_crow = torch.from_numpy(turned.indptr.astype(np.int64)).to(device)
        self.t_col = torch.from_numpy(turned.indices.astype(np.int64)).to(device)

    @property
    def is_sparse(self) -> bool:
        return self.dense is None

    @property
    def device(self) -> torch.device:
        return self.values.device if self.dense is None else self.dense.device

    def project(
        self,
        weight: Tensor,
        *,
        hidden: Tensor | None = None,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """dropout(diag(M^F) X) W: (N, out), for ``weight`` of shape (D, out).

        Args:
            weight: (D, out), takes gradients.
            hidden: (N,) bool, True where the feature row is masked; None masks nothing.
            dropout: probability with which an entry is dropped; the others are scaled up.
            generator: where dropout's random numbers come from.
        """
        if self.dense is not None:
            x = self.dense
            if dropout > 0:
                x = x * _keep_scale(x.shape, dropout, x.device, generator)
            if hidden is not None:
                # A row scaling of the product, not a masked copy of X.
                return (x @ weight) * (~hidden).to(weight.dtype).unsqueeze(1)
            return x @ weight
        values = self.values
        if dropout > 0:
            values = values * _keep_scale(values.shape, dropout, values.device, generator)
        if hidden is not None:
            values = values * (~hidden)[self.row]
        product: Tensor = _SparseTimesWeight.apply(weight, values, self)
        return product


def _keep_scale(
    shape: Any, dropout: float, device: torch.device, generator: torch.Generator | None
) -> Tensor:
    kept = torch.rand(shape, generator=generator, device=device) >= dropout
    return kept.to(torch.float32).div_(1.0 - dropout)


class _SparseTimesWeight(torch.autograd.Function):
    """X W for sparse X whose values change from step to step but take no gradient."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, values: Tensor, x: FeatureMatrix) -> Tensor:
        ctx.x = x
        ctx.save_for_backward(values)
        return csr(x.crow, x.col, values.to(weight.dtype), x.shape) @ weight

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        x: FeatureMatrix = ctx.x
        (values,) = ctx.saved_tensors
        turned = csr(x.t_crow, x.t_col, values[x.t_order].to(grad.dtype), (x.shape[1], x.shape[0]))
        return turned @ grad.contiguous(), None, None
