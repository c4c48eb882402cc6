"""What transform returns: the container that was asked for, and whose row is whose in it."""

import numpy as np
import pandas as pd
import pytest
import sklearn
import torch
from sklearn.base import clone

from gigamae import GiGaMAE
from gigamae.baselines import GAE
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph

WORDS = Graph.from_edges([[0, 1], [1, 2]], np.eye(3), node_ids=np.array(["cyd", "ann", "bob"]))


def model(**more):
    return GiGaMAE(["pca"], **{"hidden_dim": 16, "out_dim": 8, "heads": 2, "epochs": 1, **more})


@pytest.fixture
def fitted():
    return model().fit(WORDS)


def test_a_pandas_frame_has_the_ids_as_index(fitted):
    frame = fitted.set_output(transform="pandas").transform(WORDS)
    assert frame.index.tolist() == ["cyd", "ann", "bob"]
    assert list(frame.columns) == list(fitted.get_feature_names_out())
    numbered = fitted.transform(Graph.from_edges([[0, 1]], np.eye(3)[:2]))
    assert numbered.index.tolist() == [0, 1]


def test_so_it_has_where_scikit_learn_is_told_to_give_frames(fitted):
    with sklearn.config_context(transform_output="pandas"):
        assert fitted.transform(WORDS).index.tolist() == ["cyd", "ann", "bob"]


def test_a_frame_of_edges_lends_the_nodes_no_index():
    edges = pd.DataFrame({"source": ["b", "c", "d", "a"], "target": ["a", "b", "b", "d"]}, index=[5, 6, 7, 8])
    small = model().set_output(transform="pandas")
    assert small.fit_transform(edges).index.tolist() == ["a", "b", "c", "d"]


def test_another_container_is_refused_when_it_is_asked_for(fitted):
    with pytest.raises(SettingsError, match="transform='jax' is not one of default, pandas"):
        fitted.set_output(transform="jax")


def test_none_changes_nothing(fitted):
    assert isinstance(fitted.set_output(transform="torch").set_output().transform(WORDS), torch.Tensor)


@pytest.mark.parametrize("make", [model, lambda: GAE(epochs=1)], ids=["gigamae", "baseline"])
@pytest.mark.parametrize("kind", ["torch", "pandas", None])
def test_a_clone_gives_what_its_original_gives(make, kind):
    first = make().set_output(transform=kind)
    again = clone(clone(first)).fit_transform(WORDS)
    assert type(again) is type(first.fit_transform(WORDS))
    assert not isinstance(again, torch.Tensor) or kind == "torch"


def test_a_clone_is_asked_apart_from_its_original(fitted):
    again = clone(fitted.set_output(transform="torch")).set_output(transform="default")
    assert isinstance(again.fit_transform(WORDS), np.ndarray)
    assert isinstance(fitted.transform(WORDS), torch.Tensor)


def test_baselines_give_the_same_containers():
    baseline = GAE(epochs=1).fit(WORDS)
    assert baseline.set_output(transform="pandas").transform(WORDS).index.tolist() == ["cyd", "ann", "bob"]
    with pytest.raises(SettingsError, match="transform='jax' is not one of default, pandas"):
        baseline.set_output(transform="jax")
    assert isinstance(baseline.set_output(transform="torch").set_output().transform(WORDS), torch.Tensor)


def test_numbers_of_numpy_are_numbers():
    told = model(out_dim=np.int64(8), epochs=np.int32(1), tau=np.float32(0.5))
    assert type(told.settings.tau) is float
    assert type(told.settings.epochs) is int
    assert told.fit_transform(WORDS).shape == (3, 8)
