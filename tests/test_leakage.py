"""Leakage: no held-out edge and no label reaches a target, a message, a negative or a choice."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae import GiGaMAE
from gigamae.experiments.plan import make_plan
from gigamae.experiments.protocols import fit_on_split, judge_links
from gigamae.graph.demo import demo_graph
from gigamae.graph.graph import Graph
from gigamae.graph.splits import LinkSplit, split_links
from gigamae.graph.structural import structural_features
from gigamae.model.convolutions import Step
from gigamae.model.encoder import ENCODERS, Encoder
from gigamae.model.features import FeatureMatrix
from gigamae.model.masking import Masks
from gigamae.model.objective import ObjectiveOptions, masked_loss
from gigamae.model.topology import Topology
from gigamae.targets import make_target
from gigamae.targets.base import Target

TARGETS = {
    "walks": {"name": "node2vec", "dim": 8, "epochs": 1},
    "words": {"name": "pca", "k": 6},
    "rebuilt": {"name": "gae", "dim": 8, "epochs": 2},
}


class Poison:
    """Stands where something must not be looked at: any look at its contents ends the test."""

    def _caught(self, *_, **__):
        pytest.fail("something that was held out was looked at")

    __array__ = __len__ = __getitem__ = __iter__ = __eq__ = __ge__ = __lt__ = __getattr__ = _caught
    __hash__ = None


def numbered():
    """A graph whose first feature is the node's own number: the marker that shows up wherever it goes."""
    graph = demo_graph(150, seed=3)
    x = np.asarray(graph.x.toarray()[:, :40])
    x[:, 0] = np.arange(150)
    return replace(graph, x=x, feature_names=None)


GRAPH = numbered()
SPLIT = split_links(GRAPH, seed=1)


def model(**changes):
    settings = {"hidden_dim": 16, "out_dim": 8, "heads": 2, "epochs": 4, "check_every": 2, "negatives": 20}
    return GiGaMAE(TARGETS, **{**settings, **changes})


def pairs(edges):
    return {tuple(sorted(map(int, pair))) for pair in edges}


HELD_OUT = pairs(SPLIT.val_pos) | pairs(SPLIT.test_pos)


# -- edges -------------------------------------------------------------------------------------------


def test_test_pairs_are_not_looked_at_while_fitting():
    poisoned = replace(SPLIT, test_pos=Poison(), test_neg=Poison())
    z = fit_on_split(model(), poisoned).transform(SPLIT.train)
    assert np.array_equal(z, fit_on_split(model(), SPLIT).transform(SPLIT.train))


def test_validation_pairs_choose_the_epoch_and_nothing_else():
    others = split_links(GRAPH, seed=9)
    swapped = LinkSplit(SPLIT.train, others.test_neg, others.test_pos, Poison(), Poison())
    ours, other = fit_on_split(model(), SPLIT), fit_on_split(model(), swapped)
    assert ours.history_.losses == other.history_.losses
    assert ours.history_.scores != other.history_.scores


@pytest.mark.parametrize("mode", ["full", "clusters"])
def test_no_target_and_no_message_sees_a_held_out_edge(monkeypatch, mode):
    seen = {"targets": [], "messages": []}
    lay_out = Topology.of

    def watched_layout(graph, device="cpu"):
        number = graph.x[:, 0].astype(int)  # of these nodes in the whole graph
        seen["messages"].append(pairs(number[graph.edges]))
        return lay_out(graph, device)

    monkeypatch.setattr(Topology, "of", watched_layout)
    for recipe in {type(make_target(t)) for t in TARGETS.values()}:
        fit = recipe.fit

        def watched_fit(self: Target, graph: Graph, *, seed: int = 0, fit=fit):
            seen["targets"].append(pairs(graph.edges))
            return fit(self, graph, seed=seed)

        monkeypatch.setattr(recipe, "fit", watched_fit)
    fitted = fit_on_split(model(mode=mode, parts=6, parts_a_step=2), SPLIT)
    fitted.transform(SPLIT.train)
    assert len(seen["targets"]) == 3
    for edges in seen["targets"]:
        assert edges == pairs(SPLIT.train.edges)
    assert len(seen["messages"]) >= 3
    for edges in seen["messages"]:
        assert edges <= pairs(SPLIT.train.edges)
        assert not edges & HELD_OUT


def test_other_held_out_edges_with_the_same_training_edges_change_no_bit():
    """The whole graph may be anything beyond its training edges: targets, masks and z are the same."""
    rng = np.random.default_rng(0)
    more = Graph.from_edges(
        np.concatenate([SPLIT.train.edges, rng.integers(0, 150, size=(400, 2))]), GRAPH.x, y=GRAPH.y
    )
    alike = more.with_edges(SPLIT.train.edges)
    assert alike.fingerprint() == SPLIT.train.fingerprint()
    for recipe in map(make_target, TARGETS.values()):
        assert np.array_equal(recipe.fit(alike, seed=0), recipe.fit(SPLIT.train, seed=0))
    ours, theirs = model().fit(SPLIT.train), model().fit(alike)
    assert ours.history_.losses == theirs.history_.losses
    assert np.array_equal(ours.transform(SPLIT.train), theirs.transform(alike))


def test_cached_targets_of_the_whole_graph_are_not_taken_for_the_training_graphs(tmp_path):
    model(cache=str(tmp_path)).fit(GRAPH)
    cached = model(cache=str(tmp_path)).fit(SPLIT.train)
    assert cached.history_.losses == model().fit(SPLIT.train).history_.losses


def test_features_that_were_made_from_edges_are_made_from_training_edges_alone():
    bare = Graph.from_edges(GRAPH.edges, num_nodes=150)
    train = split_links(bare, seed=1).train
    assert np.array_equal(train.x, structural_features(train.indptr, train.indices))
    assert not np.array_equal(train.x, bare.x)


def test_every_method_is_given_the_training_graph_of_each_split():
    given_ = []

    class Spy:
        def fit(self, graph):
            given_.append(graph)

        def transform(self, graph):
            assert graph is given_[-1]
            return np.ones((graph.num_nodes, 2), np.float32)

    judge_links(lambda seed: Spy(), GRAPH, (0, 1))
    for seed, graph in enumerate(given_):
        split = split_links(GRAPH, seed=seed)
        assert pairs(graph.edges) == pairs(GRAPH.edges) - pairs(split.val_pos) - pairs(split.test_pos)
    assert len(given_) == 2


@given(st.integers(0, 10**6), st.integers(12, 60), st.floats(0.1, 0.6))
def test_properties_of_negatives_in_splits(seed, n, density):
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(n, 1)
    chosen = rng.random(len(u)) < density
    chosen[:40] = True
    graph = Graph.from_edges(np.stack([u, v], 1)[chosen], np.ones((n, 1), np.float32), num_nodes=n)
    if graph.num_edges > 0.8 * len(u):
        return
    split = split_links(graph, seed=seed)
    positive = [pairs(p) for p in (split.train.edges, split.val_pos, split.test_pos)]
    negative = [pairs(p) for p in (split.val_neg, split.test_neg)]
    assert set.union(*positive) == pairs(graph.edges)
    assert sum(map(len, positive)) == graph.num_edges
    assert not negative[0] & negative[1]
    assert not (negative[0] | negative[1]) & pairs(graph.edges)
    assert [len(p) for p in negative] == [len(p) for p in positive[1:]]
    assert all(a != b for a, b in negative[0] | negative[1])


# -- labels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "clusters"])
def test_labels_are_not_looked_at(mode):
    chosen = {"mode": mode, "parts": 6, "parts_a_step": 2}
    plain = model(**chosen).fit_transform(GRAPH)
    poisoned = replace(GRAPH, y=Poison(), class_names=Poison())
    assert np.array_equal(model(**chosen).fit_transform(poisoned), plain)
    assert np.array_equal(model(**chosen).fit(GRAPH, np.zeros(150)).transform(GRAPH), plain)


def test_no_setting_is_chosen_by_labels():
    poisoned = replace(GRAPH, y=Poison())
    assert make_plan(poisoned) == make_plan(GRAPH)
    assert make_plan(poisoned, task="links") == make_plan(GRAPH, task="links")


# -- masks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ENCODERS)
def test_what_a_step_hides_is_not_seen_in_either_direction(kind):
    torch.manual_seed(0)
    encoder = Encoder(3, 8, 4, kind=kind, heads=2).eval()
    edges = np.array([[0, 1], [1, 2], [3, 4]])
    x = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    topology = Topology.of(Graph.from_edges(edges, x))
    hidden_edges = torch.tensor([False, True, False])  # 1 - 2
    hidden_features = torch.tensor([False, False, False, True, False])

    def z(x):
        step = Step(topology, hidden_edges=hidden_edges, hidden_features=hidden_features)
        return encoder(FeatureMatrix(x), step).detach()

    before = z(x)
    for node, reached in ((0, [0, 1]), (1, [0, 1]), (2, [2]), (3, []), (4, [3, 4])):
        poisoned = x.copy()
        poisoned[node] = 100.0
        changed = (z(poisoned) != before).any(dim=1).nonzero().squeeze(1).tolist()
        assert changed == reached, f"node {node}"


@pytest.mark.parametrize("objective", ["mutual_information", "contrastive"])
def test_unmasked_nodes_and_other_types_are_in_no_sum_and_no_negatives(objective):
    generator = torch.Generator().manual_seed(0)
    types = torch.arange(20) % 4
    masks = Masks(types >= 2, torch.zeros(0, dtype=torch.bool), types)
    z, target = (torch.randn(20, 5, generator=generator) for _ in range(2))
    weights = {"E": {(0,): 1.0}, "F": {(0,): 0.0}, "B": {(0,): 0.0}}

    def loss(z, target):
        options = ObjectiveOptions(objective=objective)
        return float(masked_loss(z, masks, {(0,): target}, weights, lambda _, rows: rows, options).total)

    before = loss(z, target)
    outside = types != 1
    z[outside], target[outside] = 1e3, -1e3
    assert loss(z, target) == before
    z[types == 1] += torch.randn(5, 5, generator=generator)
    assert loss(z, target) != before
