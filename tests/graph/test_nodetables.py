"""Tables of features and labels: which columns are ids, labels and values."""

import pytest

from gigamae.graph.readers import read_graph


@pytest.mark.parametrize("first", ["x,who,z\n", ""])
def test_a_column_of_text_that_holds_the_ids_is_found_wherever_it_stands(tmp_path, first):
    (tmp_path / "features.csv").write_text(first + "1,bob,2\n3,ann,4\n")
    graph = read_graph([("ann", "bob")], features=tmp_path / "features.csv")
    assert graph.x.tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_y_is_a_feature_where_it_has_fractions_and_a_label_where_not(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("id,x,y\n0,1,0.5\n1,2,0.25\n")
    assert read_graph([(0, 1)], features=path).feature_names == ("x", "y")
    path.write_text("id,x,y\n0,1,5\n1,2,7\n")
    graph = read_graph([(0, 1)], features=path)
    assert graph.class_names == ("5", "7")
    assert "rename it if it is one" in graph.notes[0]


def test_nan_among_numbers_is_no_class(tmp_path):
    (tmp_path / "labels.csv").write_text("id,label\n0,1\n1,nan\n2,3\n")
    graph = read_graph([(0, 1), (1, 2)], labels=tmp_path / "labels.csv")
    assert graph.y.tolist() == [0, -1, 1]
    assert graph.class_names == ("1", "3")
