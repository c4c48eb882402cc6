import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import InputError
from gigamae.graph import Graph

weighted = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    max_size=40,
)


@given(weighted)
def test_property_canonical_form(rows):
    """Against a dictionary of unordered pairs, filled in a loop."""
    expected: dict[tuple[int, int], float] = {}
    for u, v, w in rows:
        if u != v and w > 0:
            pair = (min(u, v), max(u, v))
            expected[pair] = max(w, expected.get(pair, 0.0))
    edges = np.array([r[:2] for r in rows], dtype=np.int64).reshape(-1, 2)
    g = Graph.from_edges(edges, num_nodes=8, weights=np.array([r[2] for r in rows]))
    found = dict(zip(map(tuple, g.edges.tolist()), g.edge_weights.tolist(), strict=True))
    assert found == expected
    assert g.num_edges == len(expected)
    dense = g.adjacency().toarray()
    np.testing.assert_array_equal(dense, dense.T)
    for i in range(8):
        assert (np.diff(g.indices[g.indptr[i] : g.indptr[i + 1]]) > 0).all()
    np.testing.assert_array_equal(g.edge_index[0], g.rows)


@given(weighted, st.randoms())
def test_property_order_direction_and_repetition_do_not_matter(rows, random):
    again = [(v, u, w) if random.random() < 0.5 else (u, v, w) for u, v, w in rows + rows[:3]]
    random.shuffle(again)

    def build(rows):
        edges = np.array([r[:2] for r in rows], dtype=np.int64).reshape(-1, 2)
        return Graph.from_edges(edges, num_nodes=8, weights=np.array([r[2] for r in rows]))

    assert build(rows).fingerprint() == build(again).fingerprint()


def test_one_node_no_edges():
    g = Graph.from_edges([], num_nodes=1)
    assert (g.num_nodes, g.num_edges, g.features_made) == (1, 0, True)
    assert g.edges.shape == (0, 2)
    assert np.isfinite(g.x).all()
    assert Graph.from_edges([(0, 0)]).num_edges == 0


def test_each_change_is_told():
    edges = [(0, 0), (0, 1), (0, 1), (1, 0), (1, 2), (2, 1)]
    g = Graph.from_edges(edges, weights=[1, 1, 1, 1, 0, 1])
    assert g.num_edges == 2
    assert "1 edges of weight zero" in g.notes[0]
    assert "1 self-loops" in g.notes[1]
    assert "1 repeated" in g.notes[2]  # the other direction of a pair is no repetition
    assert "structural" in g.notes[3]


def test_the_callers_matrix_is_left_alone():
    x = sp.csr_matrix((np.ones(3, "float32"), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    Graph.from_edges([(0, 1)], x)
    assert x.indices.tolist() == [1, 1, 0]
    assert x.data.tolist() == [1, 1, 1]


def test_with_edges_makes_made_features_anew():
    g = Graph.from_edges([(0, 1), (1, 2)], y=np.array([0, 1, 0]), class_names=["a", "b"])
    other = g.with_edges(g.edges[:1])
    assert other.class_names == ("a", "b")
    assert other.features_made
    np.testing.assert_array_equal(other.x, Graph.from_edges([(0, 1)], num_nodes=3).x)
    named = Graph.from_edges([(0, 1)], np.eye(2), feature_names="ab")
    kept = named.with_edges(np.empty((0, 2), int))
    assert kept.feature_names == ("a", "b")
    np.testing.assert_array_equal(kept.x, np.eye(2))


def test_fingerprint_sees_edges_weights_and_features_and_not_labels():
    def g(edges=((0, 1), (1, 2)), x=None, **more):
        return Graph.from_edges(edges, np.eye(3) if x is None else x, **more).fingerprint()

    assert g() == g(y=np.array([0, 0, 1]), node_ids=np.array(list("abc")))
    assert len({g(), g(edges=[(0, 1)]), g(weights=[1, 2]), g(x=2 * np.eye(3))}) == 4
    assert g(x=sp.csr_matrix(np.eye(3))) == g(x=sp.csr_array(np.eye(3)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(edges=[(0, 1, 2)]), "shape (M, 2)"),
        (dict(edges=[(0.0, 1.0)]), "whole numbers"),
        (dict(edges=[(0, 1), (-1, 2)]), "edge 1 names node -1"),
        (dict(edges=[(0, 5)], num_nodes=3), "edge 0 names node 5"),
        (dict(edges=[]), "empty"),
        (dict(edges=[(0, 1)], weights=[-1.0]), "edge 0 has weight -1.0"),
        (dict(edges=[(0, 1)], weights=[float("nan")]), "finite"),
        (dict(edges=[(0, 1)], weights=[1, 2]), "1 edges but 2 weights"),
        (dict(edges=[(0, 1)], x=np.array([[1.0], [np.nan]])), "features of node 1"),
        (dict(edges=[(0, 1)], x=sp.csr_matrix([[0, 0], [0, np.inf]])), "features of node 1"),
        (dict(edges=[(0, 1)], x=np.array([[1e300], [0]])), "features of node 0"),
        (dict(edges=[(0, 1)], x=np.array([["a"], ["b"]])), "must be numbers"),
        (dict(edges=[(0, 1)], x=np.ones((3, 1)), num_nodes=2), "3 rows for 2 nodes"),
        (dict(edges=[(0, 1)], x=np.ones((2, 0))), "no columns"),
        (dict(edges=[(0, 1)], y=np.array([0, 7])), "8 classes for 2 nodes"),
        (dict(edges=[(0, 1)], y=np.array([0, -7])), "label -7"),
        (dict(edges=[(0, 1)], num_nodes=2, node_ids=np.arange(3)), "ids for 2 nodes"),
        (dict(edges=[(0, 1)], x=np.eye(2), feature_names=["a"]), "1 feature names for 2"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError) as error:
        Graph.from_edges(**arguments)
    assert message in str(error.value)
