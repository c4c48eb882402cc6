import numpy as np
import pytest
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph import Graph
from gigamae.graph.align import align_features, check_features
from gigamae.graph.structural import STRUCTURAL_NAMES

EDGES = [(0, 1)]
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype="float32")


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix])
def test_columns_are_put_in_order(make):
    graph = Graph.from_edges(EDGES, make(X), feature_names="abc", y=np.array([0, 1]))
    other = align_features(graph, ["c", "a", "b"], 3)
    x = other.x.toarray() if sp.issparse(other.x) else other.x
    np.testing.assert_array_equal(x, X[:, [2, 0, 1]])
    assert other.feature_names == ("c", "a", "b")
    assert other.y.tolist() == [0, 1]
    assert align_features(graph, ["a", "b", "c"], 3) is graph
    assert align_features(graph, None, 3) is graph


def test_missing_and_extra_columns_are_listed():
    graph = Graph.from_edges(EDGES, X, feature_names="abc", name="new")
    with pytest.raises(InputError) as error:
        check_features(graph, ["a", "x", "y"], 3)
    assert "new" in str(error.value)
    assert "missing: x, y; unknown to the model: b, c" in str(error.value)
    unnamed = Graph.from_edges(EDGES, X)
    with pytest.raises(InputError, match="3 features a node, but the model was trained with 5"):
        check_features(unnamed, list("abcde"), 5)
    check_features(unnamed, list("abc"), 3)


def test_structural_features_fit_other_graphs_without_features_alone():
    made = Graph.from_edges(EDGES)
    check_features(made, STRUCTURAL_NAMES, len(STRUCTURAL_NAMES))
    with pytest.raises(InputError, match="came without features"):
        check_features(made, ["a"], 1)
