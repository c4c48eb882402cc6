"""A matrix of the user's own: read from whatever holds it, put into the graph's order, or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch

from gigamae.errors import InputError
from gigamae.graph.graph import Graph
from gigamae.targets.precomputed import Precomputed

M = np.array([[1.5, 0, -2], [0, 3, 0.25], [4, 0, 0], [-1, 7, 8]], dtype=np.float32)
IDS = ["ann", "bob", "cy", "007"]


@pytest.fixture
def graph() -> Graph:
    return Graph.from_edges([(0, 1), (1, 2), (2, 3)], np.eye(4, dtype="float32"), node_ids=IDS, name="crew")


def frame(order: list[int] | None = None) -> pd.DataFrame:
    order = [3, 0, 2, 1] if order is None else order
    table = pd.DataFrame(M[order], columns=["a", "b", "c"])
    table.insert(1, "node_id", [IDS[i] for i in order])
    return table


def write_npz_array(path: Path) -> None:
    np.savez(path, vectors=M)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "m.npy": lambda path: np.save(path, M.astype(np.float64)),
    "dense.npz": write_npz_array,
    "sparse.npz": lambda path: sp.save_npz(path, sp.csr_matrix(M)),
    "m.parquet": lambda path: frame().to_parquet(path),
    "m.csv": lambda path: frame().to_csv(path, index=False),
    "m.tsv": lambda path: frame().to_csv(path, index=False, sep="\t"),
    "plain.csv": lambda path: pd.DataFrame(M).to_csv(path, index=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files(name: str, graph: Graph, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    for source in (tmp_path / name, str(tmp_path / name)):
        z = Precomputed(source).fit(graph)
        assert z.dtype == np.float32
        np.testing.assert_array_equal(z, M)


@pytest.mark.parametrize(
    "source",
    [
        M, M.astype(np.float64).tolist(), np.asfortranarray(M), torch.from_numpy(M),
        torch.from_numpy(M).to(torch.bfloat16).requires_grad_(), sp.csc_matrix(M), sp.coo_array(M), frame(),
        frame().set_index("node_id"), pl.from_pandas(frame()), pa.Table.from_pandas(frame()),
        pd.DataFrame({"id": IDS, "vector": list(M)}),
        pl.DataFrame({"id": IDS, "vector": M}),
    ],
    ids=["array", "lists", "fortran", "tensor", "bfloat16", "csc", "coo", "pandas", "pandas index",
         "polars", "arrow", "pandas lists", "polars arrays"],
)  # fmt: skip
def test_objects(source: Any, graph: Graph) -> None:
    np.testing.assert_array_equal(Precomputed(source).fit(graph), M)


def test_rows_without_ids_are_in_the_order_of_the_nodes(graph: Graph) -> None:
    np.testing.assert_array_equal(Precomputed(pl.DataFrame(M)).fit(graph), M)
    np.testing.assert_array_equal(Precomputed(M[:, 0]).fit(graph), M[:, :1])


def test_ids_of_another_type_agree(graph: Graph) -> None:
    numbered = Graph.from_edges([(0, 1), (1, 2), (2, 3)], np.eye(4, dtype="float32"), node_ids=[3, 1, 2, 4])
    table = pd.DataFrame({"id": ["1", "2", "3", "4"], "v": [0.1, 0.2, 0.3, 0.4]})
    assert Precomputed(table).fit(numbered).ravel() == pytest.approx([0.3, 0.1, 0.2, 0.4])


def test_rows_of_no_node_are_left_out_and_told(graph: Graph, caplog: pytest.LogCaptureFixture) -> None:
    more = pd.concat([frame(), pd.DataFrame([{"node_id": "dan", "a": 9.0, "b": 9.0, "c": 9.0}])])
    np.testing.assert_array_equal(Precomputed(more, label="text").fit(graph), M)
    assert "target 'text': 1 rows name no node" in caplog.text


def test_the_id_column_can_be_named(graph: Graph) -> None:
    table = frame().rename(columns={"node_id": "who"})
    np.testing.assert_array_equal(Precomputed(table, id_column="who").fit(graph), M)


def with_nan(value: float) -> np.ndarray:
    bad = M.copy()
    bad[2, 1] = value
    return bad


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (M[:3], "target 'text' has 3 rows, but crew has 4 nodes.*order of the nodes"),
        (with_nan(np.nan), r"NaN or infinity for 1 nodes.*cy \(row 2\)"),
        (with_nan(np.inf), "Fill or drop"),
        (M.astype(np.float64) * 1e300, "NaN or infinity for 4 nodes"),
        ([[1.0, 2.0], [3.0]], "rows of different lengths"),
        (np.ones((4, 2, 2)), "must have shape"),
        (np.ones((4, 0)), "must have shape"),
        (np.array([["a"], ["b"], ["c"], ["d"]]), "must hold numbers"),
        (frame([0, 1, 2]), "no row for 1 of the 4 nodes of crew, the first of them 007"),
        (frame([0, 1, 2, 3, 0]), "several rows for node ann"),
        (frame().assign(city="Oslo"), "column 'city', holds .*string, not numbers"),
        (pd.DataFrame({"id": IDS}), "no columns of numbers beside 'id'"),
        (pd.DataFrame({"id": IDS, "v": [[1.0], [2.0, 3.0], [4.0], [5.0]]}), "lists of different lengths"),
        (frame().assign(a=[1.0, None, 2.0, 3.0]), "NaN or infinity"),
        ({"a": 1}, "must have shape|must hold numbers"),
    ],
)
def test_what_is_wrong_with_it_is_said(source: Any, said: str, graph: Graph) -> None:
    with pytest.raises(InputError, match=said) as error:
        Precomputed(source, label="text").fit(graph)
    assert str(error.value).startswith("target 'text'")


@pytest.mark.parametrize("source", [M, frame()], ids=["array", "frame"])
def test_a_named_column_that_is_not_there(source: Any, graph: Graph) -> None:
    with pytest.raises(InputError, match="no column 'key'"):
        Precomputed(source, id_column="key").fit(graph)


def test_a_sparse_matrix_that_would_fill_the_memory(graph: Graph) -> None:
    with pytest.raises(InputError, match="reduce its columns first"):
        Precomputed(sp.csr_matrix((4, 2**30))).fit(graph)


@pytest.mark.parametrize("name", ["m.npy", "dense.npz", "sparse.npz", "m.parquet"])
def test_a_truncated_file(name: str, graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=rf"{name}\): the file cannot be read, it may be cut off"):
        Precomputed(path).fit(graph)


@pytest.mark.parametrize("name", ["m.npy", "m.npz"])
def test_pickled_objects_are_refused(name: str, graph: Graph, tmp_path: Path) -> None:
    objects = np.array([{"a": 1}, None, [1], 2], dtype=object)
    path = tmp_path / name
    np.save(path, objects, allow_pickle=True) if path.suffix == ".npy" else np.savez(path, m=objects)
    with pytest.raises(InputError, match=r"a pickle\), which are refused"):
        Precomputed(path).fit(graph)


@pytest.mark.parametrize("name", ["m.pkl", "m.pt", "m"])
def test_other_files_are_refused_by_their_ending(name: str, graph: Graph, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x80\x04N.")
    with pytest.raises(InputError, match="pickles are refused"):
        Precomputed(tmp_path / name).fit(graph)


def test_a_file_that_is_not_there_and_one_with_several_arrays(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        Precomputed(tmp_path / "gone.npy").fit(graph)
    np.savez(tmp_path / "two.npz", a=M, b=M)
    with pytest.raises(InputError, match="one array is expected, a, b found"):
        Precomputed(tmp_path / "two.npz").fit(graph)


def test_params_tell_content_from_content() -> None:
    first, again, other = (Precomputed(m).params() for m in (M, M.tolist(), M + 1))
    assert first == again
    assert first["sha256"] != other["sha256"]
    shuffled = Precomputed(frame()).params()["sha256"], Precomputed(frame([0, 1, 2, 3])).params()["sha256"]
    assert shuffled[0] != shuffled[1]
