import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.planetoid import read_pickle, read_planetoid


def test_arrays_matrices_and_containers_come_through(tmp_path):
    path = tmp_path / "f"
    matrix = sp.csr_matrix([[0, 1.5], [2, 0]])
    for protocol in (2, 4):
        path.write_bytes(pickle.dumps(np.arange(6).reshape(2, 3), protocol))
        np.testing.assert_array_equal(read_pickle(path), [[0, 1, 2], [3, 4, 5]])
        path.write_bytes(pickle.dumps(matrix, protocol))
        np.testing.assert_array_equal(read_pickle(path).toarray(), matrix.toarray())
        path.write_bytes(pickle.dumps({1: [2, 3]}, protocol))
        assert read_pickle(path) == {1: [2, 3]}


class Harmful:
    def __init__(self, call, *arguments):
        self.call = call, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "harmful", [Harmful(eval, "1 + 1"), Harmful(__import__, "os"), Harmful(getattr, 1, "real")]
)
def test_whatever_could_run_code_is_refused(tmp_path, harmful):
    path = tmp_path / "ind.cora.x"
    for protocol in (0, 2, 4):
        path.write_bytes(pickle.dumps([np.zeros(2), harmful], protocol))
        with pytest.raises(InputError, match="asks for"):
            read_pickle(path)


def test_a_matrix_may_not_smuggle_methods(tmp_path):
    path = tmp_path / "f"
    matrix = sp.csr_matrix([[1.0]])
    matrix.to_csr = Harmful(eval, "1")
    path.write_bytes(pickle.dumps(matrix))
    with pytest.raises(InputError, match="asks for"):
        read_pickle(path)


def test_damaged_files(tmp_path):
    path = tmp_path / "ind.cora.x"
    path.write_bytes(pickle.dumps(np.arange(100))[:50])
    with pytest.raises(InputError, match="not a Planetoid file"):
        read_pickle(path)
    (tmp_path / "ind.cora.test.index").write_text("1\ntwo\n")
    with pytest.raises(InputError, match="do not fit together"):
        read_planetoid(tmp_path, "cora")
