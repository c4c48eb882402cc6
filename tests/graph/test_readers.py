"""read_graph from files: what comes in is what the Graph holds."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from gigamae.graph import Graph
from gigamae.graph.readers import read_graph

EDGES = [("ann", "bob"), ("bob", "cy"), ("cy", "ann"), ("cy", "dan")]


def id_pairs(graph):
    return {tuple(sorted(map(str, graph.ids[e]))) for e in graph.edges}


EXPECTED = {tuple(sorted(e)) for e in EDGES}


@pytest.fixture
def write(tmp_path):
    def _write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return _write


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", " ", "   "])
@pytest.mark.parametrize("header", ["source{}target", "from{}to", None])
def test_delimiters_and_headers_are_found(write, delimiter, header):
    lines = [] if header is None else [header.format(delimiter)]
    lines += [f"{u}{delimiter}{v}" for u, v in EDGES]
    graph = read_graph(write("edges.txt", "\n".join(lines) + "\n"))
    assert id_pairs(graph) == EXPECTED
    assert graph.node_ids.tolist() == ["ann", "bob", "cy", "dan"]
    assert graph.features_made
    assert graph.name == "edges"


def test_header_can_be_told(write):
    path = write("e.csv", "person_a,person_b\nann,bob\n")
    assert read_graph(path, header=True).num_nodes == 2
    assert read_graph(path).num_nodes == 4  # two pairs of names look alike
    assert read_graph(write("e2.csv", "u,v\nv,w\n")).num_nodes == 3  # nodes called u and v


def test_comments_bom_blank_lines_crlf_and_quotes(write):
    text = '\ufeff# a comment\n\n% another\nid,Source,Target,Weight\r\n1,"a,b",c,0.5\r\n\r\n2,c,d,2\r\n'
    graph = read_graph(write("e.csv", text))
    assert id_pairs(graph) == {("a,b", "c"), ("c", "d")}
    assert sorted(graph.edge_weights.tolist()) == [0.5, 2]


def test_ids_come_back_as_they_came_in(write):
    gaps = read_graph(write("a.csv", "5,900\n900,-3\n"))
    assert gaps.node_ids.dtype == np.int64
    assert gaps.node_ids.tolist() == [-3, 5, 900]
    zeros = read_graph(write("b.csv", "007,8\n8,9\n"))
    assert zeros.node_ids.tolist() == ["007", "8", "9"]
    huge = read_graph(write("c.csv", f"{2**70},1\n"))
    assert huge.node_ids.tolist() == ["1", str(2**70)]


ids = st.one_of(
    st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=8, unique=True),
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1),
        min_size=2, max_size=8, unique=True,
    ),
)  # fmt: skip


@given(ids, st.data())
def test_property_ids_survive_a_parquet_file_and_a_frame(tmp_path_factory, names, data):
    pairs = data.draw(st.lists(st.tuples(*[st.sampled_from(names)] * 2), min_size=1, max_size=12))
    frame = pd.DataFrame(pairs, columns=["source", "target"])
    expected = sorted({i for pair in pairs for i in pair})
    path = tmp_path_factory.mktemp("p") / "edges.parquet"
    frame.to_parquet(path)
    for source in (frame, path, pl.from_pandas(frame), pairs):
        graph = read_graph(source)
        assert graph.node_ids.tolist() == expected
        assert id_pairs(graph) == {tuple(sorted(map(str, p))) for p in pairs if p[0] != p[1]}


@given(ids, st.integers(0, 3))
def test_property_features_follow_their_ids(names, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(names))
    x = rng.random((len(names), 2)).astype("float32")
    table = pl.DataFrame({
        "a": x[order, 0], "node": [names[i] for i in order], "b": x[order, 1],
        "label": [f"class {i % 2}" for i in order],
    })  # fmt: skip
    graph = read_graph([(names[0], names[1])], features=table)
    assert graph.node_ids.tolist() == sorted(names)
    assert graph.feature_names == ("a", "b")
    for node, row, label in zip(graph.node_ids.tolist(), graph.x, graph.y, strict=True):
        i = names.index(node)
        np.testing.assert_array_equal(row, x[i])
        assert graph.class_names[label] == f"class {i % 2}"


def test_features_and_labels_in_every_format(write, tmp_path):
    edges = write("edges.csv", "10,20\n20,30\n")
    x = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], dtype="float32")
    frame = pd.DataFrame({"id": [40, 10, 30, 20], "f": x[:, 0], "g": x[:, 1]})
    frame.to_csv(tmp_path / "f.csv", index=False)
    frame.to_csv(tmp_path / "f.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "f.parquet", index=False)
    frame.to_csv(tmp_path / "bare.csv", index=False, header=False)
    np.savez(tmp_path / "f.npz", x=x, ids=frame["id"])
    with gzip.open(tmp_path / "f.csv.gz", "wb") as file:
        file.write((tmp_path / "f.csv").read_bytes())
    lists = pd.DataFrame({"node_id": frame["id"], "e": list(x)})
    lists.to_parquet(tmp_path / "lists.parquet")
    sources = [*tmp_path.glob("[fbl]*.*"), frame, frame.set_index("id"), pl.from_pandas(frame)]
    assert len(sources) == 10
    for source in sources:
        graph = read_graph(edges, features=source)
        assert graph.node_ids.tolist() == [10, 20, 30, 40], source
        np.testing.assert_array_equal(graph.x, x[[1, 3, 2, 0]])
        assert not graph.features_made
        assert any("isolated" in note and "40" in note for note in graph.notes)
    labels = pd.DataFrame({"id": [20, 30], "team": ["red", None]})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    for source in (labels, tmp_path / "labels.csv", labels.set_index("id")["team"]):
        graph = read_graph(edges, features=frame, labels=source)
        assert graph.y.tolist() == [-1, 0, -1, -1]
        assert graph.class_names == ("red",)


def test_rows_without_ids_need_nodes_numbered_from_0(write, tmp_path):
    edges = write("edges.csv", "0,1\n1,3\n")
    x = np.arange(8.0).reshape(4, 2)
    np.save(tmp_path / "x.npy", x)
    sp.save_npz(tmp_path / "x.npz", sp.csr_matrix(x))
    for source in (tmp_path / "x.npy", tmp_path / "x.npz", x, sp.csr_array(x)):
        graph = read_graph(edges, features=source, labels=[3, 3, -1, 7])
        np.testing.assert_array_equal(
            graph.x.toarray() if sp.issparse(graph.x) else graph.x, x
        )
        assert sp.issparse(graph.x) == (source is not x and "npy" not in str(source))
        assert graph.y.tolist() == [0, 0, -1, 1]
        assert graph.class_names == ("3", "7")
        assert any("1 nodes have no edge" in note for note in graph.notes)


def test_labels_without_ids_follow_the_feature_rows():
    features = pd.DataFrame({"id": ["b", "a"], "f": [1.0, 2.0]})
    graph = read_graph([("a", "b")], features=features, labels=["of b", "of a"])
    assert [graph.class_names[i] for i in graph.y] == ["of a", "of b"]


def test_text_ids_of_one_file_meet_numbers_of_another(write):
    edges = write("edges.csv", "1,2\n2,3\n")
    as_text = pd.DataFrame({"id": ["3", "2", "1"], "f": [3.0, 2.0, 1.0]})
    graph = read_graph(edges, features=as_text)
    assert graph.node_ids.tolist() == ["1", "2", "3"]
    assert graph.x[:, 0].tolist() == [1, 2, 3]
    typed = pd.DataFrame({"source": [1, 2], "target": [2, 3]})
    assert read_graph(typed, features=as_text).node_ids.tolist() == [1, 2, 3]


def test_weights(write):
    third = read_graph(write("a.csv", "a,b,2\nb,c,0.5\n"))
    assert third.edge_weights.tolist() == [2, 0.5]
    assert "third column" in third.notes[0]
    assert read_graph(write("a.csv", "a,b,2\n"), weight_column=False).weights is None
    named = write("b.csv", "source,target,weight,strength\na,b,1,9\nb,c,3,9\n")
    assert read_graph(named).edge_weights.tolist() == [1, 3]
    assert read_graph(named, weight_column="strength").edge_weights.tolist() == [9, 9]
    assert read_graph(named, weight_column="3").edge_weights.tolist() == [9, 9]
    assert read_graph(write("c.csv", "a,b,1\nb,c,1\n")).weights is None  # all ones say nothing


def test_columns_by_name_and_number(write):
    path = write("e.csv", "kind,buyer,seller\nx,1,2\ny,2,3\n")
    for source, target in (("buyer", "seller"), (1, 2), ("1", "2")):
        graph = read_graph(path, source_column=source, target_column=target)
        assert id_pairs(graph) == {("1", "2"), ("2", "3")}
    assert "not used: kind" in " ".join(graph.notes)


def test_directed_is_noted(write):
    path = write("e.csv", "a,b\nb,a\nb,c\n")
    assert not [n for n in read_graph(path).notes if "irected" in n]
    noted = read_graph(path, directed=True)
    assert noted.num_edges == 2
    assert "Directed edges were read as undirected." in noted.notes


def test_label_columns_are_never_features(write):
    edges = write("edges.csv", "1,2\n")
    path = write("f.csv", "id,age,y,group\n1,30,0,7\n2,40,1,8\n")
    graph = read_graph(edges, features=path)
    assert graph.feature_names == ("age", "group")
    assert graph.y.tolist() == [0, 1]
    assert any("'y' was taken as labels" in note for note in graph.notes)
    graph = read_graph(edges, features=path, label_column="group")
    assert graph.feature_names == ("age", "y")
    assert graph.class_names == ("7", "8")
    alone = read_graph(edges, features=write("g.csv", "id,label\n1,a\n2,007\n"))
    assert alone.features_made
    assert alone.class_names == ("007", "a")


def test_a_graph_can_be_given_other_features_and_labels():
    graph = Graph.from_edges([(0, 1), (1, 2)], node_ids=np.array([7, 8, 9]), weights=[2, 3])
    other = read_graph(graph, features=np.eye(3), labels=["a", "b", "a"], name="new")
    assert other.name == "new"
    assert other.node_ids.tolist() == [7, 8, 9]
    assert other.edge_weights.tolist() == [2, 3]
    assert other.y.tolist() == [0, 1, 0]
    assert not other.features_made
    assert read_graph(graph) is graph


def test_a_large_edge_list_is_quick(tmp_path):
    import time

    pairs = np.random.default_rng(0).integers(0, 50_000, (300_000, 2))
    path = tmp_path / "e.csv"
    pd.DataFrame(pairs).map(lambda i: f"node-{i}").to_csv(path, index=False, header=False)
    start = time.perf_counter()
    graph = read_graph(path)
    assert time.perf_counter() - start < 15
    assert graph.num_nodes == len(np.unique(pairs))
