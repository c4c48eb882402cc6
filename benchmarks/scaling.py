"""Cost against size: graphs of constant degree, sampled negatives, each size in a process of its own.

    python benchmarks/scaling.py -o results

writes scaling.json, scaling.md, scaling.png and scaling.svg: seconds of both targets, of training and
of embedding, the peak of resident memory above what the process held before the graph,
and the exponents b of cost = a * nodes^b, fitted by least squares on the logarithms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (10_000, 20_000, 40_000, 80_000, 160_000)
#: Edges a node, binary features, classes.
DEGREE, FEATURES, CLASSES = 5, 256, 10
EPOCHS, NEGATIVES = 3, 1024
HERE = Path(__file__).resolve()


def measure(nodes: int) -> dict[str, Any]:
    """One size, in this process: fit for a few epochs, embed."""
    import psutil
    from jobs import peak_bytes, tiny
    from made_up import attributed_graph, word_counts

    from gigamae import GiGaMAE
    from gigamae.graph.graph import Graph
    from gigamae.targets import PCA, Node2Vec

    def model(epochs: int) -> GiGaMAE:
        targets = {"node2vec": Node2Vec(epochs=1), "pca": PCA(k=32)}
        return GiGaMAE(targets, epochs=epochs, negatives=NEGATIVES, mode="full", hidden_dim=128, out_dim=128)

    model(1).fit(tiny()[0])  # compiles the kernels, off the clock
    before = int(psutil.Process().memory_info().rss)
    made = attributed_graph(nodes, DEGREE * nodes, 2, CLASSES)
    upper = made.rows < made.indices
    edges = np.stack([made.rows[upper], made.indices[upper]], axis=1)
    graph = Graph.from_edges(edges, word_counts(nodes, FEATURES, 12), num_nodes=nodes)
    start = time.perf_counter()
    fitted = model(EPOCHS).fit(graph)
    trained = time.perf_counter()
    fitted.transform(graph)
    return {
        "nodes": nodes, "edges": graph.num_edges, "targets_s": sum(
            s for name, s in fitted.timings_.items() if name.startswith("target")
        ),
        "epoch_s": fitted.timings_["training"] / EPOCHS, "embedding_s": time.perf_counter() - trained,
        "total_s": time.perf_counter() - start, "peak_bytes": peak_bytes() - before,
    }  # fmt: skip


def exponent(nodes: list[int], cost: list[float]) -> float:
    """b of cost = a * nodes^b.

    Example:
        >>> round(exponent([10, 20, 40], [3.0, 6.0, 12.0]), 6)
        1.0
    """
    return float(np.polyfit(np.log(nodes), np.log(cost), 1)[0])


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The rows, the machine, and an exponent for each cost."""
    from gigamae.experiments.machine import machine

    nodes = [row["nodes"] for row in rows]
    costs = ("targets_s", "epoch_s", "embedding_s", "total_s", "peak_bytes")
    return {
        "settings": {"edges_a_node": DEGREE, "features": FEATURES, "epochs": EPOCHS, "negatives": NEGATIVES},
        "rows": rows, "exponents": {c: exponent(nodes, [row[c] for row in rows]) for c in costs},
        "machine": machine(),
    }  # fmt: skip


def markdown(found: dict[str, Any]) -> str:
    """The summary as a page."""
    s, m, e = found["settings"], found["machine"], found["exponents"]
    lines = [
        "# Cost against size",
        "",
        f"`python benchmarks/scaling.py`, {m['cores']} cores of {m['processor']}. Generated graphs of "
        f"{s['edges_a_node']} edges a node and {s['features']} sparse features; node2vec and PCA, "
        f"{s['epochs']} epochs of training on the whole graph with {s['negatives']:,} drawn negatives. "
        "Memory is the peak above what the process held before the graph. Exponent: b of cost = a · nodes^b, "
        "by least squares on the logarithms.",
        "",
        "| nodes | edges | targets, s | an epoch, s | embedding, s | all, s | memory, MiB |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {r['nodes']:,} | {r['edges']:,} | {r['targets_s']:.2f} | {r['epoch_s']:.2f} | "
        f"{r['embedding_s']:.2f} | {r['total_s']:.1f} | {r['peak_bytes'] / 2**20:,.0f} |"
        for r in found["rows"]
    ]
    lines.append(
        f"| exponent | | {e['targets_s']:.2f} | {e['epoch_s']:.2f} | {e['embedding_s']:.2f} | "
        f"{e['total_s']:.2f} | {e['peak_bytes']:.2f} |"
    )
    return "\n".join([*lines, "", "![Cost against size](scaling.png)", ""])


def draw(found: dict[str, Any], folder: Path) -> None:
    """Seconds and memory, both axes logarithmic."""
    from matplotlib.figure import Figure

    from gigamae.report.plots import OURS, save

    picture = Figure(figsize=(7, 3), layout="constrained")
    nodes = [row["nodes"] for row in found["rows"]]
    panels = (("total_s", "seconds", 1), ("peak_bytes", "memory, MiB", 2**20))
    for axis, (key, label, scale) in zip(picture.subplots(1, 2), panels, strict=True):
        axis.loglog(nodes, [row[key] / scale for row in found["rows"]], "o-", color=OURS)
        axis.set(xlabel="nodes", ylabel=label, title=f"exponent {found['exponents'][key]:.2f}")
        axis.spines[["top", "right"]].set_visible(False)
    save(picture, folder, "scaling")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("results"))
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure)))
        return
    rows = []
    for nodes in given.sizes:
        done = subprocess.run(
            [sys.executable, str(HERE), "--measure", str(nodes)], capture_output=True, text=True, check=True
        )
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(rows[-1])
    found = summary(rows)
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "scaling.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (given.output / "scaling.md").write_text(markdown(found), encoding="utf-8")
    draw(found, given.output)
    print(markdown(found))


if __name__ == "__main__":
    main()
