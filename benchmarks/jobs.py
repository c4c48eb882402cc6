"""One side of one comparison, in a process of its own.

    python benchmarks/jobs.py '{"job": "epoch", "side": "library", "data": "graph.npz", "epochs": 3}'

prints one JSON object: seconds (wall and CPU), the peak of resident memory, and the quality reached.
Data come from a file that both sides read; what is loaded before the clock starts is told as
``loaded_bytes``.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

Result = dict[str, Any]


def peak_bytes() -> int:
    """The most resident memory of this program alone (Linux counts a parent's in ``ru_maxrss``)."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    from gigamae.experiments.machine import peak_memory

    return peak_memory()


def timed(work: Callable[[], Any]) -> tuple[Result, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = work()
    return {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}, answer


def fastest(runs: int, work: Callable[[], Any]) -> tuple[Result, Any]:
    """As :func:`timed`, of the fastest of several runs: for work of less than a second."""
    return min((timed(work) for _ in range(runs)), key=lambda run: run[0]["seconds"])


def load_graph(path: str) -> tuple[Any, list[np.ndarray]]:
    """The graph that the runner laid down, and its targets where it has them."""
    from gigamae.graph.graph import Graph

    with np.load(path) as file:
        x = sp.csr_matrix((file["x_data"], file["x_indices"], file["x_indptr"]), shape=tuple(file["x_shape"]))
        graph = Graph.from_edges(file["edges"], x, num_nodes=x.shape[0], y=file["y"])
        return graph, [file[k] for k in ("target_0", "target_1") if k in file]


def prepare(told: Result) -> Result:
    """Lay down a graph, real or generated, with the two targets that an epoch needs."""
    from gigamae.targets import PCA, Node2Vec

    if told.get("data_root"):
        from gigamae import load_dataset

        graph = load_dataset(told["name"], root=told["data_root"], download=False)
    else:
        from made_up import attributed_graph

        graph = attributed_graph(*told["size"])
    upper = graph.rows < graph.indices
    targets = {}
    if told.get("targets"):
        targets = {"target_0": Node2Vec(epochs=1).fit(graph), "target_1": PCA(ratio=0.5).fit(graph)}
    x = sp.csr_matrix(graph.x)
    np.savez(
        told["data"], edges=np.stack([graph.rows[upper], graph.indices[upper]], axis=1), y=graph.y,
        x_data=x.data, x_indices=x.indices, x_indptr=x.indptr, x_shape=x.shape, **targets,
    )  # fmt: skip
    return {"nodes": graph.num_nodes, "edges": graph.num_edges, "features": graph.num_features,
            "widths": [t.shape[1] for t in targets.values()]}  # fmt: skip


def tiny() -> tuple[Any, list[np.ndarray]]:
    """What both sides run first, off the clock: it compiles and loads what a first call does."""
    from made_up import attributed_graph

    graph = attributed_graph(300, 900, 64, 3)
    rng = np.random.default_rng(0)
    return graph, [rng.normal(size=(300, d)).astype(np.float32) for d in (8, 12)]


def epoch(told: Result) -> Result:
    """Epochs of training with the exact loss, every node of a type a negative."""
    import torch

    graph, targets = load_graph(told["data"])
    make = library_epochs if told["side"] == "library" else reference_epochs
    make(*tiny(), told)()
    one = make(graph, targets, told)
    import psutil

    loaded = int(psutil.Process().memory_info().rss)
    runs = []
    loss = 0.0
    for _ in range(told["epochs"]):
        seconds, loss = timed(one)
        runs.append(seconds)
    best = min(runs, key=lambda r: r["seconds"])
    return {**best, "loss": loss, "epochs": told["epochs"], "loaded_bytes": loaded,
            "threads": torch.get_num_threads()}  # fmt: skip


def library_epochs(graph: Any, targets: list[np.ndarray], told: Result) -> Callable[[], float]:
    import torch

    from gigamae.model.gigamae import GiGaMAEModule
    from gigamae.model.objective import ObjectiveOptions
    from gigamae.model.weights import resolve_term_weights
    from gigamae.pretrain.full_graph import FullGraph
    from gigamae.pretrain.loop import step
    from gigamae.pretrain.resources import use_low_precision
    from gigamae.settings import Settings

    settings = Settings(negatives="all", precision=told.get("precision", "auto"))
    device = torch.device("cpu")
    low = use_low_precision(settings, device, told.get("as_if_nodes", graph.num_nodes))
    weights = resolve_term_weights(["structure", "attributes"])
    module = GiGaMAEModule(graph.num_features, [t.shape[1] for t in targets], weights, settings)
    module.set_low_precision(low)
    batches = FullGraph(graph, targets, module.subsets)
    options = ObjectiveOptions(tau=settings.tau, symmetric=settings.symmetric, low_precision=low)
    optimizer = torch.optim.Adam(module.parameters(), lr=settings.learning_rate)
    generator = torch.Generator().manual_seed(0)
    module.train()

    def one() -> float:
        loss = step(module, batches.batch, optimizer, settings, options, generator, 1)
        return float(loss.total.detach())

    return one


def reference_epochs(graph: Any, targets: list[np.ndarray], told: Result) -> Callable[[], float]:
    import torch
    from reference import Reference, train_epoch

    from gigamae.model.topology import Topology
    from gigamae.model.weights import default_term_weights
    from gigamae.settings import Settings

    settings = Settings()
    topology = Topology.of(graph)
    torch.manual_seed(0)
    model = Reference(
        graph.num_features, [t.shape[1] for t in targets], default_term_weights(["structure", "attributes"]),
        hidden_dim=settings.hidden_dim, out_dim=settings.out_dim, heads=settings.heads,
        dropout=settings.dropout, attention_dropout=settings.attention_dropout,
        norm_momentum=settings.norm_momentum, tau=settings.tau, symmetric=settings.symmetric,
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate)
    x = torch.from_numpy(graph.x.toarray())
    edges = torch.stack([topology.rows, topology.cols])
    fixed = [torch.from_numpy(t) for t in targets]
    return lambda: train_epoch(
        model, optimizer, x, edges, topology.undirected, fixed, settings.mask_feature, settings.mask_edge
    )


def node2vec(told: Result) -> Result:
    """Vectors of 85% of the edges, judged by the AUC of the rest and, where asked, by a linear probe."""
    import torch

    from gigamae import evaluate
    from gigamae.graph.splits import split_links
    from gigamae.targets import Node2Vec

    graph, _ = load_graph(told["data"])
    split = split_links(graph, seed=0)
    walks = {k: told[k] for k in ("walk_length", "walks_per_node", "epochs")}
    if told["side"] == "library":
        recipe = Node2Vec(context=told["context"], **walks)
        recipe.fit(tiny()[0])
        seconds, z = fastest(told["runs"], lambda: recipe.fit(split.train, seed=0))
    else:
        from reference_node2vec import reference_node2vec

        torch.set_num_threads(told["threads"])
        fixed = {"dim": 64, "context_size": told["context"], "negatives": 1,
                 "learning_rate": told["learning_rate"], "seed": 0, **walks}  # fmt: skip
        reference_node2vec(tiny()[0], **{**fixed, "epochs": 1, "walks_per_node": 1})
        seconds, z = fastest(told["runs"], lambda: reference_node2vec(split.train, **fixed))
    quality = {"auc": evaluate.links(z, split).auc.mean}
    if told.get("probe"):
        quality["accuracy"] = evaluate.classification(z, graph.y, repeats=told["probe"]).accuracy.mean
    return {**seconds, **quality}


def walks(told: Result) -> Result:
    """A walk from each of as many starts; the library also with p and q that are not 1."""
    graph, _ = load_graph(told["data"])
    starts = np.random.default_rng(0).choice(np.flatnonzero(graph.degree > 0), told["walks"])
    if told["side"] == "library":
        from gigamae.targets.compiled import Team
        from gigamae.targets.walks import random_walks

        def run(p: float, q: float) -> np.ndarray:
            with Team() as team:
                edges = graph.indptr, graph.indices
                return random_walks(*edges, None, starts, told["length"], p, q, team=team)

        run(1.0, 1.0), run(0.2, 2.0)
        seconds, _ = timed(lambda: run(1.0, 1.0))
        return {**seconds, "seconds_with_p_0.2_q_2": timed(lambda: run(0.2, 2.0))[0]["seconds"],
                "seconds_with_p_4_q_0.25": timed(lambda: run(4.0, 0.25))[0]["seconds"]}  # fmt: skip
    import torch
    from reference_node2vec import uniform_walks

    indptr, indices = torch.from_numpy(graph.indptr), torch.from_numpy(graph.indices)
    at, generator = torch.from_numpy(starts), torch.Generator().manual_seed(0)
    uniform_walks(indptr, indices, at[:1000], told["length"], generator)
    return timed(lambda: uniform_walks(indptr, indices, at, told["length"], generator))[0]


def pca(told: Result) -> Result:
    """The leading components of sparse features; the scores are kept for the comparison of subspaces."""
    from made_up import word_counts

    from gigamae.graph.graph import Graph

    if told.get("data_root"):
        from gigamae import load_dataset

        x = load_dataset("physics", root=told["data_root"], download=False).x
    else:
        x = word_counts(*told["shape"])
    k = told["k"]
    if told["side"] == "library":
        from gigamae.targets import PCA

        PCA(k=4).fit(tiny()[0])
        graph = Graph.from_edges([[0, 1]], x)
        seconds, z = timed(lambda: PCA(k=k).fit(graph))
    else:
        import torch
        from reference_pca import reference_pca

        seconds, z = timed(lambda: reference_pca(torch.from_numpy(x.toarray()), k=k).numpy())
    peak = peak_bytes()
    np.save(told["scores"], z)
    return {**seconds, "shape": list(x.shape), "k": k, "peak_bytes": peak}


def classification(told: Result) -> Result:
    """One split of a linear probe over the full grid of C."""
    import reference_classification as probe

    from gigamae import evaluate

    z, y = probe.made_up(told["nodes"], told["dimension"], told["classes"])
    splits = list(evaluate.random_splits(len(y), repeats=told["repeats"], seed=0))
    if told["side"] == "library":
        seconds, accuracy = timed(lambda: evaluate.classification(z, y, splits=splits).accuracy.mean)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # liblinear's own
            seconds, found = timed(lambda: probe.reference_classification(z, y, splits))
        accuracy = float(np.mean(found))
    return {**seconds, "accuracy": accuracy}


JOBS: dict[str, Callable[[Result], Result]] = {
    "prepare": prepare,
    "epoch": epoch,
    "node2vec": node2vec,
    "walks": walks,
    "pca": pca,
    "classification": classification,
}


def main() -> None:
    warnings.simplefilter("ignore")  # of libraries' own; nothing a reader of figures could act on
    told = json.loads(sys.argv[1])
    result = JOBS[told["job"]](told)
    print(json.dumps({"peak_bytes": peak_bytes(), **result}))


if __name__ == "__main__":
    main()
