"""What ``DataFrame.to_parquet`` writes: the index is ids or nothing, never a feature."""

import pandas as pd
import pytest

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph

WORDS = [("ann", "bob"), ("bob", "cyd")]
NUMBERS = [(10, 20), (20, 35)]


def parquet(frame, folder):
    path = folder / "features.parquet"
    frame.to_parquet(path)
    return path


@pytest.mark.parametrize("name", [None, "who", "id"])
def test_an_index_of_words_holds_the_ids(tmp_path, name):
    index = pd.Index(["cyd", "ann", "bob"], name=name)
    path = parquet(pd.DataFrame({"age": [3.0, 1.0, 2.0]}, index=index), tmp_path)
    graph = read_graph(WORDS, features=path)
    assert graph.feature_names == ("age",)
    assert graph.x.tolist() == [[1.0], [2.0], [3.0]]


def test_so_does_one_of_numbers_with_gaps(tmp_path):
    path = parquet(pd.DataFrame({"age": [3.0, 1.0, 2.0]}, index=[35, 10, 20]), tmp_path)
    graph = read_graph(NUMBERS, features=path)
    assert graph.feature_names == ("age",)
    assert graph.x.tolist() == [[1.0], [2.0], [3.0]]


def test_so_does_a_range_that_does_not_count_rows(tmp_path):
    path = parquet(pd.DataFrame({"age": [1.0, 2.0]}, index=range(10, 30, 10)), tmp_path)
    assert read_graph([(10, 20)], features=path).x.tolist() == [[1.0], [2.0]]


def test_row_numbers_left_over_beside_an_id_column_are_nothing(tmp_path):
    frame = pd.DataFrame({"id": ["zoe", "ann", "bob", "cyd"], "age": [0.0, 1.0, 2.0, 3.0]})
    graph = read_graph(WORDS, features=parquet(frame[frame.id != "zoe"], tmp_path))
    assert graph.feature_names == ("age",)


def test_an_index_of_dates_beside_an_id_column_is_nothing(tmp_path):
    frame = pd.DataFrame({"id": ["ann", "bob", "cyd"], "age": [1.0, 2.0, 3.0]},
                         index=pd.date_range("2020", periods=3))  # fmt: skip
    assert read_graph(WORDS, features=parquet(frame, tmp_path)).feature_names == ("age",)
    assert read_graph(WORDS, features=frame).feature_names == ("age",)


def test_edges_whose_rows_were_filtered(tmp_path):
    frame = pd.DataFrame({"source": [1, 1, 2], "target": [1, 2, 3]})
    graph = read_graph(parquet(frame[frame.source != frame.target], tmp_path))
    assert graph.ids.tolist() == [1, 2, 3]
    assert graph.weights is None
    assert not any("not used" in note for note in graph.notes)


def test_labels_by_index(tmp_path):
    frame = pd.DataFrame({"colour": ["red", "blue", "red"]}, index=["cyd", "ann", "bob"])
    graph = read_graph(WORDS, labels=parquet(frame, tmp_path))
    assert graph.class_names == ("blue", "red")
    assert graph.y.tolist() == [0, 1, 1]


def test_an_index_with_a_value_twice_is_refused():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0]}, index=["ann", "bob", "ann"])
    with pytest.raises(InputError, match="'ann' is there twice"):
        read_graph([("ann", "bob")], features=frame)
