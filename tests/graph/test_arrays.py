"""Array files: read without ever unpickling, and closed again whatever happens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import InputError
from gigamae.graph.arrays import csr_from, read_npy, read_npz


def parts_of(matrix: sp.csr_matrix, prefix: str = "x_") -> dict[str, np.ndarray]:
    found = {part: getattr(matrix, part) for part in ("data", "indices", "indptr")}
    return {f"{prefix}{k}": v for k, v in {**found, "shape": np.array(matrix.shape)}.items()}


@given(seed=st.integers(0, 1000), n=st.integers(1, 6), d=st.integers(1, 6))
def test_property_a_sparse_matrix_comes_back_from_its_arrays(seed: int, n: int, d: int) -> None:
    matrix = sp.random(n, d, density=0.4, format="csr", random_state=seed)
    back = csr_from(parts_of(matrix), "x_", "here")
    assert back is not None
    assert (back != matrix).nnz == 0


@pytest.mark.parametrize(
    "change",
    [{"x_indices": np.array([9, 0])}, {"x_indptr": np.array([0, 2])}, {"x_shape": np.array([2])},
     {"x_indptr": np.array([0, 2, 1])}, {"x_data": np.array([1.0])}],
)  # fmt: skip
def test_a_broken_sparse_matrix_is_told_with_its_file(change: dict[str, np.ndarray]) -> None:
    arrays = {**parts_of(sp.csr_matrix([[0, 1.0], [2.0, 0]])), **change}
    with pytest.raises(InputError, match=r"here: the sparse matrix x_\* is broken"):
        csr_from(arrays, "x_", "here")


def test_no_sparse_matrix_where_a_part_is_missing() -> None:
    arrays = parts_of(sp.csr_matrix(np.eye(2)))
    del arrays["x_indptr"]
    assert csr_from(arrays, "x_", "here") is None


def test_pickled_arrays_are_left_out_beside_others(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.ones(3), names=np.array([{"a": 1}], dtype=object))
    assert list(read_npz(tmp_path / "a.npz")) == ["x"]


@pytest.mark.parametrize("read", [read_npy, read_npz])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY", b"text", b"\x80\x04N."])
def test_damaged_files_are_refused_and_closed(read, content: bytes, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Left open, a file would fail this test by a warning."""
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(InputError, match=str(path)):
        read(path)


def test_a_file_of_the_other_kind(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(3))
    np.savez(tmp_path / "b.npz", x=np.ones(3))
    with pytest.raises(InputError, match="rename"):
        read_npz(tmp_path / "a.npy")
    with pytest.raises(InputError, match="rename"):
        read_npy(tmp_path / "b.npz")
