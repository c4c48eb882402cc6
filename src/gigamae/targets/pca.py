"""PCA of the node features, dense or sparse: the attribute target of the paper."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from gigamae.errors import SettingsError
from gigamae.graph.graph import Features, Graph
from gigamae.targets.base import Modality, Target

if TYPE_CHECKING:
    from torch import Tensor

    from gigamae.targets.centred import Centred
    from gigamae.targets.spectrum import Choose

log = logging.getLogger(__name__)

_COLUMNS = 128  # components whose scores are made at a time


@dataclass(frozen=True)
class PCA(Target):
    """Leading principal components of the features, exact to rounding.

    Args:
        ratio: keep the fewest components whose cumulative share reaches this; 1 keeps every
            component that is numerically non-zero.
        k: keep this many components (or as many as there are); given, ``ratio`` is not looked at.
        criterion: of what the share is cumulated: "variance", or "singular_values" as the
            authors' release does (the same ratio then keeps many more components). The second
            needs every singular value: 4/3 min(N, D)^3 operations, 17 s at D = 6,805.
        whiten: scale every component to unit variance.
        normalise_rows: first divide each node's features by their sum of absolute values, as
            the release does. It matters: of raw Cora, ratio .3 of the singular values keeps 154.
        max_components: never more than this; a cut is logged.
        modality: for which node types the target weighs most.

    Features that do not vary have no components: the result is one column of zeros. Each
    component's sign is such that its largest loading is positive.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).normal(size=(50, 8)).astype("float32")
        >>> PCA(k=3).fit(Graph.from_edges([[0, 1]], x)).shape
        (50, 3)
    """

    name: ClassVar[str] = "pca"

    ratio: float | None = 0.5
    k: int | None = None
    criterion: Literal["variance", "singular_values"] = "variance"
    whiten: bool = True
    normalise_rows: bool = False
    max_components: int | None = None
    modality: Modality = "attributes"

    def __post_init__(self) -> None:
        if self.k is None and (self.ratio is None or not 0 < self.ratio <= 1):
            raise SettingsError(f"pca: ratio must be above 0 and at most 1; got {self.ratio}.")
        for word in ("k", "max_components"):
            value = getattr(self, word)
            if value is not None and value < 1:
                raise SettingsError(f"pca: {word} must be at least 1; got {value}.")
        if self.criterion not in ("variance", "singular_values"):
            raise SettingsError(
                f"pca: criterion must be 'variance' or 'singular_values'; got {self.criterion!r}."
            )

    def fit(self, graph: Graph, *, seed: int = 0) -> np.ndarray:
        """(N, k) float32 scores; ``seed`` starts the iteration and does not move the result."""
        from gigamae.targets.centred import Centred
        from gigamae.targets.spectrum import leading_eigenpairs

        x = Centred(_rows_of_sum_one(graph.x) if self.normalise_rows else graph.x)
        if x.is_constant:
            log.warning("pca: the features of %s do not vary; the target is zero.", graph.name)
            return np.zeros((graph.num_nodes, 1), np.float32)
        choose, about = self._choice(x)
        values, vectors = leading_eigenpairs(x, choose, about=about, seed=seed)
        if self.k is None and self.max_components == len(values):
            log.warning(
                "pca: max_components keeps %d components, %.1f%% of the variance.",
                len(values), 100 * float(values.sum()) / x.total,
            )  # fmt: skip
        return self._scores(x, values, vectors)

    def _choice(self, x: Centred) -> tuple[Choose, int | None]:
        """The rule by which eigenvalues are kept, and how many these are where that is known."""
        from gigamae.targets.spectrum import DENSE_SIDE, eigenvalues

        cap = min(self.max_components or x.side, x.side)

        def choose(values: Tensor) -> int:
            real = int((values > x.precision * values[0] + x.noise).sum())
            if real == len(values) < x.side:  # more may follow
                real = x.side
            if self.k is not None:
                wanted = self.k
            elif self.ratio == 1:
                wanted = real
            elif self.criterion == "variance":
                wanted = _reach(values / x.total, self.ratio)
            else:
                wanted = _reach(values.sqrt() / values.sqrt().sum(), self.ratio)
            return max(min(wanted, real, cap), 1)

        if self.k is not None:
            return choose, min(self.k, cap)
        if self.criterion == "singular_values" and self.ratio != 1 and x.side > DENSE_SIDE:
            k = choose(eigenvalues(x))
            return lambda values: k, k
        return choose, None

    def _scores(self, x: Centred, values: Tensor, vectors: Tensor) -> np.ndarray:
        n, d = x.shape
        out = np.empty((n, len(values)), np.float32)
        for start in range(0, len(values), _COLUMNS):
            part = slice(start, start + _COLUMNS)
            if d <= n:
                loadings = vectors[:, part]  # (D, b)
                scores = x.times(loadings.contiguous())
            else:
                loadings = x.transposed_times(vectors[:, part].contiguous())
                scores = vectors[:, part] * values[part].sqrt()
            sign = loadings.gather(0, loadings.abs().argmax(0, keepdim=True)).sign()
            scale = (n / values[part]).sqrt() if self.whiten else 1.0
            out[:, part] = (scores * sign * scale).numpy()
        return out


def _reach(shares: Tensor, ratio: float | None) -> int:
    """The fewest leading shares that sum to ``ratio``; one more than are given if none do."""
    assert ratio is not None  # said by __post_init__
    return int((shares.cumsum(0) < ratio - 1e-12).sum()) + 1


def _rows_of_sum_one(x: Features) -> Features:
    """Each row divided by its sum of absolute values; zero rows stay zero."""
    sums = np.asarray(abs(x).sum(axis=1, dtype=np.float64)).ravel()
    factors = (1 / np.where(sums > 0, sums, 1)).astype(np.float32)
    if isinstance(x, np.ndarray):
        return x * factors[:, None]
    scaled = x.data * np.repeat(factors, np.diff(x.indptr))
    return sp.csr_matrix((scaled, x.indices, x.indptr), shape=x.shape)
