"""Whose row is whose in a matrix of the user's own: by column, by index of pandas, else by order."""

import numpy as np
import pandas as pd
import pytest

from gigamae.errors import InputError
from gigamae.graph.graph import Graph
from gigamae.targets import Precomputed

GRAPH = Graph.from_edges([[0, 1], [1, 2]], np.eye(3), node_ids=np.array(["007", "ann", "bob"]))
VALUES = [[1.0], [2.0], [3.0]]


@pytest.fixture(params=["object", "parquet"])
def held(request, tmp_path):
    """The frame itself, or a Parquet file of it."""

    def hold(frame):
        if request.param == "object":
            return frame
        frame.to_parquet(tmp_path / "text.parquet")
        return tmp_path / "text.parquet"

    return hold


@pytest.mark.parametrize("name", [None, "id", "who"])
def test_an_index_of_ids(held, name):
    index = pd.Index(["bob", "007", "ann"], name=name)
    frame = pd.DataFrame({"a": [3.0, 1.0, 2.0]}, index=index)
    assert Precomputed(held(frame)).fit(GRAPH).tolist() == VALUES


def test_row_numbers_are_no_ids(held):
    assert Precomputed(held(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))).fit(GRAPH).tolist() == VALUES


def test_an_index_left_over_beside_an_id_column_is_no_value(held):
    frame = pd.DataFrame({"id": ["zoe", "bob", "007", "ann"], "a": [0.0, 3.0, 1.0, 2.0]})
    assert Precomputed(held(frame[frame.id != "zoe"])).fit(GRAPH).tolist() == VALUES


def test_the_column_that_was_named(held):
    frame = pd.DataFrame({"who": ["bob", "007", "ann"], "a": [3.0, 1.0, 2.0]}, index=[7, 8, 9])
    assert Precomputed(held(frame), id_column="who").fit(GRAPH).tolist() == VALUES


@pytest.mark.parametrize("column", ["id", "who"])
def test_ids_of_a_text_file_stay_as_they_are_written(tmp_path, column):
    (tmp_path / "text.csv").write_text(f"{column},a\n007,1\nann,2\nbob,3\n")
    source = Precomputed(tmp_path / "text.csv", id_column=None if column == "id" else column)
    assert source.fit(GRAPH).tolist() == VALUES
    numbers = Graph.from_edges([[0, 1]], np.eye(2), node_ids=np.array(["007", "012"]))
    (tmp_path / "text.csv").write_text(f"{column},a\n012,2\n007,1\n")
    source = Precomputed(tmp_path / "text.csv", id_column=None if column == "id" else column)
    assert source.fit(numbers).tolist() == [[1.0], [2.0]]


def test_a_sparse_matrix_whose_columns_lead_outside(tmp_path):
    path = tmp_path / "text.npz"
    columns = np.array([0, 99, 2])
    np.savez(path, data=np.ones(3), indices=columns, indptr=np.arange(4), shape=(3, 3), format=b"csr")
    with pytest.raises(InputError, match="intact"):
        Precomputed(path).fit(GRAPH)
