"""Run by test_memory.py in a process of its own: the peak of training, and what was estimated.

    python measure_memory.py '[[nodes, {settings}], ...]'

writes one JSON list a case: [estimated bytes, measured bytes].
"""

import ctypes
import gc
import json
import sys

import numpy as np
import torch

from gigamae.graph.demo import demo_graph
from gigamae.model.weights import resolve_term_weights
from gigamae.pretrain.estimate import OVERHEAD, RUNTIME
from gigamae.pretrain.memory import plan_memory
from gigamae.pretrain.progress import resident_bytes
from gigamae.pretrain.resources import give_back_freed_memory
from gigamae.pretrain.run import learn
from gigamae.settings import Settings

CPU, DIMS = torch.device("cpu"), (64, 60)


def train(nodes: int, settings: dict) -> tuple[int, int]:
    rng = np.random.default_rng(0)
    graph = demo_graph(nodes)
    matrices = [rng.standard_normal((nodes, d), dtype=np.float32) for d in DIMS]
    chosen = Settings(epochs=2, **settings)
    # Here the libraries are loaded already, and what is freed is given back at once.
    estimate = int((plan_memory(chosen, graph, DIMS, CPU).estimate - RUNTIME) / OVERHEAD)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = resident_bytes()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak so far
    weights = resolve_term_weights(["structure", "attributes"])
    learn(graph, matrices, weights, chosen, seed=0, device=CPU)
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024
    return estimate, peak - before


if __name__ == "__main__":
    give_back_freed_memory()
    train(100, {"mode": "clusters"})  # kernels and libraries are loaded here, not measured
    for nodes, settings in json.loads(sys.argv[1]):
        print(json.dumps(train(nodes, settings)), flush=True)
