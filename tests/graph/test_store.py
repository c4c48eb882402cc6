import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import InputError
from gigamae.graph import Graph
from gigamae.graph.readers import read_graph
from gigamae.graph.store import load_graph, save_graph

text = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)


def assert_same(a: Graph, b: Graph) -> None:
    assert a.fingerprint() == b.fingerprint()
    for field in ("name", "notes", "feature_names", "class_names", "features_made"):
        assert getattr(a, field) == getattr(b, field)
    for field in ("indptr", "indices", "weights", "y", "node_ids"):
        left, right = getattr(a, field), getattr(b, field)
        np.testing.assert_array_equal(left, right)
        assert left is None or left.dtype == right.dtype
    assert sp.issparse(a.x) == sp.issparse(b.x)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12),
    st.one_of(st.none(), st.lists(st.one_of(text), min_size=5, max_size=5, unique=True),
              st.lists(st.integers(-(2**62), 2**62), min_size=5, max_size=5, unique=True)),
    st.booleans(), st.sampled_from(["dense", "sparse", "made"]), st.lists(text, min_size=2),
)  # fmt: skip
def test_property_round_trip(tmp_path_factory, edges, ids, weighted, kind, names):
    rng = np.random.default_rng(len(edges))
    x = rng.standard_normal((5, len(names))).astype("float32") * (rng.random((5, 1)) < 0.7)
    graph = Graph.from_edges(
        edges,
        {"dense": x, "sparse": sp.csr_matrix(x), "made": None}[kind],
        num_nodes=5,
        weights=rng.random(len(edges)) + 0.1 if weighted else None,
        y=rng.integers(-1, 3, 5),
        node_ids=None if ids is None else np.array(ids),
        feature_names=names,
        class_names=["a", "b", names[0]],
        name=names[1],
    )
    path = save_graph(graph, tmp_path_factory.mktemp("s") / "deep" / "graph.npz")
    assert_same(load_graph(path), graph)
    assert_same(read_graph(path), graph)


def test_file_appears_whole_and_holds_no_pickle(tmp_path):
    graph = Graph.from_edges([(0, 1)], node_ids=np.array(["a", "b"], dtype=object))
    save_graph(graph, tmp_path / "g.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["g.npz"]
    with np.load(tmp_path / "g.npz", allow_pickle=False) as arrays:
        assert all(arrays[key].dtype != object for key in arrays.files)
    mixed = Graph.from_edges([(0, 1)], node_ids=np.array(["a", (1, 2)], dtype=object))
    with pytest.raises(InputError, match="cannot be saved"):
        save_graph(mixed, tmp_path / "h.npz")
    assert not (tmp_path / "h.npz").exists()


def alter(path, **changes):
    with np.load(path) as file:
        arrays = dict(file)
    told = json.loads(arrays["gigamae"].tobytes())
    told.update(changes.pop("told", {}))
    arrays["gigamae"] = np.frombuffer(json.dumps(told).encode(), np.uint8)
    for key, value in changes.items():
        arrays.pop(key) if value is None else arrays.__setitem__(key, np.array(value))
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "changes",
    [
        dict(indptr=[0, 1, 2, 4]),
        dict(indptr=[0, 5, 2, 4]),
        dict(indices=[1, 0, 2, 2]),
        dict(indices=[1, 0, 99, 1]),
        dict(indices=None),
        dict(x=[[1.0], [2.0]]),
        dict(x=[[1.0], [np.nan], [2.0]]),
        dict(x=None),
        dict(weights=[1, 2]),
        dict(weights=[1, 1, -1, -1]),
        dict(weights=[1, 2, 3, 4]),
        dict(y=[0]),
        dict(node_ids=["a"]),
        dict(told={"version": 99}),
        dict(told={"feature_names": ["a", "b"]}),
    ],
)
def test_altered_files_are_refused(tmp_path, changes):
    path = tmp_path / "g.npz"
    save_graph(Graph.from_edges([(0, 1), (1, 2)], np.ones((3, 1)), weights=[1, 2]), path)
    assert load_graph(path).num_edges == 2
    alter(path, **changes)
    with pytest.raises(InputError):
        load_graph(path)


def test_other_files(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_graph(tmp_path / "no.npz")
    np.savez(tmp_path / "x.npz", x=[1])
    with pytest.raises(InputError, match="no graph saved by save_graph"):
        load_graph(tmp_path / "x.npz")


def test_whoever_may_read_the_folder_may_read_the_file(tmp_path):
    (tmp_path / "other").write_text("")
    save_graph(Graph.from_edges([[0, 1]], np.eye(2)), tmp_path / "graph.npz")
    modes = {(tmp_path / name).stat().st_mode for name in ("other", "graph.npz")}
    assert len(modes) == 1
