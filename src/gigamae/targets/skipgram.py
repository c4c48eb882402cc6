"""Skip-gram with negative sampling over walks: one table of vectors, many small matrix products.

For nodes u, v that stand less than ``window`` apart in a walk, the loss is

    -log sigmoid(z_u . z_v) - n * E_x log sigmoid(-z_u . z_x),    x drawn at random,

the one of node2vec with one table for both roles. Three things make it fast. The negatives are
drawn once for a chunk of walks and shared by all its nodes, so that scores and gradients are small
matrix products of rows that stay in the cache. A batch of walks reads the table as it was before the
batch, so that threads need not wait for each other. And a row moves by Adagrad with one number of
memory, not by Adam with two rows.

A batch has two passes: gradients by walk, then updates by row, in the order of the walks. Each
thread owns some chunks in the first and some rows in the second, so the result is the same, to the
bit, for any number of threads.
"""

from __future__ import annotations

import numpy as np

from gigamae.targets.compiled import Team, kernel, share, single_threaded_blas
from gigamae.targets.walks import _GOLDEN, _hash, _position, _unit

#: Walks that share their negatives.
CHUNK = 16
#: Negatives drawn for a chunk.
SHARED = 16
#: Walks of a batch: few enough that a node rarely stands in one twice, many enough for all threads.
BATCH = 1024


class SkipGram:
    """The table of vectors and its training.

    Args:
        num_nodes: N.
        dim: width of a vector, d.
        window: nodes fewer than this many steps apart are a pair (2: neighbours alone).
        negatives: what the random pairs of a node weigh, in numbers of its true pairs.
        frequency: (N,) how often each node should be drawn as a negative.
        seed: of the first vectors and the negatives.

    Example:
        >>> model = SkipGram(3, 8, window=2, negatives=1.0, frequency=np.ones(3), seed=0)
        >>> model.train(np.array([[0, 1], [1, 0]], np.int32), learning_rate=0.1)
        >>> model.table.shape
        (3, 8)
    """

    def __init__(
        self, num_nodes: int, dim: int, *, window: int, negatives: float, frequency: np.ndarray, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        self.table = (rng.random((num_nodes, dim), np.float32) - np.float32(0.5)) / np.float32(dim)
        self.memory = np.zeros(num_nodes, np.float32)  # of Adagrad: mean squared gradients summed up
        self.window, self.negatives = window, negatives
        self.cumulated = np.cumsum(frequency, dtype=np.float64)
        self._key, self._drawn = np.uint64(seed % 2**64), 0

    def train(
        self,
        walks: np.ndarray,
        learning_rate: float,
        *,
        end_rate: float | None = None,
        team: Team | None = None,
    ) -> None:
        """One pass over (W, T) walks, in their order; the rate falls linearly to ``end_rate``."""
        if team is None:
            with Team() as own:
                self.train(walks, learning_rate, end_rate=end_rate, team=own)
            return
        with single_threaded_blas():
            self._train(walks, learning_rate, end_rate, team)

    def _train(self, walks: np.ndarray, learning_rate: float, end_rate: float | None, team: Team) -> None:
        (total, steps), dim = walks.shape, self.table.shape[1]
        end_rate = learning_rate if end_rate is None else end_rate
        batch = min(BATCH, -(-total // CHUNK) * CHUNK)
        near = np.empty((batch, steps, dim), np.float32)
        far = np.empty((batch // CHUNK, SHARED, dim), np.float32)
        all_drawn = self._draw(-(-total // CHUNK), team)
        for start in range(0, total, BATCH):
            part = walks[start : start + BATCH]
            rate = np.float32(learning_rate + (end_rate - learning_rate) * start / total)
            drawn = all_drawn[start // CHUNK : -(-(start + len(part)) // CHUNK)]

            def gradients(member: int, members: int, part=part, drawn=drawn) -> None:  # type: ignore[no-untyped-def]
                first, last = share(len(drawn), member, members)
                _gradients(self.table, part, drawn, self.window, self.negatives, first, last, near, far)

            def updates(member: int, members: int, part=part, drawn=drawn, rate=rate) -> None:  # type: ignore[no-untyped-def]
                _update(self.table, self.memory, part, drawn, near, far, rate, member, members)

            team.run(gradients)
            team.run(updates)

    def _draw(self, chunks: int, team: Team) -> np.ndarray:
        """(chunks, SHARED) nodes, by frequency; a stream of its own, whatever the threads."""
        drawn = np.empty((chunks, SHARED), np.int32)
        before = self._drawn

        def work(member: int, members: int) -> None:
            first, last = share(chunks, member, members)
            _draw(self.cumulated, self._key, np.uint64(before + first * SHARED), drawn[first:last])

        team.run(work)
        self._drawn += drawn.size
        return drawn


@kernel
def _draw(cumulated, key, count, drawn):  # type: ignore[no-untyped-def]
    stream = _hash(key ^ _GOLDEN)
    for c in range(drawn.shape[0]):
        for k in range(drawn.shape[1]):
            goal = _unit(stream, count) * cumulated[-1]
            count += np.uint64(1)
            drawn[c, k] = min(_position(cumulated, 0, len(cumulated), goal), len(cumulated) - 1)


@kernel
def _gradients(table, walks, drawn, window, negatives, first, last, near, far):  # type: ignore[no-untyped-def]
    """What each place of each walk (near) and each drawn negative (far) would climb, by chunk.

    table (N, d); walks (B, T); drawn (C, K); near (B, T, d); far (C, K, d).
    """
    steps, dim, k_all = walks.shape[1], table.shape[1], drawn.shape[1]
    # Rows that meet often lie together, so that all of this stays in the cache.
    rows = np.empty((CHUNK * steps, dim), np.float32)
    others = np.empty((k_all, dim), np.float32)
    push = np.empty((CHUNK * steps, k_all), np.float32)
    for c in range(first, last):
        low, high = c * CHUNK, min((c + 1) * CHUNK, len(walks))
        places = (high - low) * steps
        for k in range(k_all):
            for f in range(dim):
                others[k, f] = table[drawn[c, k], f]
        for i in range(places):
            v = walks[low + i // steps, i % steps]
            for f in range(dim):
                rows[i, f] = table[v, f]
        # Random pairs: every place of the chunk meets every negative.
        np.dot(rows[:places], others.T, push[:places])
        for i in range(places):
            _push(walks[low + i // steps], i % steps, drawn[c], window, negatives, push[i])
        np.dot(push[:places], others, near[low:high].reshape(places, dim))
        np.dot(push[:places].T, rows[:places], far[c])
        # True pairs: the places of one walk that are near one another. So few that a call of the
        # library for matrix products would cost more than the product.
        for w in range(low, high):
            _pull(walks[w], rows[(w - low) * steps : (w - low + 1) * steps], window, near[w])


@kernel
def _push(walk, s, drawn, window, negatives, scores):  # type: ignore[no-untyped-def]
    """Turn a place's (K,) scores with the negatives into how it climbs along each: away from it."""
    pairs = 0
    for t in range(s + 1, min(s + window, len(walk))):
        pairs += walk[t] != walk[s]
    weight = np.float32(-negatives * pairs / len(drawn))
    for k in range(len(drawn)):
        scores[k] = weight * _sigmoid(scores[k])
    for k in range(len(drawn)):
        if drawn[k] == walk[s]:
            scores[k] = 0


@kernel
def _pull(walk, own, window, climb):  # type: ignore[no-untyped-def]
    """Add to (T, d) ``climb`` how each place of a walk climbs towards those near it, by their (T, d) rows."""
    steps, dim = own.shape
    for s in range(steps):
        for t in range(s + 1, min(s + window, steps)):
            if walk[s] == walk[t]:
                continue
            score = np.float32(0)
            for f in range(dim):
                score += own[s, f] * own[t, f]
            weight = _sigmoid(-score)
            for f in range(dim):
                climb[s, f] += weight * own[t, f]
                climb[t, f] += weight * own[s, f]


@kernel
def _sigmoid(x):  # type: ignore[no-untyped-def]
    """1 / (1 + exp(-x)), good to 1e-6 and in steps that a compiler can take for many x at once.

    exp(-|x|) is the 64th power, by six squarings, of the exponential series at -|x| / 64.
    """
    t = -min(abs(x), np.float32(40)) * np.float32(1 / 64)
    e = np.float32(1 / 24) + t * np.float32(1 / 120)
    e = np.float32(1) + t * (np.float32(1) + t * (np.float32(1 / 2) + t * (np.float32(1 / 6) + t * e)))
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    return (np.float32(1) if x >= 0 else e) / (np.float32(1) + e)


@kernel
def _update(table, memory, walks, drawn, near, far, rate, member, members):  # type: ignore[no-untyped-def]
    """Adagrad, one number a row; this member moves the rows whose number it owns."""
    for w in range(len(walks)):
        for s in range(walks.shape[1]):
            if walks[w, s] % members == member:
                _move(table, memory, walks[w, s], near[w, s], rate)
    for c in range(len(drawn)):
        for k in range(drawn.shape[1]):
            if drawn[c, k] % members == member:
                _move(table, memory, drawn[c, k], far[c, k], rate)


@kernel
def _move(table, memory, row, gradient, rate):  # type: ignore[no-untyped-def]
    squares = np.float32(0)
    for f in range(len(gradient)):
        squares += gradient[f] * gradient[f]
    if squares == 0:
        return
    memory[row] += squares / np.float32(len(gradient))
    step = rate / np.sqrt(memory[row])
    for f in range(len(gradient)):
        table[row, f] += step * gradient[f]
