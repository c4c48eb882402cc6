import time

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae import evaluate, load_dataset
from gigamae.errors import SettingsError
from gigamae.graph.demo import CLASSES, demo_graph
from gigamae.targets import make_target


def unit(z):
    return z / np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-9)


def test_the_same_numbers_give_the_same_graph():
    assert demo_graph(200, seed=3).fingerprint() == demo_graph(200, seed=3).fingerprint()
    assert demo_graph(200, seed=3).fingerprint() != demo_graph(200, seed=4).fingerprint()
    assert load_dataset("demo").fingerprint() == demo_graph().fingerprint()


def test_shape_size_and_speed():
    start = time.process_time()
    graph = demo_graph()
    assert time.process_time() - start < 0.5
    assert (graph.name, graph.num_nodes, graph.num_features, graph.num_classes) == ("demo", 3000, 400, 8)
    assert sp.issparse(graph.x)
    assert set(graph.x.data) == {1.0}
    assert 7 < graph.degree.mean() < 8
    assert graph.degree.max() > 10 * np.median(graph.degree)  # a heavy tail
    assert np.bincount(graph.y).tolist() == [375] * 8
    assert graph.class_names == tuple(c[2] for c in CLASSES)


def test_edges_know_blocks_and_words_know_profiles_and_nothing_else():
    graph = demo_graph(4000, seed=1)
    block, profile = (np.array([c[k] for c in CLASSES])[graph.y] for k in (0, 1))
    u, v = graph.edges.T
    between = np.zeros((8, 8))
    np.add.at(between, (graph.y[u], graph.y[v]), 1)
    # classes 5 and 6 share a block: an edge from one is as likely to the other as to its own
    within = 2 * between[4, 4] + 2 * between[5, 5]
    across = 2 * (between[4, 5] + between[5, 4])
    assert across / within == pytest.approx(1, abs=0.15)
    assert (block[u] == block[v]).mean() > 0.6
    words = np.stack([np.asarray(graph.x[graph.y == k].mean(axis=0)).ravel() for k in range(8)])
    apart = np.linalg.norm(words[:, None] - words[None], axis=2)
    same = profile[np.argmax(graph.y == np.arange(8)[:, None], axis=1)]
    alike = (same[:, None] == same[None]) & ~np.eye(8, dtype=bool)
    assert apart[alike].max() < 0.5 * apart[same[:, None] != same[None]].min()


def test_neither_node2vec_nor_pca_does_well_alone_but_both_together_do():
    graph = demo_graph()
    structure = make_target("node2vec").fit(graph)
    attributes = make_target("pca").fit(graph)
    both = np.hstack([unit(structure), unit(attributes)])
    alone_a, alone_b, together = (
        evaluate.classification(z, graph.y, repeats=1).accuracy.mean for z in (structure, attributes, both)
    )
    assert 0.5 < alone_a < 0.75
    assert 0.5 < alone_b < 0.75
    assert together > 0.88


def test_the_smallest_and_one_that_is_too_small():
    assert demo_graph(16).num_nodes == 16
    with pytest.raises(SettingsError, match="num_nodes=15"):
        demo_graph(15)
