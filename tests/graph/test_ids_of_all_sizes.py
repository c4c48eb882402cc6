"""Ids come back as they went in, or are refused: no wrapping around, no rounding, none made up."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph

HUGE = 2**63 + 5


def test_parquet_ids_of_64_bits_without_sign_stay_what_they_are(tmp_path):
    path = tmp_path / "edges.parquet"
    columns = {k: pa.array(v, pa.uint64()) for k, v in {"source": [HUGE, 2], "target": [2, 7]}.items()}
    pq.write_table(pa.table(columns), path)
    assert sorted(read_graph(path).ids.tolist()) == ["2", "7", str(HUGE)]


@pytest.mark.parametrize(
    "edges",
    [
        np.array([[HUGE, 1]], dtype=np.uint64),
        [(HUGE, 1)],
        pd.DataFrame({"u": np.array([HUGE], np.uint64), "v": np.array([1], np.uint64)}),
    ],
)
def test_so_do_those_of_objects(edges):
    assert read_graph(edges).ids.tolist() == ["1", str(HUGE)]


@pytest.mark.parametrize("edges", [np.array([[1, 1e300]]), pd.DataFrame({"u": [1.0], "v": [2.0**60]})])
def test_real_numbers_too_large_to_be_exact_are_refused(edges):
    with pytest.raises(InputError, match="whole numbers"):
        read_graph(edges)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_id_is_not_an_id(missing):
    with pytest.raises(InputError, match=r"(?i)the list of edges: (None|nan) stands where an id is needed"):
        read_graph([("ann", "bob"), ("bob", missing)])


def test_a_tensor_of_two_rows_is_an_edge_index():
    import torch

    graph = read_graph(torch.tensor([[0, 1, 2], [1, 2, 3]]))
    assert graph.num_edges == 3
    assert graph.weights is None


def test_a_lazy_frame_is_collected():
    import polars as pl

    assert read_graph(pl.LazyFrame({"source": ["a"], "target": ["b"]})).ids.tolist() == ["a", "b"]


def test_the_empty_path_is_not_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "edges.csv").write_text("1,2\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="path is empty"):
        read_graph("")


def test_an_id_that_numpy_would_shorten_is_refused():
    with pytest.raises(InputError, match="ends in a NUL"):
        read_graph([("a", "b"), ("a\0", "b")])
