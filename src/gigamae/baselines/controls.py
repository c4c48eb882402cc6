"""Controls: what costs nothing to learn, so that a learned embedding can be told from luck.

Each has fit(graph), transform(graph) and fit_transform(graph), as every method has;
none has anything to save.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from typing_extensions import Self

from gigamae.errors import InputError, NotFittedError, SettingsError
from gigamae.graph.graph import Graph


class Control:
    """What all controls share: fit and transform in one call, as learned methods have it."""

    def fit(self, graph: Graph) -> Self:
        """Look at a graph; most controls have nothing to learn from it."""
        return self

    def transform(self, graph: Graph) -> np.ndarray:
        """(N, d) float32."""
        raise NotImplementedError

    def fit_transform(self, graph: Graph) -> np.ndarray:
        """:meth:`fit`, then :meth:`transform` of the same graph."""
        return self.fit(graph).transform(graph)


class RawFeatures(Control):
    """The features as they are.

    Example:
        >>> g = Graph.from_edges([[0, 1]], x=np.eye(2, dtype="float32"))
        >>> RawFeatures().fit(g).transform(g).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    def transform(self, graph: Graph) -> np.ndarray:
        """(N, D) float32, dense."""
        return _dense(graph.x)


class SGC(Control):
    """Features averaged over ``hops`` steps of the normalised adjacency, S^k X (Wu et al., 2019).

    S = (D + I)^-1/2 (A + I) (D + I)^-1/2. No weights, no training.

    Args:
        hops: how often S is applied.

    Example:
        >>> g = Graph.from_edges([[0, 1]], x=np.eye(2, dtype="float32"))
        >>> SGC(hops=1).fit(g).transform(g).round(3).tolist()
        [[0.5, 0.5], [0.5, 0.5]]
    """

    def __init__(self, hops: int = 2) -> None:
        if hops < 0:
            raise SettingsError(f"hops={hops} must be 0 or more.")
        self.hops = hops

    def transform(self, graph: Graph) -> np.ndarray:
        """(N, D) float32, dense."""
        step = normalised_adjacency(graph)
        x = graph.x
        for _ in range(self.hops):
            x = step @ x
        return _dense(x)


class RandomEncoder(Control):
    """GiGaMAE's encoder as it is before training: what the architecture alone gives.

    Args:
        hidden_dim, out_dim, heads, kind: as in :class:`gigamae.settings.Settings` (kind is its encoder).
        random_state: seed of the weights.
    """

    def __init__(
        self,
        *,
        hidden_dim: int = 256,
        out_dim: int = 512,
        heads: int = 4,
        kind: str = "gat",
        random_state: int = 0,
    ) -> None:
        self.hidden_dim, self.out_dim, self.heads, self.kind = hidden_dim, out_dim, heads, kind
        self.random_state = random_state

    def fit(self, graph: Graph) -> Self:
        """Draw the weights; of the graph only the number of feature columns is looked at."""
        import torch

        from gigamae.model.encoder import Encoder

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state)
            self.encoder_: Any = Encoder(
                graph.num_features, self.hidden_dim, self.out_dim, kind=self.kind, heads=self.heads  # type: ignore[arg-type]
            ).eval()
        return self

    def transform(self, graph: Graph) -> np.ndarray:
        """(N, out_dim) float32."""
        import torch

        from gigamae.model.convolutions import Step
        from gigamae.model.features import FeatureMatrix
        from gigamae.model.topology import Topology

        if not hasattr(self, "encoder_"):
            raise NotFittedError("This RandomEncoder is not fitted yet; call fit(graph).")
        step = Step(Topology.of(graph, "cpu"))
        with torch.no_grad():
            z: np.ndarray = self.encoder_(FeatureMatrix(graph.x, "cpu"), step).numpy()
        return z


class TargetAlone(Control):
    """A reconstruction target used as the embedding itself.

    Args:
        target: a Target, or anything :func:`gigamae.targets.make_target` makes one from.
        random_state: its seed.
    """

    def __init__(self, target: Any, *, random_state: int = 0) -> None:
        self.target, self.random_state = target, random_state

    def fit(self, graph: Graph) -> Self:
        from gigamae.targets import make_target

        self.matrix_ = make_target(self.target).fit(graph, seed=self.random_state)
        self._fitted_on = graph.fingerprint()
        return self

    def transform(self, graph: Graph) -> np.ndarray:
        """The (N, d) matrix of the graph fitted on; a target knows no other.

        Raises:
            InputError: another graph.
        """
        if not hasattr(self, "matrix_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit(graph).")
        if graph.fingerprint() != self._fitted_on:
            raise InputError(
                f"{graph.name}: a target alone embeds only the graph it was fitted on; fit it anew."
            )
        return self.matrix_


class Node2VecAlone(TargetAlone):
    """The structural target as it is.

    Args:
        dim: width of a vector.
        random_state: seed of the walks.
    """

    def __init__(self, *, dim: int = 64, random_state: int = 0) -> None:
        super().__init__({"name": "node2vec", "dim": dim}, random_state=random_state)
        self.dim = dim


class PCAAlone(TargetAlone):
    """The attribute target as it is.

    Args:
        ratio: share of the variance that is kept.
    """

    def __init__(self, *, ratio: float = 0.5) -> None:
        super().__init__({"name": "pca", "ratio": ratio})
        self.ratio = ratio


def normalised_adjacency(graph: Graph) -> sp.csr_matrix:
    """(N, N) S = (D + I)^-1/2 (A + I) (D + I)^-1/2, float32; edge weights count."""
    looped = graph.adjacency() + sp.identity(graph.num_nodes, dtype=np.float32, format="csr")
    scale = 1.0 / np.sqrt(np.asarray(looped.sum(axis=1), dtype=np.float64).ravel())
    scale = sp.diags(scale.astype(np.float32), format="csr")
    return sp.csr_matrix(scale @ looped @ scale, dtype=np.float32)


def _dense(x: Any) -> np.ndarray:
    return np.asarray(x.toarray() if sp.issparse(x) else x, dtype=np.float32)
