"""Random walks with node2vec's return parameter p and in-out parameter q.

Standing at ``v``, come from ``t``, the walk goes to the neighbour ``x`` of ``v`` with probability
proportional to ``w(v, x)`` times 1/p if ``x`` is ``t``, 1 if ``x`` is a neighbour of ``t``, and
1/q otherwise. Nothing is tabulated per edge: the way back is drawn apart, so that p never costs a
rejection; for q a neighbour is proposed and accepted or not, and where that would take long the
row is looked through and the step drawn from it.

Random numbers are a hash of (seed, walk, how many were drawn before): the walks are the same for
any number of threads.
"""

from __future__ import annotations

import numpy as np

from gigamae.targets.compiled import Team, kernel, share

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def random_walks(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray | None,
    starts: np.ndarray,
    length: int,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 0,
    *,
    team: Team | None = None,
) -> np.ndarray:
    """One walk from each of ``starts``: (W, length + 1) int32 node numbers.

    A walk on a node without neighbours stays there. Rows must be sorted and the graph
    undirected, as :class:`~gigamae.graph.graph.Graph` has them.

    Args:
        indptr, indices, weights: the graph in compressed rows; ``weights`` may be None.
        starts: (W,) the first node of each walk; repeat a node for several walks from it.
        length: steps, so that a walk has ``length + 1`` nodes.
        p: above 1 keeps the walk from stepping straight back.
        q: above 1 keeps the walk near where it comes from, below 1 sends it outward.
        seed: any whole number; the same seed gives the same walks for any number of threads.
        team: the threads to use; by default one for each core.

    Example:
        >>> random_walks(np.array([0, 1, 2]), np.array([1, 0]), None, np.array([0, 1]), 3)
        array([[0, 1, 0, 1],
               [1, 0, 1, 0]], dtype=int32)
    """
    indptr = np.ascontiguousarray(indptr, np.int64)
    indices = np.ascontiguousarray(indices, np.int32)
    starts = np.ascontiguousarray(starts, np.int32)
    sums = np.empty(0) if weights is None else running_sums(indptr, weights)
    walks = np.empty((len(starts), length + 1), np.int32)
    key = np.uint64(seed % 2**64)

    def work(member: int, members: int) -> None:
        low, high = share(len(starts), member, members)
        _walk(indptr, indices, sums, starts, 1.0 / p, 1.0 / q, key, low, high, walks)

    if team is not None:
        team.run(work)
    else:
        with Team() as own:
            own.run(work)
    return walks


def running_sums(indptr: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(2M,) float64, the weights summed up from the start of each row."""
    sums = np.empty(len(weights))
    _sum_rows(indptr, np.ascontiguousarray(weights, np.float32), sums)
    return sums


@kernel
def _sum_rows(indptr, weights, sums):  # type: ignore[no-untyped-def]
    for v in range(len(indptr) - 1):
        total = 0.0
        for e in range(indptr[v], indptr[v + 1]):
            total += weights[e]
            sums[e] = total


@kernel
def _hash(x):  # type: ignore[no-untyped-def]
    """The finaliser of splitmix64: every bit of the result depends on every bit of ``x``."""
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@kernel
def _unit(key, count):  # type: ignore[no-untyped-def]
    """Number ``count`` of the stream ``key``, uniform in [0, 1)."""
    bits = _hash(key + (count + np.uint64(1)) * _GOLDEN)
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@kernel
def _position(indices, low, high, x):  # type: ignore[no-untyped-def]
    """Where ``x`` stands, or would stand, in the sorted ``indices[low:high]``."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _weight(sums, low, e):  # type: ignore[no-untyped-def]
    if len(sums) == 0:
        return 1.0
    return sums[e] - sums[e - 1] if e > low else sums[e]


@kernel
def _entry(sums, low, high, goal):  # type: ignore[no-untyped-def]
    """The entry of the row in which the running sum passes ``goal``."""
    if len(sums) == 0:
        return min(low + np.int64(goal), high - 1)
    last = high - 1
    while low < last:
        middle = (low + last) >> 1
        if sums[middle] <= goal:
            low = middle + 1
        else:
            last = middle
    return low


@kernel
def _scan(indices, sums, low, high, other, end, t, out, limit):  # type: ignore[no-untyped-def]
    """Weight of the whole row low:high but the way back, near ones times 1, far ones times ``out``.

    Near are those found in the row other:end too. Stops at the entry where the sum passes
    ``limit``; returns the sum and that entry.
    """
    total = 0.0
    found = low
    hop = (high - low) * 16 < end - other  # a short row against a long one: look each entry up
    for e in range(low, high):
        x = indices[e]
        if x == t:
            continue
        if hop:
            other = _position(indices, other, end, x)
        else:
            while other < end and indices[other] < x:
                other += 1
        near = other < end and indices[other] == x
        found = e
        total += _weight(sums, low, e) * (1.0 if near else out)
        if total > limit:
            break
    return total, found


@kernel
def _step(indptr, indices, sums, t, v, back, out, key, count):  # type: ignore[no-untyped-def]
    """Where the walk goes from ``v``, come from ``t``; and how many numbers it has drawn by then."""
    low, high = indptr[v], indptr[v + 1]
    if high - low == 1:
        return t, count
    other, end = indptr[t], indptr[t + 1]
    home = _position(indices, low, high, t)
    before = np.float64(home - low) if len(sums) == 0 else (sums[home - 1] if home > low else 0.0)
    home_weight = _weight(sums, low, home)
    rest = np.float64(high - low - 1) if len(sums) == 0 else sums[high - 1] - home_weight
    bound, sure = max(1.0, out), min(1.0, out)
    back *= home_weight
    # A try costs about as much as looking at 32 entries; where few tries succeed, look at all.
    tries = (high - low + end - other) // 32 + (4 if out >= 0.25 else 0)
    for _ in range(tries):
        goal = _unit(key, count) * (bound * rest + back)
        dice = _unit(key, count + np.uint64(1)) * bound
        count += np.uint64(2)
        if goal >= bound * rest:
            return t, count
        goal /= bound
        if goal >= before:  # skip the way back
            goal += home_weight
        e = _entry(sums, low, high, goal)
        x = indices[e]
        if x == t:  # by rounding alone
            continue
        if dice < sure:
            return x, count
        place = _position(indices, other, end, x)
        near = place < end and indices[place] == x
        if dice < (1.0 if near else out):
            return x, count
    total, e = _scan(indices, sums, low, high, other, end, t, out, np.inf)
    goal = _unit(key, count) * (total + back)
    count += np.uint64(1)
    if goal >= total:
        return t, count
    total, e = _scan(indices, sums, low, high, other, end, t, out, goal)
    return indices[e], count


@kernel
def _walk(  # type: ignore[no-untyped-def]
    indptr, indices, sums, starts, back, out, seed, first, last, walks
):
    biased = back != 1.0 or out != 1.0
    for w in range(first, last):
        key = _hash(seed + (np.uint64(w) + np.uint64(1)) * _GOLDEN)
        count = np.uint64(0)
        v = starts[w]
        t = v
        walks[w, 0] = v
        for step in range(1, walks.shape[1]):
            low, high = indptr[v], indptr[v + 1]
            x = v
            if high > low and biased and step > 1:
                x, count = _step(indptr, indices, sums, t, v, back, out, key, count)
            elif high > low:
                whole = np.float64(high - low) if len(sums) == 0 else sums[high - 1]
                x = indices[_entry(sums, low, high, _unit(key, count) * whole)]
                count += np.uint64(1)
            walks[w, step] = x
            t, v = v, x
