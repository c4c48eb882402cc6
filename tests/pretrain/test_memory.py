"""Memory: estimates near measured peaks, and a plan that gives way in the order that was promised."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import MemoryLimitError
from gigamae.graph.graph import Graph
from gigamae.model.infonce import TILE_ENTRIES
from gigamae.model.weights import subsets
from gigamae.pretrain import memory
from gigamae.pretrain.estimate import RUNTIME, estimate_memory
from gigamae.pretrain.memory import plan_memory, size
from gigamae.settings import Settings

CPU, DIMS = torch.device("cpu"), (64, 128)
CASES = [
    (1000, {}),
    (1500, {"negatives": "all", "symmetric": True}),
    (3000, {"out_dim": 256, "negatives": 512}),
    (1500, {"mode": "clusters"}),
]


def ring(n, degree=4, columns=10):
    node = np.arange(n)
    edges = [np.stack([node, (node + k + 1) % n], axis=1) for k in range(degree // 2)]
    return Graph.from_edges(np.concatenate(edges), np.ones((n, columns), np.float32))


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read and reset through /proc")
def test_estimates_are_within_30_percent_of_measured_peaks():
    script = Path(__file__).with_name("measure_memory.py")
    command = [sys.executable, "-W", "ignore", str(script), json.dumps(CASES)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=one_thread)
    assert done.returncode == 0, done.stderr
    ratios = []
    for line in done.stdout.splitlines():
        estimate, measured = json.loads(line)
        ratios.append(estimate / measured)
    assert len(ratios) == len(CASES)
    assert all(0.7 < r < 1.3 for r in ratios), ratios


def estimate(graph, settings, **rest):
    return estimate_memory(settings, graph, DIMS, subsets(2), CPU, **rest)


@given(
    st.integers(500, 20000),
    st.sampled_from(["hidden_dim", "out_dim", "projector_dim"]),
    st.sampled_from(["gat", "gatv2", "gcn", "sage", "gin"]),
)
def test_more_of_anything_takes_more(n, width, encoder):
    settings = Settings(encoder=encoder, negatives="all")
    wider = Settings(**{**settings.to_dict(), width: 2048})
    small = estimate(ring(n), settings)
    assert small < estimate(ring(2 * n), settings)
    assert small < estimate(ring(n), wider)
    assert estimate(ring(n), settings, tile_entries=1 << 16) <= small  # the fullest moment may be another
    assert estimate(ring(n), settings, negatives=10) <= small
    assert estimate(ring(n), settings, share=0.1) < small


def test_attention_takes_more_where_its_messages_are_laid_out():
    """Which is on a GPU; that nothing there is measured is in docs/gpu.md."""
    settings, graph = Settings(negatives=512, precision="float32"), ring(20000, degree=40)
    here, there = (
        estimate_memory(settings, graph, DIMS, subsets(2), torch.device(kind)) for kind in ("cpu", "cuda")
    )
    messages = 4 * (len(graph.indices) + 20000) * max(settings.hidden_dim, settings.out_dim)
    assert there > here + messages


def test_memory_grows_with_the_nodes_and_not_with_their_square():
    settings = Settings(negatives=2048)
    one, ten = (estimate(ring(n), settings) - RUNTIME for n in (20000, 200000))
    assert ten < 11 * one


BIG = ring(60000)
LONG = {"negatives": "all", "hidden_dim": 16, "heads": 2, "out_dim": 16}


def test_what_fits_is_left_as_it_was_asked_for():
    plan = plan_memory(Settings(**LONG), BIG, DIMS, CPU, limit=1 << 40)
    assert (plan.mode, plan.negatives, plan.tile_entries, plan.reasons) == ("full", None, TILE_ENTRIES, ())
    clusters = plan_memory(Settings(**LONG, mode="clusters"), BIG, DIMS, CPU, limit=1 << 40)
    assert (clusters.mode, clusters.parts, clusters.reasons) == ("clusters", 64, ())
    assert clusters.estimate < plan.estimate


def test_first_the_tile_then_the_negatives_then_clusters_then_an_error():
    settings = Settings(**LONG)
    plans = list(memory._ways(settings, BIG, DIMS, CPU, subsets(2)))
    asked = plans[0]
    smaller = plan_memory(settings, BIG, DIMS, CPU, limit=asked.estimate - 1)
    assert (smaller.mode, smaller.negatives) == ("full", None)
    assert smaller.tile_entries < TILE_ENTRIES
    assert "tiles of" in smaller.reasons[0]
    assert size(asked.estimate) in smaller.reasons[0]

    least_tile = min(p.estimate for p in plans if p.mode == "full" and p.negatives is None)
    fewer = plan_memory(settings, BIG, DIMS, CPU, limit=least_tile - 1)
    assert (fewer.mode, fewer.negatives) == ("full", 2048)
    assert "2,048 negatives a term instead of all" in fewer.reasons[0]

    least_full = min(p.estimate for p in plans if p.mode == "full")
    clusters = plan_memory(settings, BIG, DIMS, CPU, limit=least_full - 1)
    assert clusters.mode == "clusters"
    assert clusters.reasons[0].startswith("Training on clusters, 8 of 64 parts a step")

    least = min(p.estimate for p in plans)
    with pytest.raises(MemoryLimitError, match=r"at least .*what is free.*out_dim=16"):
        plan_memory(settings, BIG, DIMS, CPU, limit=least - 1)
    for limit in range(least, asked.estimate, (asked.estimate - least) // 7):
        assert plan_memory(settings, BIG, DIMS, CPU, limit=limit).estimate <= limit


def test_a_mode_that_was_asked_for_is_not_left():
    with pytest.raises(MemoryLimitError, match="set mode to auto"):
        plan_memory(Settings(**LONG, mode="full"), BIG, DIMS, CPU, limit=RUNTIME)
    with pytest.raises(MemoryLimitError, match="graph: training takes at least") as told:
        plan_memory(Settings(**LONG, mode="clusters"), BIG, DIMS, CPU, limit=RUNTIME)
    assert "mode" not in str(told.value)


def test_the_limit_counts_what_the_process_holds_already():
    plan = plan_memory(Settings(**LONG, memory_limit=1 << 40), BIG, DIMS, CPU)
    assert (1 << 40) - (1 << 36) < plan.limit < 1 << 40
    with pytest.raises(MemoryLimitError, match="memory_limit leaves 0 MiB"):
        plan_memory(Settings(**LONG, memory_limit=1), BIG, DIMS, CPU)


@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_graphs_can_be_planned(n):
    graph = Graph.from_edges(np.empty((0, 2), int), np.ones((n, 3), np.float32), num_nodes=n)
    for mode in ("full", "clusters"):
        assert plan_memory(Settings(mode=mode), graph, (3,), CPU).mode == mode
