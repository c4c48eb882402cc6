"""Link prediction: inner products of embeddings against the edges that training never saw."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np

from gigamae.errors import InputError, SettingsError
from gigamae.evaluate.inputs import as_embeddings
from gigamae.evaluate.result import LinksResult, Score

CHUNK = 1 << 15  # pairs scored at a time


class LinkPairs(Protocol):
    """What a split must have: (K, 2) node pairs, true edges and true non-edges."""

    @property
    def val_pos(self) -> np.ndarray: ...

    @property
    def val_neg(self) -> np.ndarray: ...

    @property
    def test_pos(self) -> np.ndarray: ...

    @property
    def test_neg(self) -> np.ndarray: ...


def links(z: Any, split: LinkPairs, *, part: Literal["val", "test"] = "test") -> LinksResult:
    """AUC and average precision of the inner product on one part of a split.

    Embed with the training edges of the split alone; choose epochs and settings with
    ``part="val"``, and look at ``part="test"`` once.

    Args:
        z: (N, d) embeddings of all nodes.
        split: has ``val_pos``, ``val_neg``, ``test_pos``, ``test_neg``, each (K, 2) node numbers.

    Raises:
        InputError: a part without pairs, or a pair that names a node without embedding.

    Example:
        >>> from types import SimpleNamespace
        >>> split = SimpleNamespace(test_pos=[[0, 1]], test_neg=[[0, 2]])
        >>> links(np.array([[1.0, 0], [1, 0], [0, 1]]), split).auc.mean
        1.0
    """
    if part not in ("val", "test"):
        raise SettingsError(f"part must be 'val' or 'test'; got {part!r}.")
    z = as_embeddings(z)
    positive = link_scores(z, getattr(split, f"{part}_pos"))
    negative = link_scores(z, getattr(split, f"{part}_neg"))
    if not len(positive) or not len(negative):
        raise InputError(
            f"Links: the {part} part has {len(positive)} edges and {len(negative)} non-edges; "
            "both are needed. Give that part a larger share of the edges."
        )
    return LinksResult(
        auc=Score.of(auc(positive, negative)),
        ap=Score.of(average_precision(positive, negative)),
        part=part,
    )


def link_scores(z: Any, pairs: Any) -> np.ndarray:
    """(K,) float64 inner products of the embeddings of each pair, a block of pairs at a time."""
    z = as_embeddings(z)
    pairs = np.asarray(pairs)
    if pairs.size == 0:
        return np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(f"Pairs must be whole numbers of shape (K, 2); got {pairs.dtype} of {pairs.shape}.")
    outside = ((pairs < 0) | (pairs >= len(z))).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        raise InputError(
            f"Pair {row} is {pairs[row].tolist()}, but there are embeddings of nodes "
            f"0..{len(z) - 1} only; embed every node of the graph that was split."
        )
    scores = np.empty(len(pairs))
    for low in range(0, len(pairs), CHUNK):
        u, v = pairs[low : low + CHUNK].T
        scores[low : low + CHUNK] = np.einsum("ij,ij->i", z[u], z[v], dtype=np.float64)
    return scores


def auc(positive: np.ndarray, negative: np.ndarray) -> float:
    """The share of (positive, negative) pairs in the right order; a tie counts half. Exact.

    Example:
        >>> auc(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
        0.875
    """
    ranked = np.sort(negative)
    below = np.searchsorted(ranked, positive, side="left").sum()
    up_to = np.searchsorted(ranked, positive, side="right").sum()
    return float((below + up_to) / (2 * len(positive) * len(negative)))


def average_precision(positive: np.ndarray, negative: np.ndarray) -> float:
    """Mean over the positives of the precision at their score; equal scores enter together.

    Example:
        >>> average_precision(np.array([0.9, 0.2]), np.array([0.5, 0.1]))
        0.8333333333333333
    """
    positives, negatives = np.sort(positive), np.sort(negative)
    hits = len(positives) - np.searchsorted(positives, positives, side="left")
    false = len(negatives) - np.searchsorted(negatives, positives, side="left")
    return float((hits / (hits + false)).mean())
