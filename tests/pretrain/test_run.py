"""One run: what it asks of its parts, what it tells, and that the ways to train agree."""

import numpy as np
import pytest
import torch

from gigamae.errors import MemoryLimitError, SettingsError
from gigamae.graph.demo import demo_graph
from gigamae.model.convolutions import Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.topology import Topology
from gigamae.pretrain import run
from gigamae.pretrain.progress import resident_bytes
from gigamae.pretrain.run import embed, learn, pretrain
from gigamae.settings import Settings
from gigamae.targets import make_targets

GRAPH = demo_graph(150, seed=2)
MATRIX = np.random.default_rng(0).standard_normal((150, 6)).astype(np.float32)
TARGETS = {"mine": MATRIX, "words": {"name": "pca", "k": 5}}


def settings(**changes):
    return Settings(**{"hidden_dim": 16, "out_dim": 8, "heads": 2, "epochs": 3, **changes})


class Watcher:
    def __init__(self):
        self.told = []

    def stage(self, name):
        self.told.append(name)

    def note(self, text):
        self.told.append(text)

    def epoch(self, report):
        self.told.append(report.epoch)

    def done(self):
        self.told.append("done")


def test_the_stages_are_told_in_order():
    watcher = Watcher()
    result = pretrain(GRAPH, TARGETS, settings(), progress=watcher)
    stages = ["target mine", "target words", *result.notes, "training", 1, 2, 3, "done"]
    assert watcher.told == stages
    assert result.notes[0].startswith("Training will take about ")
    parts = {f"training, {part}" for part in ("masks", "encoder", "objective", "update")}
    assert set(result.timings) == {"target mine", "target words", "training", *parts}
    assert not result.module.training
    assert list(result.targets) == ["mine", "words"]


@pytest.mark.parametrize("mode", ["full", "clusters"])
def test_a_seed_repeats_itself(mode):
    def z(seed):
        chosen = settings(mode=mode, parts=6, parts_a_step=2)
        return embed(pretrain(GRAPH, TARGETS, chosen, seed=seed).module, GRAPH)

    assert np.array_equal(z(1), z(1))
    assert not np.array_equal(z(1), z(2))


def test_clusters_take_many_steps_and_embed_the_whole_graph_exactly(monkeypatch):
    steps = []
    draw = Topology.of
    monkeypatch.setattr(Topology, "of", lambda g, d="cpu": steps.append(g.num_nodes) or draw(g, d))
    chosen = settings(mode="clusters", parts=6, parts_a_step=2, norm_momentum=0.9)
    module = pretrain(GRAPH, TARGETS, chosen).module
    assert len(steps) == 9
    assert max(steps) < 70
    assert module.encoder.norm.momentum == pytest.approx(1 - 0.1 ** (1 / 3))
    z = embed(module, GRAPH)
    assert steps[-1] == 150
    assert z.shape == (150, 8)
    assert np.isfinite(z).all()


@pytest.mark.parametrize("mode", ["full", "clusters"])
def test_both_ways_learn(mode):
    # a squared error does not depend on how many nodes are compared, so losses of both ways compare
    chosen = settings(mode=mode, parts=4, parts_a_step=2, learning_rate=0.01, objective="mse", epochs=25)
    losses = pretrain(GRAPH, TARGETS, chosen).history.losses
    assert losses[-1] < 0.92 * losses[0]


@pytest.mark.parametrize("mode", ["full", "clusters"])
def test_validation_sees_an_embedding_of_the_whole_graph_at_each_check(mode):
    seen = []

    def validate(z):
        seen.append(z)
        return float(len(seen) == 2)

    chosen = settings(mode=mode, epochs=5, check_every=2, parts=5, parts_a_step=2, learning_rate=0.1)
    result = pretrain(GRAPH, TARGETS, chosen, validate=validate)
    assert [z.shape for z in seen] == [(150, 8)] * 3
    assert result.history.best_epoch == 4
    assert np.array_equal(embed(result.module, GRAPH), seen[1])  # the best check's weights are back


@pytest.mark.parametrize("mode", ["full", "clusters"])
@pytest.mark.parametrize("judged", [False, True])
def test_statistics_of_the_whole_graph_are_those_of_its_unmasked_rows(mode, judged):
    chosen = settings(mode=mode, epochs=4, check_every=2, parts=5, parts_a_step=2, norm_statistics="whole")
    scores = iter([2.0, 1.0])  # the first check is the better one: its weights and statistics are kept
    validate = (lambda z: next(scores)) if judged else None
    encoder = pretrain(GRAPH, TARGETS, chosen, validate=validate).module.encoder
    with torch.no_grad():
        rows = encoder.first(FeatureMatrix(GRAPH.x), Step(Topology.of(GRAPH)))
    assert torch.allclose(encoder.norm.running_mean, rows.mean(dim=0), atol=1e-6)
    assert torch.allclose(encoder.norm.running_var, rows.var(dim=0), atol=1e-6)


def test_statistics_do_not_change_what_is_learned():
    masked, whole = (pretrain(GRAPH, TARGETS, settings(norm_statistics=n)) for n in ("masked", "whole"))
    assert masked.history.losses == whole.history.losses


def test_naive_integration_is_one_target_with_one_weight():
    result = pretrain(GRAPH, {"mine": MATRIX, "more": -MATRIX}, settings(integration="max"))
    assert result.module.subsets == [(0,)]
    assert result.module.dims == (6,)


def test_a_cache_saves_the_second_computation(tmp_path, monkeypatch):
    once = pretrain(GRAPH, {"words": {"name": "pca", "k": 5}}, settings(), cache=str(tmp_path))
    assert list(tmp_path.rglob("*.npy"))
    recipe = type(make_targets(["pca"])["pca"])
    monkeypatch.setattr(recipe, "fit", lambda *_, **__: pytest.fail("computed twice"))
    again = pretrain(GRAPH, {"words": {"name": "pca", "k": 5}}, settings(), cache=str(tmp_path))
    assert once.history.losses == again.history.losses


def test_a_plan_that_gives_way_is_told_and_kept(monkeypatch):
    freed = []
    monkeypatch.setattr(run, "give_back_freed_memory", lambda: freed.append(True))
    graph = demo_graph(4000)
    matrices = [np.random.default_rng(0).standard_normal((4000, 8)).astype(np.float32)]
    weights = {letter: {(0,): 1.0} for letter in "EFB"}
    chosen = settings(hidden_dim=256, out_dim=256, epochs=1, parts=16, parts_a_step=2)
    limit = resident_bytes() + (140 << 20)
    watcher = Watcher()
    _, history, notes = learn(
        graph, matrices, weights, Settings(**{**chosen.to_dict(), "memory_limit": limit}),
        seed=0, device=torch.device("cpu"), progress=watcher,
    )  # fmt: skip
    assert any("Training on clusters, 2 of" in note for note in notes)
    assert all(note in watcher.told for note in notes)
    assert np.isfinite(history.losses).all()
    assert freed


def test_what_cannot_fit_is_refused_before_training():
    with pytest.raises(MemoryLimitError, match="Raise memory_limit"):
        pretrain(GRAPH, TARGETS, settings(memory_limit=1 << 20))


def test_a_device_that_is_not_there_is_refused_before_any_work():
    with pytest.raises(SettingsError, match="abacus"):
        pretrain(GRAPH, TARGETS, settings(), device="abacus")
