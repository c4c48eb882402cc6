import numpy as np
import pytest

from gigamae.errors import InputError
from gigamae.graph.labels import encode_labels


@pytest.mark.parametrize(
    ("values", "y", "names"),
    [
        ([3, -1, 1, 3], [1, -1, 0, 1], ["1", "3"]),
        ([10.0, np.nan, 9.0], [1, -1, 0], ["9", "10"]),
        (["b", "", "a", None], [1, -1, 0, -1], ["a", "b"]),
        (["10", "9", ""], [1, 0, -1], ["9", "10"]),  # numbers as text sort as numbers
        (["10", "007"], [1, 0], ["007", "10"]),
        ([True, False], [1, 0], ["False", "True"]),
        ([[0, 1], [1, 0], [0, 0]], [1, 0, -1], ["0", "1"]),
        ([[4], [2]], [1, 0], ["2", "4"]),
        ([None, None], [-1, -1], []),
    ],
)
def test_any_values(values, y, names):
    values = np.array(values, dtype=object if None in np.array(values, object).ravel() else None)
    found, classes = encode_labels(values, "labels")
    assert found.tolist() == y
    assert list(classes) == names
    assert found.dtype == np.int64


@pytest.mark.parametrize(
    "values", [[0.5, 1], [[1, 1], [0, 1]], [[0.2, 0.8]], np.zeros((2, 2, 2)), [1j]]
)
def test_no_labels(values):
    with pytest.raises(InputError, match="where"):
        encode_labels(np.array(values), "where")
