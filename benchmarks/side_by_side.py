"""The library and the reference in turn, on the same data and settings, each in a process of its own.

``gigamae bench`` runs this. A row is one comparison; its ratio says how many times better the library
is. Where the reference would take minutes both do less of the same work, and the row says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
COMPUTERS = (13_752, 245_861, 767, 10)
CORA = (2_708, 5_278, 1_433, 7)
#: What the library's side alone tells: key, how it is written, unit.
EXTRAS = (
    ("largest_principal_angle", ".1e", "rad"), ("seconds_with_p_0.2_q_2", ".2f", "s"),
    ("seconds_with_p_4_q_0.25", ".2f", "s"),
)  # fmt: skip


@dataclass
class Row:
    """One comparison: what both sides did, and what each told."""

    name: str
    work: str
    library: dict[str, Any]
    reference: dict[str, Any]
    ratios: dict[str, float] = field(default_factory=dict)


class JobFailed(RuntimeError):
    """A side ended with an error; the message is its last line."""


def compare(*, quick: bool, data_root: str | None, tell: Callable[[str], None]) -> dict[str, Any]:
    """Every row, the four headline ratios, and the machine. ``tell`` hears of each job."""
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(Path(folder), quick, data_root, tell)
        rows = [bench.epoch(), bench.node2vec(), bench.pca()]
        if not quick:
            rows += [
                bench.epoch(precision="float32"), bench.node2vec_quality(), bench.walks(),
                bench.classification(),
            ]  # fmt: skip
    ratios = {
        "epoch_time": rows[0].ratios["seconds"],
        "peak_memory": rows[0].ratios["peak_bytes"],
        "node2vec": rows[1].ratios["seconds"],
        "pca": rows[2].ratios["seconds"],
    }
    from gigamae.experiments.machine import machine

    if "work_bytes" in rows[0].ratios:
        ratios["memory_of_the_work"] = rows[0].ratios["work_bytes"]
    return {"quick": quick, "data": "real" if data_root else "generated", "ratios": ratios,
            "rows": [asdict(row) for row in rows], "machine": machine()}  # fmt: skip


def run_job(job: str, side: str, **told: Any) -> dict[str, Any]:
    """A job of jobs.py in a process of its own; what it printed."""
    order = {"job": job, "side": side, **told}
    done = subprocess.run(
        [sys.executable, str(HERE / "jobs.py"), json.dumps(order)], capture_output=True, text=True
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise JobFailed(f"the {side or 'data'} side of {job} failed: {last[0]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


class _Bench:
    def __init__(self, folder: Path, quick: bool, data_root: str | None, tell: Callable[[str], None]) -> None:
        self.folder, self.quick, self.root, self.tell = folder, quick, data_root, tell
        self.graph = str(folder / "computers.npz")
        self.sizes = self.run("prepare", "", name="computers", size=COMPUTERS, data=self.graph, targets=True)

    def run(self, job: str, side: str, **told: Any) -> dict[str, Any]:
        """One job in a new process."""
        self.tell(f"{job} {side}".strip())
        return run_job(job, side, data_root=self.root, **told)

    def row(self, name: str, work: str, job: str, of: dict[str, Any], only: dict[str, Any]) -> Row:
        """Both sides of a job; ``only`` is what the reference alone is told."""
        library = self.run(job, "library", **of)
        reference = self.run(job, "reference", **{**of, **only})
        ratios = {k: reference[k] / library[k] for k in ("seconds", "cpu_seconds", "peak_bytes")}
        if "loaded_bytes" in library:  # what the work itself took: libraries, data and warm-up left out
            taken = (side["peak_bytes"] - side["loaded_bytes"] for side in (reference, library))
            ratios["work_bytes"] = next(taken) / next(taken)
        return Row(name, work, library, reference, ratios)

    def epoch(self, precision: str = "auto") -> Row:
        n, m, d = (self.sizes[k] for k in ("nodes", "edges", "features"))
        work = (
            f"the fastest epoch of {{}}, exact loss, all negatives: {n:,} nodes, {m:,} edges, {d:,} "
            f"features, targets {' and '.join(map(str, self.sizes['widths']))} wide"
        )
        of = {"data": self.graph, "epochs": 3, "precision": precision, "as_if_nodes": n}
        epochs = 1 if self.quick else 2
        name = "epoch" if precision == "auto" else f"epoch in {precision}"
        row = self.row(name, "", "epoch", of, {"epochs": epochs})
        row.work = work.format(f"3 (the reference's of {epochs})")
        return row

    def node2vec(self) -> Row:
        walks = {"walk_length": 5, "context": 5, "walks_per_node": 5, "epochs": 1}
        work = "5 walks of 5 steps a node, context 5, an epoch; the fastest of 3"
        return self._node2vec("node2vec", self.graph, walks, work, probe=0, runs=3)

    def node2vec_quality(self) -> Row:
        data = str(self.folder / "cora.npz")
        self.run("prepare", "", name="cora", size=CORA, data=data)
        walks = {"walk_length": 5, "context": 5, "walks_per_node": 5, "epochs": 20}
        work = "a graph of Cora's size, 20 epochs"
        return self._node2vec("node2vec's quality", data, walks, work, probe=3, runs=1)

    def _node2vec(
        self, name: str, data: str, walks: dict[str, Any], work: str, *, probe: int, runs: int
    ) -> Row:
        """The reference with the learning rate and the thread that suit it best (docs/performance.md)."""
        only = {"learning_rate": 0.05, "threads": 1}
        of = {"data": data, "probe": probe, "runs": runs, **walks}
        return self.row(name, work, "node2vec", of, only)

    def walks(self) -> Row:
        of = {"data": self.graph, "walks": 1_000_000, "length": 10}
        return self.row("walks", "a million walks of 10 steps, p = q = 1", "walks", of, {})

    def pca(self) -> Row:
        shape, k = ((7_000, 3_400), 64) if self.quick else ((17_000, 4_200), 256)
        if self.root and not self.quick:
            shape, k = (34_493, 8_415), 512
        scores = [str(self.folder / f"{side}.npy") for side in ("library", "reference")]
        of = {"shape": shape, "k": k, "scores": scores[0]}
        if self.quick:
            of["data_root"] = None
        work = f"{k} components of {shape[0]:,} x {shape[1]:,} sparse features, dense SVD beside it"
        row = self.row("pca", work, "pca", of, {"scores": scores[1]})
        row.library["largest_principal_angle"] = largest_angle(*(np.load(s) for s in scores))
        return row

    def classification(self) -> Row:
        of = {"nodes": 2708, "dimension": 256, "classes": 7, "repeats": 1}
        work = (
            "one split, 20 values of C by 5-fold cross-validation, {nodes:,} x {dimension}, {classes} classes"
        )
        return self.row("classification", work.format(**of), "classification", of, {})


def largest_angle(a: np.ndarray, b: np.ndarray) -> float:
    """The largest principal angle between two column spaces, in radians."""
    qa, qb = (np.linalg.qr(m.astype(np.float64))[0] for m in (a, b))
    away = qb - qa @ (qa.T @ qb)  # its largest singular value is the sine: good to the last digit
    return float(np.arcsin(min(1.0, np.linalg.norm(away, 2))))


def markdown(report: dict[str, Any]) -> str:
    """The report as a page."""
    m = report["machine"]
    lines = [
        "# The library beside the reference",
        "",
        f"`gigamae bench{' --quick' if report['quick'] else ''}`, {report['data']} graphs, {m['cores']} "
        f"cores of {m['processor']}. Each side ran in a process of its own, one after the other. A ratio is "
        "how many times better the library is; peak memory is the whole process's, libraries and data too.",
        "",
        "| | library | reference | ratio |",
        "| --- | ---: | ---: | ---: |",
    ]
    for row in report["rows"]:
        lines.append(f"| **{row['name']}**: {row['work']} | | | |")
        for key, unit, scale in (
            ("seconds", "s", 1),
            ("cpu_seconds", "CPU s", 1),
            ("peak_bytes", "MiB", 2**20),
        ):
            a, b = (row[side][key] / scale for side in ("library", "reference"))
            lines.append(f"| {unit} | {a:,.2f} | {b:,.2f} | {row['ratios'][key]:.1f} |")
        if "work_bytes" in row["ratios"]:
            a, b = ((row[s]["peak_bytes"] - row[s]["loaded_bytes"]) / 2**20 for s in ("library", "reference"))
            ratio = row["ratios"]["work_bytes"]
            lines.append(f"| MiB above what was loaded | {a:,.2f} | {b:,.2f} | {ratio:.1f} |")
        for key in ("loss", "accuracy", "auc"):
            if key in row["library"]:
                lines.append(f"| {key} | {row['library'][key]:.4f} | {row['reference'][key]:.4f} | |")
        for key, form, unit in EXTRAS:
            if key in row["library"]:
                lines.append(f"| {key.replace('_', ' ')} | {row['library'][key]:{form}} {unit} | | |")
    return "\n".join(lines) + "\n"


def write(report: dict[str, Any], folder: Path) -> None:
    """bench.json and bench.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (folder / "bench.md").write_text(markdown(report), encoding="utf-8")
