"""The class that a user holds: scikit-learn's habits, odd graphs, and what must not change a result."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gigamae import GiGaMAE, evaluate
from gigamae.errors import InputError, NotFittedError, SettingsError, TrainingError
from gigamae.graph.demo import demo_graph
from gigamae.graph.graph import Graph
from gigamae.settings import Settings
from gigamae.targets import PCA, Node2Vec

GRAPH = demo_graph(160, seed=1)
NARROW = {"hidden_dim": 16, "out_dim": 8, "heads": 2, "epochs": 2}
WALKS = {"name": "node2vec", "dim": 8, "epochs": 1}


def model(targets=None, **changes):
    targets = {"words": {"name": "pca", "k": 6}} if targets is None else targets
    return GiGaMAE(targets, **{**NARROW, **changes})


def permuted(graph, order):
    """The same graph with node ``order[i]`` now called i."""
    back = np.argsort(order)
    return Graph.from_edges(
        back[graph.edges], graph.x[order], y=None if graph.y is None else graph.y[order], name=graph.name
    )


# -- scikit-learn ------------------------------------------------------------------------------------


def test_every_setting_is_an_argument_with_the_same_default():
    given_ = GiGaMAE().get_params()
    assert set(given_) == {*Settings.names(), "targets", "random_state", "device", "cache"}
    assert GiGaMAE().settings == Settings()


def test_clone_get_and_set():
    first = model({"mine": np.ones((160, 2)), "walks": Node2Vec(dim=8)}, tau=0.3, random_state=7)
    copy = clone(first)
    assert copy is not first
    assert {k: v for k, v in copy.get_params().items() if k != "targets"} == {
        k: v for k, v in first.get_params().items() if k != "targets"
    }
    assert copy.set_params(tau=0.9, encoder="gcn").settings.tau == 0.9
    assert first.tau == 0.3
    with pytest.raises(ValueError, match="colour"):
        copy.set_params(colour=1)
    assert GiGaMAE.from_settings(first.settings, ["pca"], random_state=3).settings == first.settings


def test_settings_are_checked_when_fitting_and_not_before():
    wrong = model(encoder="gta")
    with pytest.raises(SettingsError, match="Did you mean 'gat'"):
        wrong.fit(GRAPH)
    with pytest.raises(SettingsError, match="random_state=-1"):
        model(random_state=-1).fit(GRAPH)


def test_transform_before_fit():
    with pytest.raises(NotFittedError, match="not fitted"):
        model().transform(GRAPH)


def test_it_stands_in_a_pipeline():
    z = make_pipeline(model(), StandardScaler()).fit_transform(GRAPH, GRAPH.y)
    assert z.shape == (160, 8)
    assert np.allclose(z.mean(axis=0), 0, atol=1e-5)


def test_output_as_a_table_or_a_tensor():
    fitted = model().fit(GRAPH)
    z = fitted.transform(GRAPH)
    assert z.dtype == np.float32
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    import torch

    for kind, cls in (("pandas", pandas.DataFrame), ("polars", polars.DataFrame), ("torch", torch.Tensor)):
        table = fitted.set_output(transform=kind).transform(GRAPH)
        assert isinstance(table, cls)
        assert np.array_equal(np.asarray(table), z)
        if kind != "torch":
            assert list(table.columns) == list(fitted.get_feature_names_out())
    assert isinstance(fitted.set_output(transform="default").transform(GRAPH), np.ndarray)


# -- results -----------------------------------------------------------------------------------------


def test_fit_transform_is_fit_then_transform_and_a_seed_repeats_itself(tmp_path):
    once = model(random_state=2)
    z = once.fit_transform(GRAPH)
    assert np.array_equal(z, once.transform(GRAPH))
    assert np.array_equal(z, clone(once).fit(GRAPH).transform(GRAPH))
    assert not np.array_equal(z, model(random_state=3).fit_transform(GRAPH))
    assert np.array_equal(z, GiGaMAE.load(once.save(tmp_path)).transform(GRAPH))
    assert once.n_features_in_ == 400
    assert once.graph_fingerprint_ == GRAPH.fingerprint()


@pytest.mark.parametrize(
    "targets",
    [
        "pca",
        ["pca"],
        [PCA(k=4)],
        [np.eye(160)],
        [sp.eye(160, 9, format="csr")],
        {"text": np.eye(160)[:, :3], "attributes": PCA(k=4)},
        {"a": {"name": "pca", "k": 3}, "b": np.eye(160)[:, :4], "c": PCA(k=2)},
    ],
)
def test_targets_come_in_many_forms(targets):
    fitted = model(targets).fit(GRAPH)
    assert np.isfinite(fitted.transform(GRAPH)).all()
    assert len(fitted.module_.subsets) == 2 ** len(fitted.targets_) - 1


def test_weights_are_told_by_node_type():
    told = {"E": [5, 0, 6], "F": [0, 0, 0]}
    fitted = model({"a": np.eye(160)[:, :4], "b": PCA(k=4)}, term_weights=told).fit(GRAPH)
    assert fitted.module_.weights["E"] == {(0,): 5, (1,): 0, (0, 1): 6}
    assert set(fitted.module_.weights["F"].values()) == {0}
    with pytest.raises(SettingsError, match="need 3"):
        model({"a": np.eye(160)[:, :4], "b": PCA(k=4)}, term_weights={"E": [1.0]}).fit(GRAPH)


def test_another_graph_with_the_same_columns_is_embedded():
    fitted = model().fit(GRAPH)
    other = demo_graph(50, seed=9)
    assert fitted.transform(other).shape == (50, 8)
    # columns in another order are put in the model's by their names
    order = np.random.default_rng(0).permutation(400)
    names = [other.feature_names[i] for i in order]
    turned = Graph.from_edges(other.edges, other.x[:, order], num_nodes=50, feature_names=names)
    assert np.allclose(fitted.transform(turned), fitted.transform(other), atol=1e-5)


def test_other_columns_are_refused():
    fitted = model().fit(GRAPH)
    fewer = Graph.from_edges(GRAPH.edges, GRAPH.x[:, :10], num_nodes=160)
    with pytest.raises(InputError, match="10"):
        fitted.transform(fewer)
    named = [f"other {i}" for i in range(400)]
    with pytest.raises(InputError, match="word 0"):
        fitted.transform(Graph.from_edges(GRAPH.edges, GRAPH.x, num_nodes=160, feature_names=named))


def test_a_loss_that_breaks_down_says_what_to_lower():
    huge = np.full((160, 2), 1e30)  # its square is more than float32 can hold
    with pytest.raises(TrainingError, match=r"The loss is not a finite .* epoch 1\. Lower learning_rate"):
        model({"huge": huge}, objective="mse").fit(GRAPH)


def test_early_stopping_by_validation_keeps_the_best():
    told = iter([0.2, 0.9, 0.3, 0.1, 0.0])
    fitted = model(epochs=30, check_every=2, patience=2).fit(GRAPH, validate=lambda z: next(told))
    assert fitted.history_.stopped_early
    assert fitted.history_.best_epoch == 4
    assert fitted.history_.scores == {2: 0.2, 4: 0.9, 6: 0.3, 8: 0.1}


# -- odd graphs --------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(
    n=st.integers(1, 12),
    m=st.integers(0, 20),
    constant=st.booleans(),
    encoder=st.sampled_from(["gat", "gatv2", "gcn", "sage", "gin"]),
    mode=st.sampled_from(["full", "clusters"]),
    seed=st.integers(0, 1000),
)
def test_properties_any_small_graph_is_learned_from(n, m, constant, encoder, mode, seed):
    rng = np.random.default_rng(seed)
    x = np.ones((n, 3), np.float32) if constant else rng.standard_normal((n, 3)).astype(np.float32)
    graph = Graph.from_edges(rng.integers(0, n, size=(m, 2)), x, num_nodes=n, y=np.zeros(n, int))
    own = rng.standard_normal((n, 4)).astype(np.float32)
    fitted = model({"walks": WALKS, "words": "pca", "own": own}, encoder=encoder, mode=mode, parts=3,
                   parts_a_step=2)  # fmt: skip
    z = fitted.fit_transform(graph)
    assert z.shape == (n, 8)
    assert np.isfinite(z).all()
    assert np.isfinite(fitted.history_.losses).all()


def test_duplicates_loops_and_directions_change_nothing():
    edges = GRAPH.edges
    messy = np.concatenate([edges[::-1], edges[:, ::-1], np.repeat(np.arange(160)[:, None], 2, axis=1)])
    clean, other = (Graph.from_edges(e, GRAPH.x, num_nodes=160) for e in (edges, messy))
    assert np.array_equal(model().fit_transform(clean), model().fit_transform(other))


def test_isolated_nodes_get_vectors_of_their_own():
    graph = Graph.from_edges([[0, 1], [1, 2]], np.eye(5, dtype=np.float32), num_nodes=5)
    z = model({"walks": WALKS, "words": "pca"}).fit_transform(graph)
    assert np.isfinite(z).all()
    assert not np.allclose(z[3], z[4])


# -- the order of the nodes --------------------------------------------------------------------------


@settings(max_examples=10)
@given(seed=st.integers(0, 1000), encoder=st.sampled_from(["gat", "gatv2", "gcn", "sage", "gin"]))
def test_properties_an_encoder_does_not_see_the_order_of_the_nodes(seed, encoder):
    order = np.random.default_rng(seed).permutation(160)
    fitted = model(encoder=encoder, epochs=1).fit(GRAPH)
    z, turned = fitted.transform(GRAPH), fitted.transform(permuted(GRAPH, order))
    assert np.allclose(turned, z[order], atol=1e-5 * np.abs(z).max())


def test_permuting_the_nodes_leaves_the_scores_up_to_noise():
    graph = demo_graph(400, seed=4)
    order = np.random.default_rng(0).permutation(400)

    def scores(g):
        targets = {"walks": {"name": "node2vec", "dim": 16}, "words": {"name": "pca", "k": 16}}
        z = model(targets, epochs=25, out_dim=32, hidden_dim=32, learning_rate=0.01, dropout=0.1,
                  attention_dropout=0.1).fit_transform(g)  # fmt: skip
        return evaluate.classification(z, g.y, train_ratio=0.5, repeats=4).accuracy.mean

    straight, turned = scores(graph), scores(permuted(graph, order))
    assert straight > 0.4  # eight classes: chance is 0.125
    assert straight == pytest.approx(turned, abs=0.08)
