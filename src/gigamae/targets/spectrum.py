"""The leading eigenpairs of a Gram matrix: all of them when it is small, else by block Lanczos."""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch
from torch import Tensor

from gigamae.errors import MemoryLimitError
from gigamae.targets.centred import Centred

log = logging.getLogger(__name__)

DENSE_SIDE = 1_500  # up to here the whole decomposition takes under a second
LARGEST_SIDE = 20_000  # a dense Gram matrix of this side takes 3 GiB, its eigenvectors 10 GiB more
LANCZOS_SHARE = 0.35  # of the spectrum; above it the dense decomposition is the faster one
_BLOCK = 32
_CONVERGED = 1e-9  # residual of an eigenpair, as a share of the largest eigenvalue

#: How many of these descending eigenvalues to keep; more than are given: find more first.
Choose = Callable[[Tensor], int]


def dense_gram(x: Centred) -> Tensor:
    """The smaller Gram matrix, or a plain refusal where its decomposition would not fit."""
    if x.side > LARGEST_SIDE:
        raise MemoryLimitError(
            f"PCA: so many components of {x.shape[0]:,} x {x.shape[1]:,} features need a dense "
            f"{x.side:,} x {x.side:,} matrix, decomposed in {32 * x.side**2 / 2**30:.0f} GiB. "
            "Give k, max_components, or a smaller ratio with criterion='variance'."
        )
    return x.gram()


def eigenvalues(x: Centred) -> Tensor:
    """All of them, descending, exact: 4/3 side^3 operations and 16 side^2 bytes."""
    return torch.linalg.eigvalsh(dense_gram(x)).flip(0).clamp_(min=0)


def leading_eigenpairs(
    x: Centred, choose: Choose, *, about: int | None = None, seed: int = 0
) -> tuple[Tensor, Tensor]:
    """The eigenpairs that ``choose`` wants: ((k,) descending values, (side, k) vectors).

    Args:
        x: the matrix, by its products.
        choose: from descending eigenvalues, how many to keep.
        about: how many that will be, where it is known.
        seed: of the starting block; the result does not depend on it beyond rounding.
    """
    if x.side > DENSE_SIDE:
        found = block_lanczos(x.gram_times, x.side, choose, about=about, seed=seed)
        if found is not None:
            return found
        log.info("PCA: a large share of the spectrum is wanted; decomposing the whole matrix.")
    values, vectors = torch.linalg.eigh(dense_gram(x))
    values = values.flip(0).clamp_(min=0)
    k = min(choose(values), x.side)
    return values[:k], vectors[:, x.side - k :].flip(1)


def block_lanczos(
    apply: Callable[[Tensor], Tensor],
    side: int,
    choose: Choose,
    *,
    about: int | None = None,
    seed: int = 0,
) -> tuple[Tensor, Tensor] | None:
    """Leading eigenpairs of a symmetric matrix known by its products; None if too many are wanted.

    A Krylov basis grows by blocks, orthogonalised in full in float64 and never restarted, until the
    eigenpairs that ``choose`` wants have residuals below 1e-9 of the largest eigenvalue. Blocks,
    because thin matrix products run at the speed of large ones.

    Memory: 16 * k * side bytes and more (the basis is two to three times k wide).
    """
    most = int(LANCZOS_SHARE * side)
    if about is not None and about > most:
        return None
    block, largest = min(_BLOCK, side), min(2 * most + 8 * _BLOCK, side)
    generator = torch.Generator().manual_seed(seed)

    def random_block() -> Tensor:
        return torch.randn(side, block, generator=generator, dtype=torch.float64)

    basis = torch.empty(largest, side, dtype=torch.float64)  # rows; memory is touched as they fill
    small = torch.empty(largest, largest, dtype=torch.float64)  # upper triangle: the matrix in it
    newest = torch.linalg.qr(random_block())[0]
    m, look = 0, 8 * block if about is None else max(int(2.5 * about), 4 * block)
    while m + block <= largest:
        basis[m : m + block] = newest.T
        m += block
        known = basis[:m]
        image = apply(newest)
        small[:m, m - block : m] = _remove(image, known, 2 * block)
        newest, coupling = _orthonormal(image)
        if m >= look or m + block > largest:
            upper = small[:m, :m].triu()
            values, inner = torch.linalg.eigh(upper + upper.triu(1).T)
            values, inner = values.flip(0).clamp_(min=0), inner.flip(1)
            k = choose(values)
            missing = (coupling @ inner[m - block :, :k]).norm(dim=0)  # (k,) residuals
            if k <= m and bool((missing <= _CONVERGED * values[0]).all()):
                return values[:k], known.T @ inner[:, :k]
            if about is None:
                about = choose(_spectrum_at_large(values, inner[:block], side))
                if about > most:
                    return None
                look = max(int(2.5 * about), m + 2 * block)
            else:
                look = int(1.1 * m)
        scale = float(small[:m, :m].diagonal().max())
        weak = coupling.norm(dim=1) <= 1e-10 * scale
        if bool(weak.any()):  # an invariant subspace: what remains of these columns is rounding
            newest[:, weak] = random_block()[:, weak]
            for _ in range(2):
                newest = torch.linalg.qr(newest - known.T @ (known @ newest))[0]
    return None


def _remove(image: Tensor, known: Tensor, recent: int) -> Tensor:
    """Take the part of ``image`` that lies in ``known`` out of it, in place; its coordinates (m, b).

    In exact arithmetic all of it lies in the last two blocks, which go first; the rest is what
    rounding let in. Repeated while much is found, for then little precision was left.
    """
    found = known.new_zeros(len(known), image.shape[1])
    found[-recent:] = known[-recent:] @ image
    image.addmm_(known[-recent:].T, found[-recent:], alpha=-1)
    for _ in range(3):
        before = image.norm(dim=0)
        more = known @ image
        image.addmm_(known.T, more, alpha=-1)
        found += more
        if bool((image.norm(dim=0) >= 0.7 * before).all()):
            break
    return found


def _orthonormal(columns: Tensor) -> tuple[Tensor, Tensor]:
    """Q, R with Q R = columns, Q orthonormal, the rows of R in descending length (by SVD)."""
    q, r = torch.linalg.qr(columns)
    u, s, vt = torch.linalg.svd(r)
    return q @ u, s[:, None] * vt


def _spectrum_at_large(values: Tensor, start: Tensor, side: int) -> Tensor:
    """About where all ``side`` eigenvalues lie, from a small Krylov basis (Gauss quadrature).

    ``start`` (block, m) has the components of the random starting block in the Ritz vectors: the
    share of all eigenvalues near a Ritz value is the mean square of those.
    """
    upto = (start.square().mean(0).cumsum(0) * side).round().long().clamp(max=side)
    return values.repeat_interleave(upto.diff(prepend=upto.new_zeros(1)))
