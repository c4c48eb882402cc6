"""The naive integrations as embeddings, without training."""

from __future__ import annotations

import numpy as np
import pytest

from gigamae.baselines.integrated import IntegratedTargets
from gigamae.errors import InputError, NotFittedError
from gigamae.graph.graph import Graph
from gigamae.targets.integrate import NAIVE, integrate
from gigamae.targets.pca import PCA


@pytest.mark.parametrize("how", NAIVE)
def test_the_embedding_is_the_pooled_targets(how: str, rng: np.random.Generator) -> None:
    graph = Graph.from_edges(rng.integers(0, 20, (40, 2)), rng.random((20, 6)), num_nodes=20)
    mine = rng.normal(size=(20, 3)).astype("float32")
    z = IntegratedTargets(how, {"pca": PCA(k=4), "mine": mine}).fit(graph).transform(graph)
    np.testing.assert_array_equal(z, integrate([PCA(k=4).fit(graph), mine], how))


def test_it_knows_one_graph(rng: np.random.Generator) -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], np.eye(3, dtype="float32"))
    pooled = IntegratedTargets("max", {"a": np.eye(3)})
    with pytest.raises(NotFittedError):
        pooled.transform(graph)
    with pytest.raises(InputError, match="only the graph"):
        pooled.fit(graph).transform(graph.with_edges(graph.edges[1:]))
