import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import InputError
from gigamae.graph.ids import as_numbers, encode, from_objects, positions, settle
from gigamae.graph.parts import Ids


def text(*values, kind="text"):
    return Ids(np.array(values, dtype=object), kind)


def numbers(*values):
    return Ids(np.array(values, dtype=np.int64), "int")


@given(st.lists(st.integers(-5, 5), max_size=20), st.lists(st.integers(-5, 5), max_size=20))
def test_property_encode_and_positions_undo_each_other(left, right):
    for make in (numbers, lambda *v: text(*map(str, v))):
        a, b = make(*left), make(*right)
        unique, (code_a, code_b) = encode(a, b)
        assert unique.values.tolist() == sorted(set(a.values) | set(b.values))
        assert unique.values[code_a].tolist() == a.values.tolist()
        assert positions(b.values, unique.values).tolist() == code_b.tolist()
        lost = positions(a.values, np.unique(b.values)) < 0
        assert lost.tolist() == [v not in set(b.values) for v in a.values]


@pytest.mark.parametrize("odd", ["007", "+1", "1.0", "1e3", "", "-0", " 1", str(2**63), "a"])
def test_text_that_is_no_plain_number_stays_text(odd):
    assert as_numbers(np.array(["1", odd], dtype=object)) is None


def test_the_edges_decide_what_ids_are():
    def kinds(*ids):
        return [i.values.tolist() for i in settle(*ids)]

    assert kinds(text("1"), text("2")) == [[1], [2]]
    assert kinds(text("1"), text("x2")) == [["1"], ["x2"]]
    assert kinds(text("1"), numbers(2)) == [[1], [2]]
    assert kinds(text("1"), text("2", kind="str")) == [["1"], ["2"]]
    assert kinds(numbers(1), text("2", kind="str")) == [[1], [2]]
    assert kinds(numbers(1), text("b", kind="str")) == [["1"], ["b"]]
    assert kinds(text("1", kind="str"), numbers(2)) == [["1"], ["2"]]


def test_objects():
    assert from_objects([3, np.int32(4)], "x", []).kind == "int"
    assert from_objects(["a"], "x", []).kind == "str"
    notes: list[str] = []
    assert from_objects([True, 2.5], "x", notes).values.tolist() == ["True", "2.5"]
    assert notes
    with pytest.raises(InputError, match="same text"):
        from_objects([1, "1"], "x", [])
