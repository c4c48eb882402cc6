"""Array files that are damaged, packed, pickled in part, or whose ids do not fit: each with its message."""

import gzip
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph

PAIRS = [(0, 1), (1, 2)]
OBJECTS = np.array([[1, 2], [3, 4], [5, 6]], dtype=object)


def refusal(source, **more):
    with pytest.raises(InputError) as error:
        read_graph(source, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("beside", [{}, {"ids": np.arange(3)}])
def test_pickled_features_are_refused_by_name(tmp_path, beside):
    np.savez(tmp_path / "x.npz", x=OBJECTS, **beside)
    assert "x.npz: its array 'x' holds pickled" in refusal(PAIRS, features=tmp_path / "x.npz")


def test_pickled_ids_are_not_overlooked(tmp_path):
    np.savez(tmp_path / "x.npz", x=np.ones((3, 2)), ids=np.array(["a", "b", "c"], dtype=object))
    assert "its array 'ids' holds pickled" in refusal([("a", "b"), ("b", "c")], features=tmp_path / "x.npz")


def test_pickled_features_of_a_graph_are_not_replaced_by_made_ones(tmp_path):
    np.savez(tmp_path / "graph.npz", edge_index=np.array(PAIRS).T, x=OBJECTS)
    assert "its array 'x' holds pickled" in refusal(tmp_path / "graph.npz")


def test_pickles_that_nobody_needs_are_left_alone(tmp_path):
    np.savez(tmp_path / "graph.npz", edge_index=np.array(PAIRS).T, metadata=np.array({"a": 1}, dtype=object))
    assert read_graph(tmp_path / "graph.npz").num_edges == 2


@pytest.mark.parametrize(
    ("ids", "part"),
    [
        (np.array([[0], [1], [2]]), "shape (3, 1)"),
        (np.array(3), "shape ()"),
        (np.array([0, 1]), "one for each of the 3 rows"),
        (np.array([0, 1, 1]), "has 1 twice"),
        (np.array([0.0, 0.5, 1.0]), "holds no whole numbers"),
    ],
)
def test_ids_beside_features(tmp_path, ids, part):
    np.savez(tmp_path / "x.npz", x=np.ones((3, 2)), ids=ids)
    assert part in refusal(PAIRS, features=tmp_path / "x.npz")


def test_whole_real_numbers_are_ids(tmp_path):
    np.savez(tmp_path / "x.npz", x=np.array([[2.0], [0.0], [1.0]]), ids=np.array([2.0, 0.0, 1.0]))
    assert read_graph(PAIRS, features=tmp_path / "x.npz").x.tolist() == [[0.0], [1.0], [2.0]]


def test_a_sparse_matrix_whose_columns_lead_outside(tmp_path):
    path = tmp_path / "x.npz"
    columns = np.array([0, 99, 2])
    np.savez(path, data=np.ones(3), indices=columns, indptr=np.arange(4), shape=(3, 3), format=b"csr")
    assert "x.npz: not an intact SciPy sparse matrix" in refusal(PAIRS, features=path)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_sparse_matrix_of_any_format(tmp_path, kind):
    sp.save_npz(tmp_path / "x.npz", sp.eye(3, format=kind))
    assert read_graph(PAIRS, features=tmp_path / "x.npz").x.toarray().tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"1,2\n3,4\n", "does not begin like one"),
        (pickle.dumps([1, 2]), "holds pickled Python objects"),
        (gzip.compress(b"whatever"), "packed by gzip"),
    ],
)
def test_what_is_no_array_file_is_told_for_what_it_is(tmp_path, content, part):
    (tmp_path / "x.npy").write_bytes(content)
    assert part in refusal(PAIRS, features=tmp_path / "x.npy")


def test_a_header_that_claims_more_than_fits_into_memory(tmp_path):
    claim = b"{'descr': '<f8', 'fortran_order': False, 'shape': (500000000000, 200), }".ljust(117) + b"\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + claim + bytes(100))
    assert "more than fits into memory" in refusal(PAIRS, features=tmp_path / "x.npy")
