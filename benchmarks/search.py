"""How the presets were found: one change at a time from the paper's settings, then small mutations.

    python benchmarks/search.py cora links --seconds 600 --data-root DIR --log results/search/log.csv

Nothing that is reported is looked at: labels and link splits are those of seeds 10 and up, while
``gigamae reproduce`` reports seeds 0 to 4. For links the score is the validation AUC and average
precision; test edges are never scored. One training is judged at several epochs, so that the number
of epochs is one of the things found, fixed from then on.

The score of a setting is how far it falls short of the paper's numbers, each in units of about
three standard errors, plus a quarter of what it exceeds them by (at most three units).
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gigamae import GiGaMAE, evaluate, load_dataset, split_links
from gigamae.evaluate.result import LinksResult
from gigamae.experiments.paper import printed
from gigamae.graph.graph import Graph

#: The first seed of the search; ``gigamae reproduce`` reports 0 to 4.
FIRST_SEED = 10
UNITS = {"accuracy": 0.005, "nmi": 0.02, "ari": 0.03, "auc": 0.005, "ap": 0.006}
MEASURES = {"labels": ("accuracy", "nmi", "ari"), "links": ("auc", "ap")}
#: The paper's table with each measure, and what its numbers are to be divided by.
TABLES = {
    "accuracy": ("table-1", 100), "nmi": ("table-2", 1), "ari": ("table-2", 1), "auc": ("table-3", 100),
    "ap": ("table-3", 100),
}  # fmt: skip

LITERAL = {"E": [5, 2, 6], "F": [2, 5, 6], "B": [1, 1, 3]}
WEIGHTS: dict[str, dict[str, Any]] = {
    "table as tilde-lambdas": {"term_weights": LITERAL},
    "table as lambdas": {"knowledge_weights": LITERAL, "allow_negative_weights": True},
    "joint alone": {"term_weights": {key: [0, 0, 1] for key in "EFB"}},
    "structure": {"term_weights": {"E": [6, 1, 2], "F": [6, 1, 2], "B": [3, 0, 1]}},
    "attributes": {"term_weights": {"E": [1, 6, 2], "F": [1, 6, 2], "B": [0, 3, 1]}},
    "even": {"term_weights": {key: [1, 1, 1] for key in "EFB"}},
}
#: What is tried. ``node2vec.*`` and ``pca.*`` are settings of the targets.
SPACE: dict[str, list[Any]] = {
    "weights": list(WEIGHTS), "encoder": ["gat", "gcn"], "dropout": [0.2, 0.4, 0.6, 0.7],
    "standardise": ["none", "block", "unit", "zscore"], "pca.k": [32, 64, 128, 256, 512],
    "node2vec.dim": [32, 64, 128, 256], "mask_edge": [0.1, 0.2, 0.4, 0.6, 0.8],
    "mask_feature": [0.1, 0.2, 0.4, 0.6, 0.8], "tau": [0.3, 0.5, 0.7, 1.0, 1.5],
    "norm_momentum": [0.1, 0.99], "pca.whiten": [True, False], "symmetric": [True, False],
    "attention_dropout": [0.0, 0.3, 0.6], "learning_rate": [0.0005, 0.001, 0.002, 0.004],
    "schedule": ["step", "cosine"],
    "hidden_dim": [256, 512], "out_dim": [128, 256, 512], "heads": [1, 4, 8], "project_all": [True, False],
    "node2vec.epochs": [2, 5, 10, 20], "node2vec.walk_length": [5, 10, 20], "node2vec.q": [0.5, 1.0, 2.0],
}  # fmt: skip
CHECKS = (40, 80, 120, 160, 200, 300)
#: Splits of the classifier, seeds of K-means.
REPEATS = 5

Change = dict[str, Any]
Found = dict[int, dict[str, float]]  # epoch -> measure -> value


def trial(
    graph: Graph, task: str, change: Change, seed: int, epochs: int, checks: Sequence[int] = CHECKS
) -> Found:
    """Fit once, judge at every checked epoch."""
    settings: dict[str, Any] = {"epochs": epochs, "check_every": 20, **WEIGHTS["table as tilde-lambdas"]}
    recipes: dict[str, dict[str, Any]] = {"node2vec": {"name": "node2vec"}, "pca": {"name": "pca"}}
    for name, value in change.items():
        where, dot, setting = name.partition(".")
        if dot:
            recipes[where][setting] = value
        elif name == "weights":
            settings = {k: v for k, v in settings.items() if k != "term_weights"} | WEIGHTS[value]
        else:
            settings[name] = value
    found: Found = {}
    model = GiGaMAE(targets=recipes, random_state=seed, **settings)
    epoch = 0
    if task == "links":
        split = split_links(graph, seed=seed)

        def judge_links(z: np.ndarray) -> float:
            nonlocal epoch
            epoch += 20
            result: LinksResult = evaluate.links(z, split, part="val")
            found[epoch] = {"auc": result.auc.mean, "ap": result.ap.mean}
            return result.auc.mean

        model.set_params(patience=6)
        model.fit(split.train, validate=judge_links)
        return found

    def judge_labels(z: np.ndarray) -> float:
        nonlocal epoch
        epoch += 20
        if epoch in checks:
            found[epoch] = judged(z, graph.y)
        return float(epoch)  # the last weights are kept; nothing is chosen here

    model.fit(graph, validate=judge_labels)
    return found


def trial_of_baseline(method: str, graph: Graph, task: str, settings: Change, seed: int) -> Found:
    """Fit once with all of its epochs; labels are judged at the end, links on the validation edges."""
    from gigamae.experiments.methods import make_model
    from gigamae.experiments.protocols import fit_on_split, fit_with

    model = make_model(method, settings, {}, seed=seed)
    epochs = int(settings.get("epochs", getattr(model, "epochs", 0)))
    if task == "links":
        split = split_links(graph, seed=seed)
        fit_on_split(model, split)
        result: LinksResult = evaluate.links(model.transform(split.train), split, part="val")
        best = getattr(getattr(model, "history_", None), "best_epoch", None)
        return {best or epochs: {"auc": result.auc.mean, "ap": result.ap.mean}}
    fit_with(model, graph)
    return {epochs: judged(model.transform(graph), graph.y)}


def judged(z: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Classification and clustering on the search's own splits and seeds."""
    accuracy = evaluate.classification(z, y, repeats=REPEATS, seed=1000).accuracy.mean
    clusters = evaluate.clustering(z, y, repeats=REPEATS, seed=1000)
    return {"accuracy": accuracy, "nmi": clusters.nmi.mean, "ari": clusters.ari.mean}


def goal(dataset: str, measure: str) -> float:
    """What the paper prints for GiGaMAE, as a share."""
    table, unit = TABLES[measure]
    return printed()[table, "gigamae", dataset, measure].mean / unit


def score(values: dict[str, float], goals: dict[str, float]) -> float:
    """Shortfall in units, plus a quarter of the excess."""
    gaps = [(values[m] - goal) / UNITS[m] for m, goal in goals.items()]
    return sum(min(g, 0) + 0.25 * min(max(g, 0), 3) for g in gaps)


def best_epoch(found: Found, goals: dict[str, float]) -> int:
    """By validation AUC for links, by the score elsewhere."""
    return max(found, key=lambda e: found[e]["auc"] if "auc" in goals else score(found[e], goals))


def propose(tried: dict[str, list[float]], start: Change, rng: random.Random) -> tuple[Change, int]:
    """The next setting and its seed: each single change first, then one of the best, again or changed."""
    for name, values in SPACE.items():
        for value in values:
            change = {**start, name: value}
            if json.dumps(change, sort_keys=True) not in tried:
                return change, FIRST_SEED
    top = sorted(tried, key=lambda k: float(np.mean(tried[k])) - 0.3 / len(tried[k]), reverse=True)[:4]
    chosen = rng.choice(top)
    if len(tried[chosen]) < 3 and rng.random() < 0.4:
        return json.loads(chosen), FIRST_SEED + len(tried[chosen])
    change = json.loads(chosen)
    for name in rng.sample(sorted(SPACE), rng.choice((1, 2, 2, 3))):
        change[name] = rng.choice(SPACE[name])
    return change, FIRST_SEED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("task", choices=tuple(MEASURES))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--data-root", default=None)
    parser.add_argument("--start", default="{}", help="JSON of a setting to start from")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--only", help="JSON list of settings: these alone, on every one of --seeds")
    parser.add_argument("--method", default="gigamae", help="another one, for --only")
    parser.add_argument("--seeds", default="10,11,12", help="for --only")
    parser.add_argument("--checks", type=int, nargs="*", default=CHECKS, help="epochs that are judged")
    given = parser.parse_args()
    graph = load_dataset(given.dataset, root=given.data_root)
    goals = {m: goal(given.dataset, m) for m in MEASURES[given.task]}
    start, rng, tried = json.loads(given.start), random.Random(0), defaultdict[str, list[float]](list)
    given.log.parent.mkdir(parents=True, exist_ok=True)

    def note(change: Change, seed: int, epoch: int, values: dict[str, float]) -> None:
        with given.log.open("a", newline="", encoding="utf-8") as file:
            rounded = json.dumps({m: round(v, 4) for m, v in values.items()})
            csv.writer(file).writerow(
                [given.dataset, given.task, seed, json.dumps(change, sort_keys=True), epoch, rounded]
            )

    if given.only:  # a line for every checked epoch of labels: the number of epochs is compared over seeds
        for change in json.loads(given.only):
            for seed in map(int, given.seeds.split(",")):
                settings = {**start, **change}
                epochs = settings.pop("epochs", given.epochs)
                if given.method == "gigamae":
                    found = trial(graph, given.task, settings, seed, epochs, (*given.checks, epochs))
                else:
                    found = trial_of_baseline(given.method, graph, given.task, {**start, **change}, seed)
                shown = found if given.task == "labels" else [best_epoch(found, goals)]
                for epoch in shown:
                    named = change if given.method == "gigamae" else {"method": given.method, **change}
                    note(named, seed, epoch, found[epoch])
        return
    end = time.monotonic() + given.seconds
    while time.monotonic() < end:
        change, seed = propose(tried, start, rng)
        found = trial(graph, given.task, change, seed, given.epochs)
        epoch = best_epoch(found, goals)
        tried[json.dumps(change, sort_keys=True)].append(score(found[epoch], goals))
        note(change, seed, epoch, found[epoch])


if __name__ == "__main__":
    main()
