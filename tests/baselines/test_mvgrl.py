"""MVGRL: the loss against slow loops, the sparse against the dense form, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gigamae.baselines.mvgrl import MVGRL
from gigamae.errors import SettingsError
from gigamae.graph.graph import Graph


def dense_views(graph: Graph, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """A~ and S with whole matrices."""
    n = graph.num_nodes
    a = graph.adjacency().toarray().astype(float) + np.eye(n)
    root = np.sqrt(a.sum(axis=1))
    a = a / np.outer(root, root)
    return a, alpha * np.linalg.inv(np.eye(n) - (1 - alpha) * a)


def loops(module: Any, graph: Graph, order: list[int]) -> tuple[float, np.ndarray]:
    """The loss one node at a time, and H_A + H_S, from dense matrices."""
    n, x = graph.num_nodes, graph.x.toarray().astype(float)
    weights = {k: v.detach().double().numpy() for k, v in module.state_dict().items()}

    def encode(view: str, matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
        h = matrix @ rows @ weights[f"{view}.lift.weight"] + weights[f"{view}.bias"]
        return np.where(h > 0, h, weights[f"{view}.act.weight"] * h)

    a, s = dense_views(graph, 0.2)
    h_a, h_s = encode("near", a, x), encode("far", s, x)
    wrong_a, wrong_s = encode("near", a, x[order]), encode("far", s, x[order])
    c_a, c_s = (1 / (1 + np.exp(-h.mean(axis=0))) for h in (h_a, h_s))

    def chance(h: np.ndarray, c: np.ndarray) -> float:
        return 1 / (1 + math.exp(-(h @ weights["bilinear"] @ c + weights["offset"])))

    total = 0.0
    for i in range(n):
        total -= math.log(chance(h_s[i], c_a)) + math.log(chance(h_a[i], c_s))
        total -= math.log(1 - chance(wrong_s[i], c_a)) + math.log(1 - chance(wrong_a[i], c_s))
    return total / (4 * n), h_a + h_s


def test_loss_and_embedding_are_the_dense_equations(tiny: Graph) -> None:
    model = MVGRL(out_dim=16, threshold=1e-7, top_k=30)
    data, module = model.prepare(tiny, torch.device("cpu")), model._seeded(tiny)
    loss = model.loss(module, data, torch.Generator().manual_seed(4))
    order = torch.randperm(30, generator=torch.Generator().manual_seed(4)).tolist()
    expected, z = loops(module, tiny, order)
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    with torch.no_grad():
        np.testing.assert_allclose(model.embed(module, data).numpy(), z, atol=1e-5)


def test_a_sparse_diffusion_embeds_nearly_as_the_dense_one(planted: Graph) -> None:
    model = MVGRL(out_dim=16, threshold=1e-3, top_k=64)
    data, module = model.prepare(planted, torch.device("cpu")), model._seeded(planted)
    assert len(data.diffusion.values) < 0.5 * 240 * 240
    expected = loops(module, planted, list(range(240)))[1]
    with torch.no_grad():
        z = model.embed(module, data).numpy()
    cosines = (z * expected).sum(1) / np.linalg.norm(z, axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > 0.95


def test_it_learns(learned: Callable[[Any], tuple[float, float]]) -> None:
    model = MVGRL(epochs=60, out_dim=32, learning_rate=5e-3)
    after, before = learned(model)
    assert model.history_.losses[-1] < 0.7 * model.history_.losses[0]
    assert after > before + 0.05


def test_settings_are_checked(tiny: Graph) -> None:
    for setting, said in (({"alpha": 0.0}, "alpha=0.0 must be above 0"), ({"top_k": 0}, "top_k=0")):
        with pytest.raises(SettingsError, match=said):
            MVGRL(**setting).fit(tiny)
