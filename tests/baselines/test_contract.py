"""The contract: what holds for every method alike, whoever wrote it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone

from gigamae import evaluate
from gigamae.baselines import CONTROLS, METHODS
from gigamae.baselines.base import Baseline
from gigamae.baselines.store import load_baseline
from gigamae.errors import GigamaeError, InputError, ModelFolderError, NotFittedError, SettingsError
from gigamae.experiments.methods import method_class
from gigamae.graph.graph import Graph

LEARNED = [name for name in METHODS if name not in CONTROLS]
#: Those that embed the graph they were fitted on, and no other.
TRANSDUCTIVE = {"deepwalk", "node2vec", "pca"}
#: Smaller than the defaults where a method has such a setting, so that all is fast.
SMALL = {
    "epochs": 3, "hidden_dim": 16, "out_dim": 8, "dim": 8, "heads": 2, "walks_per_node": 2, "walk_length": 8,
}  # fmt: skip


def make(name: str, **changes: Any) -> Any:
    """A method with small settings."""
    kind = method_class(name)
    if not issubclass(kind, Baseline):
        return kind()
    known = {field.name for field in dataclasses.fields(kind)}
    return kind(**{k: v for k, v in {**SMALL, **changes}.items() if k in known})


def block_graph(n: int = 40, seed: int = 0, labels: bool = True) -> Graph:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    share = np.where(y[:, None] == y[None, :], 0.25, 0.05)
    x = (rng.random((n, 12)) < 0.2 + 0.2 * (np.arange(12) % 2 == y[:, None])).astype("float32")
    edges = np.argwhere(np.triu(rng.random((n, n)) < share, 1))
    return Graph.from_edges(edges, x, num_nodes=n, y=y if labels else None, name="blocks")


@pytest.mark.parametrize("name", METHODS)
class TestEveryMethod:
    def test_embeds_each_node_finitely_and_without_labels(self, name: str) -> None:
        z = make(name).fit(block_graph()).transform(block_graph())
        assert z.shape[0] == 40
        assert z.dtype == np.float32
        assert np.isfinite(z).all()
        bare = block_graph(labels=False)
        np.testing.assert_array_equal(z, make(name).fit(bare).transform(bare))

    def test_is_the_same_for_a_seed_and_leaves_the_global_one_alone(self, name: str) -> None:
        graph, before = block_graph(), torch.random.get_rng_state()
        first, second = (make(name).fit(graph).transform(graph) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        assert torch.equal(before, torch.random.get_rng_state())

    def test_isolated_nodes_no_edges_and_sparse_features(self, name: str) -> None:
        rng = np.random.default_rng(0)
        x = sp.random(30, 50, density=0.03, format="csr", random_state=0, dtype=np.float32)
        for edges in (np.empty((0, 2), int), rng.integers(0, 20, (30, 2))):
            graph = Graph.from_edges(edges, x, num_nodes=30)
            z = make(name).fit(graph).transform(graph)
            assert z.shape[0] == 30
            assert np.isfinite(z).all()

    def test_another_graph_is_embedded_or_plainly_refused(self, name: str) -> None:
        model = make(name).fit(block_graph())
        other = block_graph(n=25, seed=1)
        if name in TRANSDUCTIVE:
            with pytest.raises(InputError, match="fit"):
                model.transform(other)
        else:
            assert model.transform(other).shape[0] == 25


@pytest.mark.parametrize("name", LEARNED)
class TestEveryLearnedMethod:
    def test_says_who_it_is(self, name: str) -> None:
        kind = method_class(name)
        assert issubclass(kind, Baseline)
        assert kind.name == name
        assert kind.title
        assert any(year in kind.paper for year in map(str, range(2010, 2027)))

    def test_another_seed_gives_another_embedding(self, name: str) -> None:
        graph = block_graph()
        first, second = (make(name, random_state=s).fit_transform(graph) for s in (0, 1))
        assert np.abs(first - second).max() > 1e-4

    def test_saved_and_loaded_it_gives_the_same_bits(self, name: str, tmp_path: Path) -> None:
        graph = block_graph()
        model = make(name, random_state=3).fit(graph)
        again = method_class(name).load(model.save(tmp_path))
        np.testing.assert_array_equal(model.transform(graph), again.transform(graph))
        assert again.get_params() == model.get_params()
        assert {p.suffix for p in tmp_path.iterdir()} == {".json", ".safetensors"}

    def test_an_altered_model_or_another_methods_is_refused(self, name: str, tmp_path: Path) -> None:
        make(name).fit(block_graph()).save(tmp_path)
        about = json.loads((tmp_path / "model.json").read_text())
        other = method_class(next(n for n in LEARNED if n != name))
        with pytest.raises(ModelFolderError, match=f"a model of {name}"):
            load_baseline(other, tmp_path)
        (tmp_path / "model.json").write_text(json.dumps({**about, "sha256": {}}))
        with pytest.raises(ModelFolderError, match="altered"):
            method_class(name).load(tmp_path)

    def test_is_cloned_with_its_settings(self, name: str) -> None:
        model = make(name, random_state=7)
        assert clone(model).get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            clone(model).transform(block_graph())

    def test_other_feature_columns_are_refused(self, name: str) -> None:
        model = make(name).fit(block_graph())
        wide = Graph.from_edges(block_graph().edges, np.ones((40, 13), np.float32))
        with pytest.raises(InputError):
            model.transform(wide)

    def test_settings_that_cannot_be_are_refused(self, name: str) -> None:
        for told in ({"epochs": 0}, {"learning_rate": "fast"}, {"schedule": "sine"}, {"random_state": -1}):
            with pytest.raises(SettingsError, match=next(iter(told))):
                make(name, **told).fit(block_graph())

    def test_a_validation_score_keeps_the_best_check(self, name: str) -> None:
        """A score that is best at the first look: what is kept is what was there then."""
        seen: list[np.ndarray] = []

        def validate(z: np.ndarray) -> float:
            seen.append(z)
            return -float(len(seen))

        graph = block_graph()
        z = make(name, check_every=1).fit(graph, validate=validate).transform(graph)
        if name not in TRANSDUCTIVE:
            assert len(seen) == 3
            np.testing.assert_array_equal(z, seen[0])

    def test_unit_rows_where_asked_also_for_validation(self, name: str) -> None:
        lengths: list[float] = []

        def validate(z: np.ndarray) -> float:
            lengths.extend(np.linalg.norm(z, axis=1))
            return 0.0

        graph = block_graph()
        plain, unit = (make(name, normalise=asked, epochs=1) for asked in (False, True))
        z = plain.fit(graph).transform(graph)
        told = unit.fit(graph, validate=validate).transform(graph)
        long = np.linalg.norm(z, axis=1, keepdims=True)
        np.testing.assert_allclose(told, z / np.maximum(long, 1e-12), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(lengths, 1, rtol=1e-4)
        with pytest.raises(SettingsError, match="normalise=1 "):
            make(name, normalise=1).fit(graph)

    def test_the_loss_is_told_of_every_epoch(self, name: str) -> None:
        model = make(name).fit(block_graph())
        assert len(model.history_.losses) == (0 if name in TRANSDUCTIVE else 3)
        assert model.timings_["training"] >= 0

    def test_output_is_torch_or_a_frame_where_asked(self, name: str) -> None:
        graph = block_graph()
        assert isinstance(make(name).set_output(transform="torch").fit_transform(graph), torch.Tensor)
        frame = make(name).set_output(transform="pandas").fit(graph).transform(graph)
        assert frame.shape == (40, len(frame.columns))


def test_an_unknown_name_is_no_method() -> None:
    with pytest.raises(GigamaeError, match="no method 'graphmea'"):
        method_class("graphmea")


def test_an_embedding_can_be_judged_right_away() -> None:
    graph = block_graph()
    z = make("sgc").fit(graph).transform(graph)
    assert evaluate.clustering(z, graph.y, seed=0).nmi.mean > 0
