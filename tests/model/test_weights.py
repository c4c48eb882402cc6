"""lambda and tilde-lambda: the paper's equations and inequalities."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import SettingsError
from gigamae.model.weights import (
    default_term_weights,
    knowledge_from_term,
    resolve_term_weights,
    subsets,
    term_from_knowledge,
)


@pytest.mark.parametrize(
    ("knowledge", "term"),
    [((5, 2, 6), (4, 1, 1)), ((2, 5, 6), (1, 4, 1)), ((1, 1, 3), (2, 2, -1)), ((0, 0, 1), (1, 1, -1))],
)
def test_the_papers_table_read_as_lambdas_is_the_releases_weights(knowledge, term):
    assert term_from_knowledge(knowledge, 2) == pytest.approx(term)


@given(st.lists(st.floats(0, 10), min_size=3, max_size=3))
def test_dual_is_the_papers_formula(knowledge):
    l1, l2, l3 = knowledge
    assert term_from_knowledge(knowledge, 2) == pytest.approx([l3 - l2, l3 - l1, l1 + l2 - l3], abs=1e-6)


@given(st.integers(1, 4), st.data())
def test_property_conversion_round_trips(n, data):
    count = 2**n - 1
    term = data.draw(st.lists(st.floats(-5, 5), min_size=count, max_size=count))
    assert term_from_knowledge(knowledge_from_term(term, n), n) == pytest.approx(term, abs=1e-6)


def test_subsets_are_all_and_ordered():
    assert subsets(3) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert subsets(3, max_order=1) == [(0,), (1,), (2,)]
    assert len(subsets(4)) == 15


def test_defaults_follow_what_targets_carry():
    weights = default_term_weights(["structure", "attributes"])
    assert weights == {"E": [5, 2, 6], "F": [2, 5, 6], "B": [1, 1, 3]}
    large = default_term_weights(["structure", "attributes", "both"])
    assert large["E"] == [5, 2, 6, 6, 6, 6, 6]


def test_a_broken_inequality_is_named():
    with pytest.raises(SettingsError, match=r"lambda_1 \+ lambda_2 >= lambda_3"):
        resolve_term_weights(["structure", "attributes"], knowledge_weights={"B": (1, 1, 3)})
    allowed = resolve_term_weights(
        ["structure", "attributes"], knowledge_weights={"B": (1, 1, 3)}, allow_negative=True
    )
    assert allowed["B"] == {(0,): 2.0, (1,): 2.0, (0, 1): -1.0}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"term_weights": {"X": (1, 1, 1)}}, "unknown node type 'X'"),
        ({"term_weights": {"E": (1, 1)}}, "has 2 numbers; 2 targets need 3"),
        ({"term_weights": {"E": (1, -1, 1)}}, "allow_negative_weights"),
        ({"term_weights": {}, "knowledge_weights": {}}, "not both"),
        ({"term_weights": {"E": (1, float("nan"), 1)}}, "finite"),
    ],
)
def test_bad_weights_say_what_is_wrong(told, message):
    with pytest.raises(SettingsError, match=message):
        resolve_term_weights(["structure", "attributes"], **told)


def test_max_order_leaves_out_large_subsets():
    weights = resolve_term_weights(["structure", "attributes", "both"], max_order=2)
    assert (0, 1, 2) not in weights["E"]
    assert len(weights["E"]) == 6
