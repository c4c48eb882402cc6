"""Every bad input has its message: what, where (file and row), what to do."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph

EDGES = "source,target,weight\n1,2,1\n2,3,2\n3,4,1\n"
FEATURES = "id,age,size\n1,0.5,1\n2,1.5,2\n3,2.5,3\n4,3.5,4\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "features.csv").write_text(FEATURES)
    return tmp_path


def message(*arguments, **more):
    with pytest.raises(InputError) as error:
        read_graph(*arguments, **more)
    assert error.value.exit_code == 2
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("edges", "more", "parts"),
    [
        (EDGES, dict(source_column="from"), ["edges.csv has no column 'from'", "source, target"]),
        (EDGES, dict(weight_column="w"), ["no column 'w'", "weight column"]),
        (EDGES, dict(source_column=7), ["no column 7"]),
        ("a\nb\n", {}, ["edges.csv has one column", "source and target"]),
        ("a,b\nc,d\ne,f,g\nh,i\n", {}, ["edges.csv, line 3: 3 cells where 2"]),
        ("# note\n\nsource,target\na,b\n\nc\n", {}, ["edges.csv, line 6: 1 cells where 2"]),
        ("a b\nc  d\ne f g\n", {}, ["edges.csv, line 3: 3 cells where 2"]),
        ("source,target,weight\n1,2,1\n2,3,-4\n", {}, ["edges.csv, line 3", "weight -4"]),
        ("1,2,1\n2,3,-4\n", {}, ["edges.csv, line 2", "weight -4"]),
        ("source,target,weight\n1,2,1\n2,3,heavy\n", {}, ["line 3", "'weight'", "'heavy'"]),
        ("source,target,weight\n1,2,1\n2,3,\n", {}, ["line 3", "'weight'", "empty"]),
        ("source,target,weight\n1,2,inf\n", {}, ["line 2", "'weight'", "inf"]),
        ("source,target,weight\n1,2,1e39\n", {}, ["line 2", "1e+39", "float32"]),
        ("source;target;weight\n1;2;0,5\n", {}, ["line 2", "'0,5'", "with a point"]),
        ("source,target\n1,2\n,3\n", {}, ["edges.csv, line 3", "'source'", "id is missing"]),
        ("source,source\n1,2\n", {}, ["two columns are named 'source'"]),
        ("", {}, ["edges.csv is empty"]),
        ("\n# nothing\n", {}, ["edges.csv has no records"]),
        ("source,target\n", {}, ["empty (no nodes)"]),
    ],
)
def test_edges(tmp_path, edges, more, parts):
    path = tmp_path / "edges.csv"
    path.write_text(edges)
    text = message(path, **more)
    for part in parts:
        assert part in text


@pytest.mark.parametrize(
    ("features", "parts"),
    [
        ("id,age\n1,2\n2,3\n", ["names 2 nodes without a row", "features.csv", "3, 4"]),
        ("id,age\n1,2\n2,3\n2,3\n3,4\n4,5\n", ["features.csv, line 4", "id '2' is there twice"]),
        ("id,age\n1,2\n2,nan\n3,4\n4,5\n", ["features.csv, line 3", "'age'", "NaN"]),
        ("id,age\n1,2\n2,\n3,4\n4,5\n", ["features.csv, line 3", "'age'", "empty"]),
        ("id,age\n1,2\n2,3\n3,-inf\n4,5\n", ["features.csv, line 4", "'age'", "-inf"]),
        ("id,age\n1,2\n2,3,4\n3,4\n4,5\n", ["features.csv, line 3: 3 cells where 2"]),
        ("id,city\n1,Oslo\n2,Rome\n3,Oslo\n4,Rome\n", ["'city'", "one-hot", "'Oslo'", "line 2"]),
        ("", ["features.csv is empty"]),
        ("id,age\n1,2\n,3\n3,3\n4,3\n", ["features.csv, line 3", "id is missing"]),
        ("0.1,0.2\n0.3,0.4\n", ["features.csv", "2 rows for 4 nodes", "id column"]),
    ],
)
def test_features(folder, features, parts):
    (folder / "features.csv").write_text(features)
    text = message(folder / "edges.csv", features=folder / "features.csv")
    for part in parts:
        assert part in text, text


def test_text_far_down_a_column_of_numbers(folder):
    lines = ["id,age", *(f"{i},{i}" for i in range(1, 5000))]
    lines[3000] = "3000,old"
    (folder / "features.csv").write_text("\n".join(lines))
    text = message(folder / "edges.csv", features=folder / "features.csv")
    assert "line 3001, column 'age': 'old' is not a number" in text


def test_id_columns(folder):
    text = message(folder / "edges.csv", features=folder / "features.csv", id_column="key")
    assert "features.csv has no column 'key' (the id column); it has: id, age, size" in text
    assert "no column 'team'" in message(
        folder / "edges.csv", features=folder / "features.csv", label_column="team"
    )
    assert "label_column" in message(folder / "edges.csv", label_column="team")


def test_arrays(folder):
    edges = folder / "edges.csv"
    for x, parts in (
        (np.ones((4, 2)), ["4 rows without ids", "0..3", "names 1..4", "id column"]),
        (np.ones((2, 2)), ["2 rows for 4 nodes"]),
        (np.array([["a"]] * 5), ["must be numbers"]),
        (np.full((5, 1), np.nan), ["row 0", "NaN"]),
        (sp.csr_matrix([[1.0], [1], [1], [np.inf], [1]]), ["row 3", "infinity"]),
        (np.ones((5, 1, 1)), ["shape (N, D)"]),
    ):
        np.save(folder / "x.npy", x) if not sp.issparse(x) else sp.save_npz(folder / "x.npz", x)
        source = folder / ("x.npz" if sp.issparse(x) else "x.npy")
        text = message(edges, features=source)
        if "rows without" in parts[0] or sp.issparse(x):
            assert source.name in text
        for part in parts:
            assert part in text, text
    text = message([("a", "b")], features=np.ones((2, 1)))
    assert "names nodes by text" in text


def test_damaged_and_refused_files(folder):
    edges = folder / "edges.csv"
    np.savez(folder / "x.npz", x=np.random.default_rng(0).random((500, 3)))
    whole = (folder / "x.npz").read_bytes()
    for cut in (50, 2000, len(whole) - 30):
        (folder / "x.npz").write_bytes(whole[:cut])
        assert "x.npz" in (text := message(edges, features=folder / "x.npz"))
        assert "truncated" in text
    (folder / "x.npz").write_bytes(whole[:200] + b"\xff" * 100 + whole[300:])
    assert "truncated" in message(edges, features=folder / "x.npz")
    np.save(folder / "x.npy", np.array([{"a": 1}, None]), allow_pickle=True)
    text = message(edges, features=folder / "x.npy")
    assert "pickled Python objects, which are refused" in text
    assert "np.save" in text
    np.savez(folder / "p.npz", x=np.array([{"a": 1}, None]))
    assert "refused" in message(edges, features=folder / "p.npz")
    (folder / "x.npy").write_bytes(pickle.dumps([1, 2]))
    assert "refused" in message(edges, features=folder / "x.npy")
    (folder / "graph.pkl").write_bytes(pickle.dumps([1, 2]))
    assert "refused" in message(folder / "graph.pkl")
    (folder / "x.parquet").write_bytes(b"PAR1 and no more")
    assert "cannot be read as Parquet" in message(edges, features=folder / "x.parquet")
    (folder / "x.npy").write_bytes(b"")
    assert "empty" in message(edges, features=folder / "x.npy")


def test_wrong_file_types(folder):
    (folder / "graph.json").write_text("{}")
    assert "type .json are not read" in message(folder / "graph.json")
    (folder / "x.xlsx").write_bytes(b"PK\x03\x04")
    assert ".xlsx" in message(folder / "edges.csv", features=folder / "x.xlsx")
    (folder / "really.csv").write_bytes(b"PAR1\x00\x01\x02")
    assert "is not a text file" in message(folder / "really.csv")
    (folder / "latin.csv").write_bytes("a,b\nå,c\n".encode("latin1"))
    assert "latin.csv, line 2: not UTF-8" in message(folder / "latin.csv")
    np.save(folder / "y.npy", np.ones(3))
    (folder / "y.npy").rename(folder / "y.npz")
    assert "rename" in message(folder / "y.npz")


def test_paths(folder):
    assert "Did you mean edges.csv" in message(folder / "edge.csv")
    assert "nor the folder" in message(folder / "nowhere" / "edges.csv")
    assert "load_dataset('cora')" in message(folder / "cora")


def test_labels(folder):
    edges = folder / "edges.csv"
    labels = folder / "labels.csv"
    labels.write_text("id,label\n1,a\n9,b\n")
    text = message(edges, features=folder / "features.csv", labels=labels)
    assert "labels.csv, line 3: 1 labelled ids are no nodes of the graph: 9" in text
    labels.write_text("id,label\n" + "".join(f"{i},{i}\n" for i in range(1, 8)))
    text = message(edges, features=folder / "features.csv", labels=labels)
    assert "more classes than nodes (7 different labels, 4 nodes)" in text
    assert "2 rows for 4 nodes" in message(edges, labels=[0, 1])
    labels.write_text("id,red,blue\n1,0,1\n2,1,0\n")
    assert "which column holds the labels" in message(edges, labels=labels)
    frame = pd.DataFrame({"id": [1, 2], "label": [0.5, 1.0]})
    assert "label 0.5 is not a class" in message(edges, labels=frame)


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (42, "int is not understood as a graph"),
        ({"edges": []}, "dict is not understood"),
        ([("a", "b"), ("c",)], "entry 1"),
        (np.ones((3, 5)), "neither (M, 2) nor (2, M)"),
        (np.array([[0.5, 1.0]]), "whole numbers"),
        (np.array(["a", "b"]), "not understood"),
        (sp.csr_matrix(np.ones((2, 3))), "square"),
        (sp.csr_matrix([[0, -1.0], [1, 0]]), "weight -1"),
        (sp.csr_matrix([[0, np.nan], [1, 0]]), "weight nan"),
        ([("a", 1), ("b", "1")], "several types"),
        (pd.DataFrame({"source": [1, None], "target": [2, 3]}), "row 1"),
        (pd.DataFrame({"source": [1.5, 2], "target": [2, 3]}), "whole numbers or text"),
        (pd.DataFrame({"source": [1, "a"], "target": [2, 3]}), "mixed"),
        ((np.array([[0, 5]]).T, np.eye(3)), "it names node 5, but nodes are numbered 0..2"),
    ],
)
def test_objects(source, part):
    assert part in message(source)
