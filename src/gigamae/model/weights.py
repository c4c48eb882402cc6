"""Weights: how much of which knowledge a node of each type should learn.

The paper states its loss twice. In terms of knowledge (equation 12), lambda weighs what S knows of
T_1 alone, of T_2 alone, and of both in common. In terms of what InfoNCE can estimate (equation 14),
tilde-lambda multiplies I(S; T_1), I(S; T_2) and I(S; T_1, T_2). The two are one linear map apart:
knowledge that is known to exactly the targets in ``a`` is counted by every term whose subset ``s``
shares a target with ``a``, so

    lambda_a = sum over s with s & a of tilde_lambda_s.

For two targets this gives the paper's tilde_1 = l_3 - l_2, tilde_2 = l_3 - l_1,
tilde_3 = l_1 + l_2 - l_3, each of which must not be negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from gigamae.errors import SettingsError

Subset = tuple[int, ...]

#: Term weights by node type for a structural, an attribute and a joint subset of targets: the
#: paper's appendix table, read as it is headed (as tilde-lambdas).
DEFAULT_TERM_WEIGHTS = {
    "E": {"structure": 5.0, "attributes": 2.0, "both": 6.0},
    "F": {"structure": 2.0, "attributes": 5.0, "both": 6.0},
    "B": {"structure": 1.0, "attributes": 1.0, "both": 3.0},
}


def subsets(num_targets: int, max_order: int | None = None) -> list[Subset]:
    """Every non-empty subset of the targets up to ``max_order``, small ones first (equation 16).

    Example:
        >>> subsets(2)
        [(0,), (1,), (0, 1)]
    """
    order = num_targets if max_order is None else min(max_order, num_targets)
    return [s for k in range(1, order + 1) for s in combinations(range(num_targets), k)]


def term_from_knowledge(knowledge: Sequence[float], num_targets: int) -> list[float]:
    """tilde-lambdas from lambdas, both in the order of :func:`subsets`.

    Example:
        >>> term_from_knowledge([5, 2, 6], 2)
        [4.0, 1.0, 1.0]
    """
    solved = np.linalg.solve(_shares(num_targets), np.asarray(knowledge, dtype=np.float64))
    return [float(round(v, 9)) + 0.0 for v in solved]


def knowledge_from_term(term: Sequence[float], num_targets: int) -> list[float]:
    """lambdas from tilde-lambdas, the inverse of :func:`term_from_knowledge`.

    Example:
        >>> knowledge_from_term([4, 1, 1], 2)
        [5.0, 2.0, 6.0]
    """
    return [float(v) for v in _shares(num_targets) @ np.asarray(term, dtype=np.float64)]


def _shares(num_targets: int) -> np.ndarray:
    every = subsets(num_targets)
    return np.array([[float(bool(set(a) & set(s))) for s in every] for a in every])


def default_term_weights(modalities: Sequence[str], max_order: int | None = None) -> dict[str, list[float]]:
    """Weights by node type, from what each subset's targets carry.

    A subset of structural targets is weighed as structure, one of attribute targets as attributes,
    every other as joint knowledge: so nodes that lost edges learn structure first, nodes that lost
    features attributes first, and nodes that lost both what is common.
    """
    result: dict[str, list[float]] = {}
    for letter, by_kind in DEFAULT_TERM_WEIGHTS.items():
        row = []
        for s in subsets(len(modalities), max_order):
            kinds = {modalities[i] for i in s}
            row.append(by_kind[kinds.pop() if len(kinds) == 1 else "both"])
        result[letter] = row
    return result


def one_term_weights() -> dict[str, dict[Subset, float]]:
    """One term, of the same weight for every node type: for targets that were integrated naively.

    Example:
        >>> one_term_weights()["E"]
        {(0,): 1.0}
    """
    return {letter: {(0,): 1.0} for letter in DEFAULT_TERM_WEIGHTS}


def resolve_term_weights(
    modalities: Sequence[str],
    *,
    term_weights: Mapping[str, Sequence[float]] | None = None,
    knowledge_weights: Mapping[str, Sequence[float]] | None = None,
    max_order: int | None = None,
    allow_negative: bool = False,
) -> dict[str, dict[Subset, float]]:
    """The tilde-lambda of every node type and subset, from whichever way it was told.

    Args:
        modalities: of the targets, in order.
        term_weights: tilde-lambdas by node type E, F, B in the order of :func:`subsets`.
        knowledge_weights: lambdas likewise; at most one of the two.
        max_order: the largest subset that gets a term.
        allow_negative: let a tilde-lambda below zero pass (the release's reading of V^B has one).

    Raises:
        SettingsError: both were given, an unknown node type, a wrong count, or an inequality broken.
    """
    n = len(modalities)
    if term_weights is not None and knowledge_weights is not None:
        raise SettingsError("Give term_weights (tilde-lambdas) or knowledge_weights (lambdas), not both.")
    told = term_weights if term_weights is not None else knowledge_weights
    name = "term_weights" if term_weights is not None else "knowledge_weights"
    default = default_term_weights(modalities, max_order)
    if told is None:
        rows = default
    else:
        _check_told(told, name, n, None if name == "knowledge_weights" else max_order)
        rows = dict(default)
        for letter, row in told.items():
            values = [float(v) for v in row]
            rows[letter] = term_from_knowledge(values, n) if name == "knowledge_weights" else values
    every = subsets(n, None if name == "knowledge_weights" and told else max_order)
    kept = set(subsets(n, max_order))
    resolved: dict[str, dict[Subset, float]] = {}
    for letter, row in rows.items():
        pairs = dict(zip(every if len(row) == len(every) else subsets(n, max_order), row, strict=True))
        if not allow_negative:
            _refuse_negative(letter, pairs, n, told if name == "knowledge_weights" else None)
        resolved[letter] = {s: w for s, w in pairs.items() if s in kept}
    return resolved


def _check_told(told: Mapping[str, Sequence[float]], name: str, n: int, max_order: int | None) -> None:
    unknown = sorted(set(told) - set(DEFAULT_TERM_WEIGHTS))
    if unknown:
        raise SettingsError(f"{name}: unknown node type {unknown[0]!r}; the types are E, F and B.")
    expected = len(subsets(n, max_order))
    for letter, row in told.items():
        if len(row) != expected:
            raise SettingsError(
                f"{name}[{letter!r}] has {len(row)} numbers; {n} targets need {expected} "
                "(each target alone, then each larger subset)."
            )
        if not all(np.isfinite(float(v)) for v in row):
            raise SettingsError(f"{name}[{letter!r}] must be finite numbers; got {list(row)}.")


def _refuse_negative(
    letter: str, pairs: Mapping[Subset, float], n: int, knowledge: Mapping[str, Sequence[float]] | None
) -> None:
    for s, weight in pairs.items():
        if weight >= 0:
            continue
        broken = f"tilde-lambda of targets {[i + 1 for i in s]} is {weight:g}"
        if knowledge is not None and n == 2:
            rule = {
                (0,): "lambda_3 >= lambda_2",
                (1,): "lambda_3 >= lambda_1",
                (0, 1): "lambda_1 + lambda_2 >= lambda_3",
            }[s]
            broken = f"{rule} is broken by {list(knowledge.get(letter, []))}, so the {broken}"
        raise SettingsError(
            f"Weights of V^{letter}: {broken}. The paper asks for tilde-lambda >= 0; change the "
            "weights, or set allow_negative_weights to run it all the same."
        )
