"""The paper's figures as rows to run; how they are drawn is the report's business.

The paper's numbering: 1 GraphMAE and VGAE on two tasks, 2 the framework (a diagram, nothing to
run), 3 the average of the average ranks, 4 PCA ratio and walk length, 5 mask ratios, 6 weights.
Figure 7 is ours: what each method costs.
"""

from __future__ import annotations

from functools import lru_cache

from gigamae.experiments.cells import Variant
from gigamae.experiments.experiment import SEEDS, SWEEP_SEEDS, Experiment, Row
from gigamae.experiments.paper import METHODS
from gigamae.experiments.tables import TITLES, method_rows

#: What is asked for by number but has nothing to run.
DIAGRAM = "figure-2"
RATIOS = (0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
WALK_LENGTHS = (2, 5, 10, 20)
MASKS = (0.1, 0.3, 0.5, 0.7, 0.9)
WEIGHTS = (1.0, 2.0, 3.0, 4.0, 5.0)
_SWEEP_METRICS = ("accuracy", "nmi", "ari", "auc")


@lru_cache(maxsize=1)
def figures() -> dict[str, Experiment]:
    """Every figure that has something to run, by its name."""
    made = (
        _two_tasks(),
        _average_ranks(),
        _sweep("figure-4", "PCA ratio and node2vec walk length on Cora", _target_rows(), ("cora",)),
        _sweep("figure-5", "Mask ratios on Cora", _mask_rows(), ("cora",)),
        _weights(),
        _cost(),
    )
    return {figure.name: figure for figure in made}


def _two_tasks() -> Experiment:
    rows = tuple(Row(name, TITLES[name], name) for name in ("graphmae", "vgae", "gigamae"))
    note = "The paper draws GraphMAE and VGAE; its numbers here are those of its tables 1 and 3."
    return Experiment(
        "figure-1", "Two tasks: classification and links on Cora and Computers", rows,
        ("cora", "computers"), ("accuracy", "auc"), notes=(note,),
    )  # fmt: skip


def _average_ranks() -> Experiment:
    rows = tuple(row for row in method_rows() if row.key in METHODS)
    note = "The mean of the average ranks of tables 1, 2 and 3; lower is better."
    return Experiment(
        "figure-3", "Average of the average ranks over the three tasks", rows,
        ("cora", "citeseer", "wikics", "computers", "photo", "cs", "physics"),
        ("accuracy", "nmi", "ari", "auc", "ap"), seeds=SEEDS, notes=(note,),
    )  # fmt: skip


def _target_rows() -> list[Row]:
    rows = [
        Row(f"pca-ratio-{r:g}", f"PCA ratio {r:g}", variant=Variant(targets={"pca": {"ratio": r, "k": None}}),
            group="PCA ratio", x=r)
        for r in RATIOS
    ]  # fmt: skip
    rows += [
        Row(f"walk-length-{n}", f"walk length {n}", variant=Variant(targets={"node2vec": {"walk_length": n}}),
            group="node2vec walk length", x=n)
        for n in WALK_LENGTHS
    ]  # fmt: skip
    return rows


def _mask_rows() -> list[Row]:
    return [
        Row(f"mask-{what}-{r:g}", f"{what} mask {r:g}", variant=Variant({f"mask_{what}": r}),
            group=f"{what} mask ratio", x=r)
        for what in ("edge", "feature")
        for r in MASKS
    ]  # fmt: skip


def _weights() -> Experiment:
    none = [0.0, 0.0, 0.0]
    rows = []
    for w in WEIGHTS:
        both = {"E": none, "F": none, "B": [1.0, 1.0, w]}
        feature = {"E": none, "F": [2.0, w, 6.0], "B": none}
        for word, group, weights in (
            ("b", "weight 3 on V^B alone", both), ("f", "weight 2 on V^F alone", feature),
        ):  # fmt: skip
            variant = Variant({"term_weights": weights, "knowledge_weights": None})
            rows.append(Row(f"weight-{word}-{w:g}", f"{group}: {w:g}", variant=variant, group=group, x=w))
    note = (
        "The paper draws V^B on WikiCS and V^F on Computers; here both on Cora and Computers. Weights are "
        "those of the three terms, as the paper's appendix heads its numbers."
    )
    return _sweep(
        "figure-6", "Weight of the shared term on V^B, of the PCA term on V^F", rows,
        ("cora", "computers"), (note,),
    )  # fmt: skip


def _cost() -> Experiment:
    note = "Not in the paper, whose table 6 has these numbers for three methods."
    return Experiment(
        "figure-7", "Cost: seconds of pre-training by method", method_rows(),
        ("cora", "citeseer", "computers", "photo", "cs", "physics"), ("total_s",), notes=(note,),
    )  # fmt: skip


def _sweep(
    name: str, title: str, rows: list[Row], datasets: tuple[str, ...], notes: tuple[str, ...] = ()
) -> Experiment:
    return Experiment(
        name, title, tuple(rows), datasets, _SWEEP_METRICS, seeds=SWEEP_SEEDS, splits=SWEEP_SEEDS,
        notes=(*notes, "The paper prints no numbers for this figure."),
    )  # fmt: skip
