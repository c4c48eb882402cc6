"""DeepWalk as a method: it is the walks' kernel, it learns, and it knows one graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gigamae import evaluate
from gigamae.baselines.deepwalk import DeepWalk
from gigamae.errors import InputError, SettingsError
from gigamae.graph.graph import Graph
from gigamae.targets.deepwalk import DeepWalk as Kernel


def test_it_is_the_kernel_with_its_settings(tiny: Graph) -> None:
    """The objective itself has its slow loops in tests/targets/test_skipgram.py."""
    told: Any = dict(dim=8, walk_length=6, context=4, walks_per_node=3, epochs=2, learning_rate=0.1)
    model = DeepWalk(random_state=5, **told)
    np.testing.assert_array_equal(model.fit_transform(tiny), Kernel(**told).fit(tiny, seed=5))


def test_it_learns(planted: Graph) -> None:
    assert planted.y is not None
    trained, first = (
        evaluate.classification(model.fit_transform(planted), planted.y).accuracy.mean
        for model in (DeepWalk(dim=16, epochs=5), DeepWalk(dim=16, epochs=1, learning_rate=1e-9))
    )
    assert trained > first + 0.2


def test_another_graph_is_refused(tiny: Graph, tmp_path: Path) -> None:
    model = DeepWalk(dim=4, epochs=1).fit(tiny)
    fewer = tiny.with_edges(tiny.edges[1:])
    for one in (model, DeepWalk.load(model.save(tmp_path))):
        assert one.transform(tiny).shape == (30, 4)
        with pytest.raises(InputError, match="only the graph it was fitted on"):
            one.transform(fewer)


def test_a_caller_cannot_change_the_vectors(tiny: Graph) -> None:
    model = DeepWalk(dim=4, epochs=1).fit(tiny)
    model.transform(tiny)[:] = 0
    assert np.abs(model.transform(tiny)).max() > 0


def test_settings_that_would_do_nothing_are_refused(tiny: Graph) -> None:
    for told in ({"weight_decay": 0.1}, {"schedule": "cosine"}, {"clip_norm": 1.0}, {"patience": 3}):
        with pytest.raises(SettingsError, match=f"no {next(iter(told))}"):
            DeepWalk(**told).fit(tiny)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="context=1"):
        DeepWalk(context=1).fit(tiny)


def test_a_frame_has_the_ids_of_the_graph() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], num_nodes=3, node_ids=["a", "b", "c"])
    frame = DeepWalk(dim=4, epochs=1).set_output(transform="pandas").fit_transform(graph)
    assert list(frame.index) == ["a", "b", "c"]
