"""read_graph from objects in memory, and the array layouts."""

import subprocess
import sys
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch
    from torch_geometric.data import Data, HeteroData

PAIRS = np.array([[0, 1], [1, 2], [2, 4]])
X = np.arange(10, dtype="float32").reshape(5, 2)


def same(graph, *, nodes=5):
    assert graph.edges.tolist() == PAIRS.tolist()
    assert graph.num_nodes == nodes


def symmetric():
    adjacency = np.zeros((5, 5))
    adjacency[PAIRS[:, 0], PAIRS[:, 1]] = 1
    return adjacency + adjacency.T


@pytest.mark.parametrize(
    "make", [sp.csr_matrix, sp.coo_array, sp.csc_matrix, sp.lil_matrix, np.array, torch.tensor]
)
def test_adjacency(make):
    graph = read_graph(make(symmetric()), features=X)
    same(graph)
    assert graph.weights is None
    assert graph.node_ids is None
    assert not graph.notes
    one_way = np.triu(symmetric()) * 2.5
    graph = read_graph(make(one_way))
    assert graph.edge_weights.tolist() == [2.5] * 3
    assert "Directed edges were read as undirected." in graph.notes


def test_edge_arrays(tmp_path):
    same(read_graph((PAIRS.T, X)))
    same(read_graph((PAIRS, X, list("abcab"))))
    same(read_graph((torch.tensor(PAIRS.T), torch.tensor(X), torch.tensor([0, 1, 0, 1, 2]))))
    assert read_graph((PAIRS.T, None)).features_made
    same(read_graph(PAIRS, features=X))
    weighted = np.column_stack([PAIRS, [0.5, 1.5, 2.5]])[:2]
    assert read_graph(weighted).edge_weights.tolist() == [0.5, 1.5]
    np.save(tmp_path / "edges.npy", PAIRS * 10)
    assert read_graph(tmp_path / "edges.npy").node_ids.tolist() == [0, 10, 20, 40]


def test_networkx():
    graph = nx.Graph()
    graph.add_node("zoe", x=[1.0, 2.0], label="boss")
    graph.add_node("ann", x=[3.0, 4.0])
    graph.add_node("lonely", x=[5.0, 6.0], label="staff")
    graph.add_edge("zoe", "ann", weight=2.0, strength=7.0)
    found = read_graph(graph)
    assert found.node_ids.tolist() == ["zoe", "ann", "lonely"]  # its own order
    assert found.x.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found.edge_weights.tolist() == [2]
    assert found.y.tolist() == [0, -1, 1]
    assert read_graph(graph, weight_column="strength").edge_weights.tolist() == [7]
    assert read_graph(graph, weight_column=False).weights is None
    assert "read as undirected" in " ".join(read_graph(graph.to_directed()).notes)
    with pytest.raises(InputError, match="no node has the attribute 'team'"):
        read_graph(graph, label_column="team")
    graph.nodes["ann"]["x"] = [3.0]
    with pytest.raises(InputError, match=r"node 1 .* vector of the same length"):
        read_graph(graph)
    odd = read_graph(nx.Graph([((0, 1), (2, 3))]))
    assert odd.node_ids.tolist() == ["(0, 1)", "(2, 3)"]
    assert "turned into text" in odd.notes[0]


def test_networkx_numbers_as_features_and_multigraphs():
    graph = nx.MultiDiGraph()
    graph.add_nodes_from([(1, dict(age=3, city="a")), (5, dict(age=4.5, city="b"))])
    graph.add_edges_from([(1, 5, dict(weight=1)), (1, 5, dict(weight=3))])
    found = read_graph(graph)
    assert found.feature_names == ("age",)
    assert found.x.tolist() == [[3], [4.5]]
    assert found.edge_weights.tolist() == [3]
    assert found.node_ids.tolist() == [1, 5]


def test_igraph():
    graph = igraph.Graph(n=5, edges=PAIRS.tolist())
    same(read_graph(graph, features=X))
    graph.vs["name"] = list("edcba")
    graph.es["weight"] = [1, 2, 3]
    found = read_graph(graph)
    same(found)
    assert found.node_ids.tolist() == list("edcba")
    assert found.edge_weights.tolist() == [1, 2, 3]
    graph.vs["name"] = ["a"] * 5
    with pytest.raises(InputError, match="same name"):
        read_graph(graph)


def test_frames():
    frame = pd.DataFrame({"target": PAIRS[:, 1], "source": PAIRS[:, 0], "weight": [1.0, 2, 3]})
    for source in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        graph = read_graph(source, features=pd.DataFrame(X))
        same(graph)
        assert graph.feature_names == ("0", "1")
        assert graph.edge_weights.tolist() == [1, 2, 3]
    categories = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]}, dtype="category")
    assert read_graph(categories).node_ids.tolist() == ["x", "y", "z"]


def test_pyg():
    both = np.concatenate([PAIRS, PAIRS[:, ::-1]]).T
    data = Data(x=torch.tensor(X), edge_index=torch.tensor(both), y=torch.tensor([0, 1, 0, 1, 1]))
    graph = read_graph(data)
    same(graph)
    assert graph.y.tolist() == [0, 1, 0, 1, 1]
    assert not graph.notes
    data.edge_attr = torch.tensor([1.0, 2, 3, 1, 2, 3])
    assert read_graph(data).edge_weights.tolist() == [1, 2, 3]
    data.x = data.x.to_sparse()
    assert sp.issparse(read_graph(data).x)
    one_way = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), num_nodes=4)
    assert "read as undirected" in " ".join(read_graph(one_way).notes)
    assert read_graph(one_way).num_nodes == 4
    with pytest.raises(InputError, match="HeteroData is not understood"):
        read_graph(HeteroData())


class FakeDGL:
    """What of a DGL graph is used; DGL itself does not load here."""

    is_homogeneous = True
    ndata = {"feat": torch.tensor(X), "label": torch.tensor([0, 1, 0, 1, 1])}  # noqa: RUF012
    edata = {"w": torch.tensor([1.0, 2, 3])}  # noqa: RUF012

    def edges(self):
        return torch.tensor(PAIRS[:, 0]), torch.tensor(PAIRS[:, 1])

    def num_nodes(self):
        return 5


def test_dgl():
    graph = read_graph(FakeDGL())
    same(graph)
    np.testing.assert_array_equal(graph.x, X)
    assert graph.edge_weights.tolist() == [1, 2, 3]
    assert graph.y.tolist() == [0, 1, 0, 1, 1]


def test_npz_layouts(tmp_path):
    path, sparse = tmp_path / "g.npz", sp.csr_matrix(X)
    both = np.concatenate([PAIRS, PAIRS[:, ::-1]]).T
    plain = dict(x_data=sparse.data, x_indices=sparse.indices, x_indptr=sparse.indptr,
                 x_shape=sparse.shape, edge_index=both, y=[0, 2, 2, 0, 2],
                 class_names=["a", "b", "c"])  # fmt: skip
    np.savez(path, **plain)
    graph = read_graph(path)
    same(graph)
    assert graph.class_names == ("a", "c")  # no node is a b
    assert graph.y.tolist() == [0, 1, 1, 0, 1]
    assert (graph.x != sparse).nnz == 0
    np.savez(path, node_features=X, edges=PAIRS, node_labels=[0, 1, 0, 1, 1], train_masks=[1])
    same(read_graph(path))
    adjacency = sp.csr_matrix(symmetric())
    shchur = {f"adj_{k}": getattr(adjacency, k) for k in ("data", "indices", "indptr", "shape")}
    attr = {f"attr_{k}": getattr(sparse, k) for k in ("data", "indices", "indptr", "shape")}
    np.savez(path, **shchur, **attr, labels=[0, 1, 0, 1, 1])
    graph = read_graph(path)
    same(graph)
    np.testing.assert_array_equal(graph.x.toarray(), X)  # values as they are
    sp.save_npz(path, adjacency)
    same(read_graph(path, features=X))
    np.savez(path, PAIRS)
    same(read_graph(path, features=X))
    np.savez(path, edge_index=both, ids=list("abcde"), edge_weight=[1, 2, 3, 1, 2, 3])
    graph = read_graph(path)
    same(graph)
    assert graph.node_ids.tolist() == list("abcde")
    assert graph.edge_weights.tolist() == [1, 2, 3]
    np.savez(path, one=X, two=X)
    with pytest.raises(InputError, match="no edges found among its arrays one, two"):
        read_graph(path)
    np.savez(path, **{**plain, "x_indices": sparse.indices + 9})
    with pytest.raises(InputError, match=r"the sparse matrix x_\* is broken"):
        read_graph(path)
    np.savez(path, edge_index=both + 7, x=X)
    with pytest.raises(InputError, match="name node 11, but there are 5"):
        read_graph(path)


def test_reading_imports_no_heavy_library():
    code = (
        "import sys; from gigamae.graph import *; from gigamae.graph.readers import read_graph; "
        "heavy = {'torch', 'pandas', 'pyarrow', 'numba', 'networkx', 'sklearn', 'polars'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
