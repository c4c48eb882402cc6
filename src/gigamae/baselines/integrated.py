"""The naive integrations of the paper's ablation: targets put together and used as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import Self

from gigamae.baselines.controls import Control
from gigamae.errors import InputError, NotFittedError
from gigamae.graph.graph import Graph
from gigamae.targets.integrate import NaiveIntegration


class IntegratedTargets(Control):
    """Several targets pooled into one matrix, which is the embedding; nothing is trained on it.

    Args:
        how: max, average or concatenation (:func:`gigamae.targets.integrate.integrate`).
        targets: as in :class:`gigamae.GiGaMAE`.
        standardise: what is done to each target first.
        random_state: seed of the targets.

    Example:
        >>> graph = Graph.from_edges([[0, 1]], x=np.eye(2, dtype="float32"))
        >>> both = {"x": np.eye(2), "twice": 2 * np.eye(2)}
        >>> IntegratedTargets("concatenation", both).fit(graph).transform(graph).tolist()
        [[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 2.0]]
    """

    def __init__(
        self,
        how: NaiveIntegration = "concatenation",
        targets: Any = ("node2vec", "pca"),
        *,
        standardise: str = "none",
        random_state: int = 0,
    ) -> None:
        self.how, self.targets, self.standardise = how, targets, standardise
        self.random_state = random_state

    def fit(self, graph: Graph) -> Self:
        from gigamae.targets import make_targets, standardise
        from gigamae.targets.integrate import integrate

        matrices = [t.fit(graph, seed=self.random_state) for t in make_targets(self.targets).values()]
        self.matrix_ = integrate([standardise(m, self.standardise) for m in matrices], self.how)  # type: ignore[arg-type]
        self._fitted_on = graph.fingerprint()
        return self

    def transform(self, graph: Graph) -> np.ndarray:
        """The (N, d) matrix of the graph fitted on; targets know no other.

        Raises:
            InputError: another graph.
        """
        if not hasattr(self, "matrix_"):
            raise NotFittedError("This IntegratedTargets is not fitted yet; call fit(graph).")
        if graph.fingerprint() != self._fitted_on:
            raise InputError(
                f"{graph.name}: targets embed only the graph they were fitted on; fit them anew."
            )
        return self.matrix_
