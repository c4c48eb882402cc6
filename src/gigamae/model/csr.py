"""Sparse matrices in compressed rows, for torch."""

from __future__ import annotations

import functools
import warnings

import torch
from torch import Tensor


def csr(indptr: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    """A matrix in compressed rows, taken at its word: nothing is checked, as it is made in every step."""
    _silence()
    return torch.sparse_csr_tensor(indptr, columns, values, size=size, check_invariants=False)


@functools.cache
def _silence() -> None:
    """Let torch say, once and unheard, that such matrices are in beta: nobody could act on it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        torch.sparse_csr_tensor(torch.zeros(2, dtype=torch.long), torch.zeros(0, dtype=torch.long),
                                torch.zeros(0), size=(1, 1))  # fmt: skip
