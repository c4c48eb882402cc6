import importlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from gigamae import evaluate
from gigamae.errors import InputError, SettingsError
from gigamae.evaluate import auc, average_precision, link_scores

scores = st.lists(st.integers(-3, 3).map(lambda v: v / 2), min_size=1, max_size=30)  # many ties


@given(scores, scores)
def test_scikit_learn_agrees_ties_and_all(positive, negative):
    truth = [1] * len(positive) + [0] * len(negative)
    both = positive + negative
    p, n = np.array(positive), np.array(negative)
    assert auc(p, n) == pytest.approx(roc_auc_score(truth, both))
    assert average_precision(p, n) == pytest.approx(average_precision_score(truth, both))


@given(scores, scores)
def test_auc_is_the_share_of_pairs_in_order_and_turns_with_the_sign(positive, negative):
    p, n = np.array(positive), np.array(negative)
    won = sum((a > b) + (a == b) / 2 for a in positive for b in negative)
    assert auc(p, n) == pytest.approx(won / (len(p) * len(n)))
    assert auc(-p, -n) == pytest.approx(1 - auc(p, n))
    assert auc(n, p) == pytest.approx(1 - auc(p, n))


def test_scores_are_inner_products_in_blocks(rng, monkeypatch):
    # the package has a function of that name too, which is what a dotted path would find
    monkeypatch.setattr(importlib.import_module("gigamae.evaluate.links"), "CHUNK", 7)
    z = rng.standard_normal((20, 5)).astype(np.float32)
    pairs = rng.integers(20, size=(40, 2))
    expected = [sum(float(a) * float(b) for a, b in zip(z[u], z[v], strict=True)) for u, v in pairs]
    assert np.allclose(link_scores(z, pairs), expected)
    assert len(link_scores(z, [])) == 0


def planted():
    """Nodes 0-3 point one way, 4-7 another; edges lie within, non-edges across."""
    z = np.repeat(np.eye(2), 4, axis=0)
    within, across = np.array([[0, 1], [4, 5], [6, 7]]), np.array([[0, 4], [1, 7], [2, 6]])
    return z, SimpleNamespace(val_pos=across, val_neg=within, test_pos=within, test_neg=across)


def test_each_part_is_judged_on_its_own_pairs():
    z, split = planted()
    test, val = evaluate.links(z, split), evaluate.links(z, split, part="val")
    assert (test.auc.mean, test.ap.mean, test.part) == (1, 1, "test")
    assert (val.auc.mean, val.ap.mean, val.part) == (0, 0.5, "val")
    assert evaluate.links(-z, split) == test  # an inner product has no sign of its own


def test_constant_rows_are_a_coin():
    _, split = planted()
    result = evaluate.links(np.ones((8, 3)), split)
    assert (result.auc.mean, result.ap.mean) == (0.5, 0.5)


def test_the_split_of_a_graph_fits(rng):
    from gigamae.graph.graph import Graph
    from gigamae.graph.splits import split_links

    edges = rng.integers(40, size=(300, 2))
    split = split_links(Graph.from_edges(edges, np.ones((40, 1), np.float32)))
    for part in ("val", "test"):
        assert 0 <= evaluate.links(rng.standard_normal((40, 4)), split, part=part).auc.mean <= 1


def test_what_cannot_be_judged_says_why():
    z, split = planted()
    with pytest.raises(InputError, match=r"Pair 1 is \[4, 5\]"):
        evaluate.links(z[:5], split)
    with pytest.raises(InputError, match=r"Pair 0 is \[0, -1\]"):
        link_scores(z, [[0, -1]])
    with pytest.raises(InputError, match="whole numbers"):
        link_scores(z, [[0.5, 1.0]])
    with pytest.raises(SettingsError, match="part"):
        evaluate.links(z, split, part="train")
    split.test_neg = np.empty((0, 2), int)
    with pytest.raises(InputError, match="3 edges and 0 non-edges"):
        evaluate.links(z, split)
