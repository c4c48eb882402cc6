import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae import evaluate
from gigamae.errors import InputError, SettingsError

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "reference_classification.py"


def overlapping(seed, n=120, d=6, k=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.standard_normal((k, d))[y] + rng.standard_normal((n, d)), y


@given(st.integers(0, 10**6))
def test_permuting_nodes_with_their_splits_changes_nothing(seed):
    z, y = overlapping(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    place = np.argsort(order)  # where each node went
    splits = list(evaluate.random_splits(len(y), repeats=2, train_ratio=0.3, seed=seed))
    moved = [(place[train], place[test]) for train, test in splits]
    once = evaluate.classification(z, y, splits=splits)
    again = evaluate.classification(z[order], y[order], splits=moved)
    assert once == again


@given(st.integers(0, 10**6), st.floats(-20, 20))
def test_the_length_of_a_row_does_not_matter(seed, power):
    z, y = overlapping(seed)
    scale = 2.0 ** np.round(np.random.default_rng(seed).uniform(-3, 3, (len(y), 1)) + power)
    assert evaluate.classification(z, y, repeats=2) == evaluate.classification(z * scale, y, repeats=2)


def test_unknown_labels_are_as_if_the_nodes_were_not_there(rng):
    z, y = overlapping(0)
    hidden = rng.random(len(y)) < 0.3
    partial = np.where(hidden, -1, y)
    assert evaluate.classification(z, partial) == evaluate.classification(z[~hidden], y[~hidden])
    split = (np.arange(60), np.arange(60, 120))
    kept = tuple(nodes[~hidden[nodes]] for nodes in split)
    assert evaluate.classification(z, partial, splits=[split]) == evaluate.classification(z, y, splits=[kept])


def test_a_probe_never_sees_the_answers_of_the_test_nodes(rng):
    z, y = overlapping(1)
    train, test = next(evaluate.random_splits(120, train_ratio=0.5))
    shuffled = y.copy()
    shuffled[test] = rng.permutation(y[test])
    probe = evaluate.fit_probe(z[train], y[train])
    right = (probe.predict(z[test]) == shuffled[test]).mean()
    assert evaluate.classification(z, shuffled, splits=[(train, test)]).accuracy.mean == right


def test_splits_are_a_tenth_at_random_and_of_their_seed():
    splits = list(evaluate.random_splits(2708, seed=3))
    assert [(len(a), len(b)) for a, b in splits] == [(270, 2438)] * 10
    for train, test in splits:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(2708))
    first = next(evaluate.random_splits(2708, repeats=1, seed=3))
    assert np.array_equal(first[0], splits[0][0])
    assert len({tuple(train[:5]) for train, _ in splits}) == 10
    assert len(next(evaluate.random_splits(30))[0]) == 3  # 0.1 * 30 rounds to just above 3


def test_chance_is_chance_and_constant_rows_give_the_largest_class(rng):
    y = rng.integers(4, size=1000)
    noise = evaluate.classification(rng.standard_normal((1000, 4)), y, repeats=5).accuracy.mean
    assert 0.2 < noise < 0.32
    y = np.repeat([0, 1, 1, 1], 50)
    constant = evaluate.classification(np.ones((200, 3)), y, train_ratio=0.5)
    assert np.allclose(constant.accuracy.values, [(y[t] == 1).mean() for _, t in splits_of(y)])


def splits_of(y):
    return evaluate.random_splits(len(y), train_ratio=0.5)


def test_what_cannot_be_judged_says_why():
    z, y = overlapping(0)
    with pytest.raises(InputError, match="two classes; got 1"):
        evaluate.classification(z, np.zeros(120, int))
    with pytest.raises(InputError, match="4 training and 36 test"):
        evaluate.classification(z[:40], y[:40])
    with pytest.raises(SettingsError, match="train_ratio"):
        evaluate.classification(z, y, train_ratio=1.0)
    with pytest.raises(SettingsError, match="repeats"):
        evaluate.classification(z, y, repeats=0)


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference_classification", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reference_classification


def test_the_yardstick_on_one_split(reference):
    z, y = overlapping(5, n=200)
    splits = list(evaluate.random_splits(200, repeats=1, train_ratio=0.3))
    (expected,) = reference(z, y, splits)
    assert evaluate.classification(z, y, splits=splits).accuracy.mean == pytest.approx(expected, abs=0.01)


@pytest.mark.slow
def test_cora_as_one_vs_rest_liblinear_and_ten_times_faster(data_root, reference):
    """Ten splits, the full grid, on features smoothed over two hops and cut to 32 dimensions."""
    from sklearn.decomposition import TruncatedSVD

    from gigamae.graph.datasets import load_dataset

    graph = load_dataset("cora", root=data_root)
    steps = graph.adjacency() / np.maximum(graph.degree, 1)[:, None]
    smooth = steps @ (steps @ graph.x)
    z = TruncatedSVD(32, random_state=0).fit_transform(smooth)
    splits = list(evaluate.random_splits(graph.num_nodes))

    began = time.process_time()
    ours = evaluate.classification(z, graph.y, splits=splits).accuracy
    spent = time.process_time() - began
    theirs = reference(z, graph.y, splits)
    yardstick = time.process_time() - began - spent

    assert abs(ours.mean - np.mean(theirs)) <= 0.002
    assert np.abs(np.subtract(ours.values, theirs)).max() <= 0.005
    assert ours.mean > 0.75
    assert yardstick >= 10 * spent
