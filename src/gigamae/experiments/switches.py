"""The paper's two readings of its weights, and the release's switches one at a time, on Cora.

The base is what the paper's text and its appendix table say, with the weights read as they are
headed; each row changes one thing to what the authors' release does.
"""

from __future__ import annotations

from typing import Any

from gigamae.experiments.cells import Variant
from gigamae.experiments.experiment import SWEEP_SEEDS, Experiment, Row
from gigamae.presets import FAITHFUL

_TABLE = {"E": [5.0, 2.0, 6.0], "F": [2.0, 5.0, 6.0], "B": [1.0, 1.0, 3.0]}
_PAPER: dict[str, Any] = {
    **FAITHFUL["paper"],
    "mask_edge": 0.4, "mask_feature": 0.4, "hidden_dim": 512, "norm_momentum": 0.1,
    "norm_statistics": "masked", "sharpen": 0.0, "standardise": "none", "term_weights": _TABLE,
    "knowledge_weights": None,
}  # fmt: skip
_PAPER_TARGETS: dict[str, dict[str, Any]] = {
    "node2vec": {"dim": 64, "walk_length": 5, "context": 5, "walks_per_node": 5, "epochs": 20},
    "pca": {"ratio": 0.5, "k": None, "criterion": "variance", "whiten": True},
}
_LAMBDAS: dict[str, Any] = {
    "term_weights": None, "knowledge_weights": _TABLE, "allow_negative_weights": True,
}  # fmt: skip
_CUMULATED = {"pca": {"criterion": "singular_values", "ratio": 0.3}}

#: key, title, settings changed, targets changed
_CHANGES: tuple[tuple[str, str, dict[str, Any], dict[str, dict[str, Any]]], ...] = (
    ("paper", "the paper, its table read as tilde-lambdas", {}, {}),
    ("lambdas", "its table read as lambdas (V^B gets -1)", _LAMBDAS, {}),
    ("one-sided", "loss from the target to the reconstruction alone", {"symmetric": False}, {}),
    ("project-all", "V^N enters the projectors' batch statistics", {"project_all": True}, {}),
    ("norm-momentum", "batch norm momentum 0.99", {"norm_momentum": 0.99}, {}),
    ("masks", "masks 0.7 and 0.7", {"mask_edge": 0.7, "mask_feature": 0.7}, {}),
    ("singular-values", "PCA ratio 0.3 of the singular values", {}, _CUMULATED),
    ("node2vec-epochs", "node2vec for 100 epochs", {}, {"node2vec": {"epochs": 100}}),
    ("unwhitened", "PCA not whitened (the paper does not say)", {}, {"pca": {"whiten": False}}),
    (
        "release", "all of the release's at once",
        {**FAITHFUL["release"], "term_weights": None, "mask_edge": 0.7, "mask_feature": 0.7},
        {**_CUMULATED, "node2vec": {"epochs": 100}},
    ),
)  # fmt: skip


def switches() -> Experiment:
    """The experiment ``weights``."""
    rows = []
    for key, title, settings, targets in _CHANGES:
        changed = {name: {**recipe, **targets.get(name, {})} for name, recipe in _PAPER_TARGETS.items()}
        rows.append(Row(key, title, variant=Variant({**_PAPER, **settings}, changed)))
    return Experiment(
        "weights", "The paper's two readings and the release's switches, one at a time",
        tuple(rows), ("cora",), ("accuracy", "nmi", "ari", "auc", "ap"),
        seeds=SWEEP_SEEDS, splits=SWEEP_SEEDS,
        notes=("Epochs and learning rate are the preset's. The paper prints no such numbers.",),
    )  # fmt: skip
