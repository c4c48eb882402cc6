"""What each part of the fast path gains over the plain form of the same computation.

    python benchmarks/parts.py -o results

writes parts.json and parts.md: the best of a few runs of either form, in this process and one after the
other, and how far the results are apart. docs/performance.md says what each part does and why.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from made_up import attributed_graph, word_counts
from torch import Tensor

from gigamae.model.attention import attend, attend_by_products, keep_entries
from gigamae.model.convolutions import GATLayer, Step
from gigamae.model.features import FeatureMatrix
from gigamae.model.infonce import infonce, infonce_plain
from gigamae.model.linear import in_few_shapes
from gigamae.model.projectors import Projector
from gigamae.model.topology import Topology

RUNS = 3
#: Of the graph of co-bought computers, unless a test asks for less.
NODES, EDGES, FEATURES = 13_752, 245_861, 767


@dataclass
class Part:
    """One comparison.

    Attributes:
        name: what is computed.
        plain: how it is first written.
        ours: what runs instead.
        plain_s: seconds of the one.
        ours_s: of the other.
        apart: norm of the difference over the norm of the plain result; None where both draw.
    """

    name: str
    plain: str
    ours: str
    plain_s: float
    ours_s: float
    apart: float | None = None


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest run after one that warms up, and the last answer."""
    work()
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), answer


def apart(a: Tensor, b: Tensor) -> float:
    return float((a - b).norm() / a.norm())


def gradient(value: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """Forward and backward, every output with a weight of its own."""
    leaf = at.clone().requires_grad_()
    out = value(leaf)
    (out * torch.randn(out.shape, generator=torch.Generator().manual_seed(2))).sum().backward()
    assert leaf.grad is not None
    return leaf.grad


def comparisons(n: int) -> list[Part]:
    """InfoNCE: tiles, bfloat16, drawn negatives."""
    generator = torch.Generator().manual_seed(0)
    p, q = (torch.randn(n, 320, generator=generator) for _ in range(2))

    def tiled(**options: Any) -> Callable[[], Tensor]:
        return lambda: gradient(lambda x: infonce(x, q, 0.7, symmetric=False, **options), p)

    def drawn() -> Tensor:
        own = torch.Generator().manual_seed(1)
        return tiled(low_precision=True, negatives=min(2048, n // 2), generator=own)()

    work = f"InfoNCE of {n:,} nodes and its gradient"
    plain, by_plain = best(lambda: gradient(lambda x: infonce_plain(x, q, 0.7, symmetric=False), p))
    whole, by_whole = best(tiled())
    low, by_low = best(tiled(low_precision=True))
    few, _ = best(drawn)
    return [
        Part(work, "n x n matrices kept by autograd", "tiles, gradient in the same pass", plain, whole,
             apart(by_plain, by_whole)),
        Part(work, "tiles in float32", "tiles in bfloat16", whole, low, apart(by_whole, by_low)),
        Part(work, "all negatives, bfloat16", "2,048 drawn", low, few),
    ]  # fmt: skip


def projector(n: int) -> Part:
    """Two layers with batch norm and ReLU between them."""
    torch.manual_seed(0)
    plain, ours = Projector(512, 1024, 320), Projector(512, 1024, 320)
    ours.load_state_dict(plain.state_dict())
    ours.first.low_precision = ours.second.low_precision = True
    z = torch.randn(n, 512)
    a, by_a = best(lambda: gradient(plain, z))
    b, by_b = best(lambda: gradient(ours, z))
    name = f"a projector and its gradient, {n:,} rows, 512 to 1,024 to 320"
    ours_is = "bfloat16, one compiled pass between"
    return Part(name, "torch's layers, float32", ours_is, a, b, apart(by_a, by_b))


def attention(n: int, m: int) -> list[Part]:
    """A layer of four heads of 128, forward and backward."""
    from torch_geometric.nn import GATConv

    graph = attributed_graph(n, m, 8, 10)
    topology = Topology.of(graph)
    ours = GATLayer(512, 512, heads=4)
    theirs = GATConv(512, 128, 4)
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.lift.weight.T)
        theirs.att_src.copy_(ours.att_src.unsqueeze(0))
        theirs.att_dst.copy_(ours.att_dst.unsqueeze(0))
    x = torch.randn(n, 512, generator=torch.Generator().manual_seed(0))
    edges = torch.stack([topology.rows, topology.cols])
    a, by_a = best(lambda: gradient(lambda h: theirs(h, edges), x))
    b, by_b = best(lambda: gradient(lambda h: ours(h, Step(topology)), x))
    h = x.view(n, 4, 128)
    src, dst = ((h * w).sum(dim=2) for w in (ours.att_src.detach(), ours.att_dst.detach()))
    keep = keep_entries(topology, None)
    rest = (src, dst, topology, keep, 0.2, 0.0, 0)
    c, by_c = best(lambda: gradient(lambda t: attend_by_products(t, *rest), h))
    d, by_d = best(lambda: gradient(lambda t: attend(t, src, dst, topology), h))
    work = f"{n:,} nodes, {m:,} edges, 4 heads of 128, with the gradient"
    return [
        Part(f"an attention layer: {work}", "PyG's GATConv", "compiled passes over rows", a, b,
             apart(by_a, by_b)),
        Part(f"attention alone: {work}", "sparse products, one a head", "compiled passes over rows", c, d,
             apart(by_c, by_d)),
    ]  # fmt: skip


def first_layer(n: int, columns: int) -> Part:
    """Masked sparse features times a weight."""
    x = word_counts(n, columns)
    sparse, dense = FeatureMatrix(x), torch.from_numpy(x.toarray())
    weight = torch.randn(columns, 512, generator=torch.Generator().manual_seed(0))
    hidden = torch.rand(n, generator=torch.Generator().manual_seed(1)) < 0.4
    kept = (~hidden).float().unsqueeze(1)
    a, by_a = best(lambda: gradient(lambda w: (dense * kept) @ w, weight))
    b, by_b = best(lambda: gradient(lambda w: sparse.project(w, hidden=hidden), weight))
    size = f"{n:,} x {columns:,}, {x.nnz / n:.0f} non-zeros a row"
    name, ours = f"masked features ({size}) times W, with the gradient", "sparse, the mask as a scale of rows"
    return Part(name, "a dense masked copy", ours, a, b, apart(by_a, by_b))


def did_not_pay(n: int) -> list[Part]:
    """What was tried and left: the last column says how many times slower it is than what is used."""
    from gigamae.model import infonce as module

    generator = torch.Generator().manual_seed(0)
    p, q = (torch.randn(n, 320, generator=generator) for _ in range(2))

    def compared() -> Tensor:
        return gradient(lambda x: infonce(x, q, 0.7, symmetric=False, low_precision=True), p)

    kept, least = best(compared), module.LEAST_ROWS
    try:
        module.LEAST_ROWS = n + 1  # nobody gets a run of anchors of its own
        shared = best(compared)
    finally:
        module.LEAST_ROWS = least
    x = (torch.rand(n, 767, generator=generator) < 0.34).float()
    dense, sparse = FeatureMatrix(x.numpy()), FeatureMatrix(sp.csr_matrix((n, 767), dtype=np.float32))
    sparse._keep_sparse(sp.csr_matrix(x.numpy()), "cpu")
    weight = torch.randn(767, 512, generator=generator)
    a, by_a = best(lambda: gradient(sparse.project, weight))
    b, by_b = best(lambda: gradient(dense.project, weight))
    return [
        Part(f"InfoNCE of {n:,} nodes, bfloat16", "all threads on each small product",
             "a thread a run of anchors", shared[0], kept[0], apart(shared[1], kept[1])),
        Part(f"features, {n:,} x 767, a third non-zero, times W", "sparse", "dense, from 5% on", a, b,
             apart(by_a, by_b)),
    ]  # fmt: skip


def shapes(n: int) -> Part:
    """Products in bfloat16 of a new number of rows each time."""
    weight = torch.randn(512, 512).bfloat16()
    rng = np.random.default_rng(0)

    def products(laid: Callable[[Tensor], Tensor]) -> float:
        """Each number of rows is met once: that is the point."""
        rows = [torch.randn(int(r), 512) for r in rng.integers(n // 2, n, 40)]
        start = time.perf_counter()
        for x in rows:
            laid(x) @ weight
        return time.perf_counter() - start

    products(in_few_shapes)
    a, b = products(lambda x: x.bfloat16()), products(in_few_shapes)
    return Part(f"40 bfloat16 products of {n // 2:,} to {n:,} rows", "rows as they come, each shape compiled",
                "rows rounded up to 256", a, b)  # fmt: skip


def clustering(n: int) -> Part:
    """K-means from ten starts; how far the inertias are apart."""
    from sklearn.cluster import KMeans

    from gigamae.evaluate.kmeans import kmeans

    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, 256))
    x = (centres[rng.integers(10, size=n)] + 2 * rng.normal(size=(n, 256))).astype(np.float32)
    a, theirs = best(lambda: KMeans(10, n_init=10, random_state=0).fit(x).inertia_)
    b, ours = best(lambda: kmeans(x, 10, [np.random.default_rng(0)])[0].inertia)
    name = f"K-means, {n:,} x 256, 10 clusters, 10 starts"
    return Part(name, "scikit-learn", "all starts in one product", a, b, abs(theirs - ours) / theirs)


def measure(scale: float = 1.0) -> dict[str, Any]:
    """Every part, at a share of the full size."""
    from gigamae.experiments.machine import machine

    n, m = int(NODES * scale), int(EDGES * scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [
            *comparisons(min(6_000, n)), projector(n), *attention(n, m),
            first_layer(n, max(64, int(6_805 * scale))), shapes(n), clustering(n),
            *did_not_pay(min(6_000, n)),
        ]  # fmt: skip
    threads = torch.get_num_threads()
    return {"parts": [asdict(part) for part in parts], "threads": threads, "machine": machine()}


def markdown(found: dict[str, Any]) -> str:
    """The parts as a page."""
    lines = [
        "# What each part gains",
        "",
        f"`python benchmarks/parts.py`, {found['threads']} threads on {found['machine']['processor']}; the "
        f"fastest of {RUNS} runs. What each part is: [docs/performance.md](../docs/performance.md).",
        "",
        "| what | plain form | ours | plain, s | ours, s | times faster | apart |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for p in found["parts"]:
        gap = "" if p["apart"] is None else f"{p['apart']:.0e}"
        lines.append(
            f"| {p['name']} | {p['plain']} | {p['ours']} | {p['plain_s']:.3f} | {p['ours_s']:.3f} | "
            f"{p['plain_s'] / p['ours_s']:.1f} | {gap} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("results"))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size")
    given = parser.parse_args()
    found = measure(given.scale)
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "parts.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (given.output / "parts.md").write_text(markdown(found), encoding="utf-8")
    print(markdown(found))


if __name__ == "__main__":
    main()
