"""Node clustering: K-means with as many clusters as classes, on the embeddings as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from gigamae.errors import SettingsError
from gigamae.evaluate.agreement import ari, nmi
from gigamae.evaluate.inputs import as_embeddings, as_labels, require_classes
from gigamae.evaluate.kmeans import kmeans
from gigamae.evaluate.result import ClusteringResult, Score
from gigamae.evaluate.workers import run_each

GROUP = 5  # seeds that share their matrix products; fixed, so that results are on any machine


def clustering(z: Any, y: Any, *, repeats: int = 10, n_init: int = 10, seed: int = 0) -> ClusteringResult:
    """NMI and ARI of K-means clusters with the classes, over seeds.

    Each repeat is one seed of K-means, itself the best of ``n_init`` starts by inertia; the
    classes are looked at only afterwards. Rows are not normalised.

    Args:
        z: (N, d) embeddings: array, tensor, data frame or sparse matrix.
        y: (N,) labels; negative, NaN or None means unknown, and such nodes are left out.

    Raises:
        InputError: fewer than two classes.

    Example:
        >>> y = np.arange(60) % 3
        >>> result = clustering(np.eye(3)[y], y, repeats=2)
        >>> result.nmi.mean, result.ari.mean
        (1.0, 1.0)
    """
    if repeats < 1 or n_init < 1:
        raise SettingsError(f"repeats and n_init must be at least 1; got repeats={repeats}, n_init={n_init}.")
    z = as_embeddings(z)
    y = as_labels(y, len(z))
    k = require_classes(y, "Clustering")
    z, y = z[y >= 0], y[y >= 0]

    rngs = [np.random.default_rng([seed, repeat]) for repeat in range(repeats)]
    groups = [rngs[low : low + GROUP] for low in range(0, repeats, GROUP)]
    found = [f for group in run_each(lambda g: kmeans(z, k, g, n_init=n_init), groups) for f in group]
    return ClusteringResult(
        nmi=Score.of(nmi(f.labels, y) for f in found),
        ari=Score.of(ari(f.labels, y) for f in found),
        inertia=tuple(f.inertia for f in found),
    )
