"""The paper's six tables, row by row."""

from __future__ import annotations

from functools import lru_cache

from gigamae.experiments.cells import Variant
from gigamae.experiments.experiment import ABLATION_SEEDS, Experiment, Row
from gigamae.experiments.paper import DATASETS, METHODS

ABLATION_DATASETS = ("cora", "wikics", "computers")
_ABLATION_METRICS = ("accuracy", "nmi", "ari", "auc")
#: With another number of targets the preset's weights do not fit; the defaults by modality do.
_DEFAULT_WEIGHTS = {"term_weights": None, "knowledge_weights": None, "allow_negative_weights": False}
_GAE = {"gae": {"name": "gae"}}

TITLES = {
    "gigamae": "GiGaMAE", "deepwalk": "DeepWalk", "gae": "GAE", "vgae": "VGAE", "graphmae": "GraphMAE",
    "graphmae2": "GraphMAE2", "s2gae": "S2GAE", "maskgae": "MaskGAE", "bgrl": "BGRL", "grace": "GRACE",
    "gca": "GCA", "mvgrl": "MVGRL", "cca-ssg": "CCA-SSG", "ns4gc": "NS4GC", "raw": "raw features",
    "sgc": "SGC features", "random-encoder": "random encoder", "node2vec": "node2vec alone",
    "pca": "PCA alone",
}  # fmt: skip


@lru_cache(maxsize=1)
def tables() -> dict[str, Experiment]:
    """Every table by its name."""
    links = "Links: mean and spread over the five fixed splits; the paper's spread is over its runs."
    made = (
        _comparison("table-1", "Node classification (accuracy, %)", ("accuracy",), ()),
        _comparison("table-2", "Node clustering (NMI and ARI)", ("nmi", "ari"), ()),
        _comparison("table-3", "Link prediction (AUC and AP, %)", ("auc", "ap"), (links,)),
        _targets(),
        _naive(),
        _cost(),
    )
    return {table.name: table for table in made}


def method_rows() -> tuple[Row, ...]:
    """GiGaMAE and the paper's methods in its order, then those that it does not have."""
    from gigamae.experiments.methods import method_names

    known = method_names()
    others = [m for m in known if m not in METHODS]
    order = ["gigamae", *(m for m in METHODS if m in known and m != "gigamae"), *others]
    return tuple(Row(name, TITLES.get(name, name), name) for name in order)


def _comparison(name: str, title: str, metrics: tuple[str, ...], notes: tuple[str, ...]) -> Experiment:
    return Experiment(name, title, method_rows(), DATASETS, metrics, ranks=METHODS, notes=notes)


def _targets() -> Experiment:
    rows = [
        Row(f"target-{t}", f"{title} alone", "target", Variant(targets=_GAE, only=(t,)))
        for t, title in (("node2vec", "node2vec"), ("pca", "PCA"), ("gae", "GAE"))
    ]
    rows += [
        Row(f"only-{t}", f"GiGaMAE of {title}", variant=Variant(_DEFAULT_WEIGHTS, _GAE, (t,)))
        for t, title in (("node2vec", "node2vec"), ("pca", "PCA"), ("gae", "GAE"))
    ]
    rows.append(Row("gigamae", "GiGaMAE (node2vec, PCA)"))
    large = Variant(_DEFAULT_WEIGHTS, _GAE, ("node2vec", "pca", "gae"))
    rows.append(Row("large", "GiGaMAE Large (node2vec, PCA, GAE)", variant=large))
    note = (
        "A single target and Large take the default weights by modality, since those of a preset are "
        "for two targets."
    )
    return _ablation("table-4", "Targets alone, and GiGaMAE that reconstructs them", rows, (note,))


def _naive() -> Experiment:
    rows = [
        Row(f"integrated-{how}", f"naive integration: {how}", "integrated", Variant({"how": how}))
        for how in ("max", "average", "concatenation")
    ]
    rows += [
        Row(f"loss-{how.replace('_', '-')}", f"naive loss: {title}", variant=Variant({"objective": how}))
        for how, title in (("mse", "MSE"), ("scaled_cosine", "scaled cosine"), ("contrastive", "contrastive"))
    ]
    rows.append(Row("no-edge-mask", "naive mask: no edge mask", variant=Variant({"mask_edge": 0.0})))
    rows.append(Row("no-feature-mask", "naive mask: no feature mask", variant=Variant({"mask_feature": 0.0})))
    rows.append(Row("gigamae", "GiGaMAE"))
    return _ablation("table-5", "Naive integration, naive losses, naive masks", rows, ())


def _ablation(name: str, title: str, rows: list[Row], notes: tuple[str, ...]) -> Experiment:
    return Experiment(
        name, title, tuple(rows), ABLATION_DATASETS, _ABLATION_METRICS, seeds=ABLATION_SEEDS,
        splits=ABLATION_SEEDS, ranks=tuple(row.key for row in rows), notes=notes,
    )  # fmt: skip


def _cost() -> Experiment:
    parts, whole = ("pca_s", "node2vec_s", "train_s", "total_s", "memory_mib"), ("total_s", "memory_mib")
    rows = [
        Row(row.key, row.title, row.method, metrics=parts if row.key == "gigamae" else whole)
        for row in method_rows()
    ]
    note = (
        "The paper measured on an NVIDIA A6000, ours on the machine named below: the ratios of methods "
        "on one graph can be compared, the seconds cannot."
    )
    return Experiment("table-6", "Cost of pre-training", tuple(rows), DATASETS, parts, notes=(note,))
