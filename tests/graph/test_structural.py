import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.graph import Graph
from gigamae.graph.kernels import core_numbers, triangle_counts
from gigamae.graph.structural import STRUCTURAL_NAMES, structural_features

pairs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=60)


@given(pairs)
def test_property_core_and_triangles_are_networkx_ones(edges):
    g = Graph.from_edges(edges, np.ones((12, 1)))
    graph = nx.Graph([(u, v) for u, v in edges if u != v])
    graph.add_nodes_from(range(12))
    core, triangles = nx.core_number(graph), nx.triangles(graph)
    assert core_numbers(g.indptr, g.indices).tolist() == [core[i] for i in range(12)]
    assert triangle_counts(g.indptr, g.indices).tolist() == [triangles[i] for i in range(12)]


@given(pairs, st.permutations(range(12)))
def test_property_columns_do_not_depend_on_node_numbers(edges, order):
    order = np.array(order)
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    plain = Graph.from_edges(edges, num_nodes=12)
    moved = Graph.from_edges(order[edges], num_nodes=12)
    assert np.isfinite(plain.x).all()
    np.testing.assert_allclose(moved.x[order], plain.x, rtol=1e-6)


def test_columns_by_slow_loops():
    g = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)], num_nodes=6)
    column = dict(zip(STRUCTURAL_NAMES, g.x.T, strict=True))
    log_degree = np.log1p(g.degree)
    near = [g.indices[g.indptr[i] : g.indptr[i + 1]] for i in range(6)]
    for i in range(5):
        assert column["neighbour_log_degree_mean"][i] == pytest.approx(log_degree[near[i]].mean())
        assert column["neighbour_log_degree_std"][i] == pytest.approx(
            log_degree[near[i]].std(), abs=1e-6
        )
        assert column["neighbour_log_degree_max"][i] == pytest.approx(log_degree[near[i]].max())
        two_hop = np.mean([log_degree[near[j]].mean() for j in near[i]])
        assert column["two_hop_log_degree_mean"][i] == pytest.approx(two_hop)
        mass = sum(1 / g.degree[j] for j in near[i])
        assert column["walk_mass"][i] == pytest.approx(np.log1p(mass))
    assert column["clustering"].tolist() == pytest.approx([1, 1, 2 / 6, 1, 1, 0])
    assert column["degree_3-4"].tolist() == [0, 0, 1, 0, 0, 0]
    assert column["degree_0"].tolist() == [0, 0, 0, 0, 0, 1]
    assert g.x[5].sum() == 1


def test_one_node_and_a_second_copy_of_the_graph():
    assert structural_features(np.array([0, 0]), np.array([], int)).sum() == 1
    once = Graph.from_edges([(0, 1), (1, 2)])
    twice = Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5)])
    np.testing.assert_array_equal(twice.x, np.concatenate([once.x, once.x]))
