"""The linear probe as the literature runs it: one-vs-rest liblinear under a grid search.

    python benchmarks/reference_classification.py --nodes 2708 --dimension 512 --classes 7

times it against ``gigamae.evaluate.classification`` on the same splits of made-up embeddings.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize


def reference_classification(
    z: np.ndarray, y: np.ndarray, splits: Iterable[tuple[np.ndarray, np.ndarray]]
) -> list[float]:
    """Test accuracy for each (train nodes, test nodes) pair.

    C from 2^-10 to 2^9 by 5-fold cross-validation on the training nodes alone.
    """
    z = normalize(np.asarray(z, dtype=np.float64))
    accuracy = []
    for train, test in splits:
        search = GridSearchCV(
            OneVsRestClassifier(LogisticRegression(solver="liblinear")),
            {"estimator__C": 2.0 ** np.arange(-10, 10)},
            cv=5,
        )
        search.fit(z[train], y[train])
        accuracy.append(float((search.predict(z[test]) == y[test]).mean()))
    return accuracy


def made_up(nodes: int, dimension: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings with classes that overlap and a spectrum that decays, as learned ones have."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=nodes)
    scale = np.arange(1, dimension + 1) ** -0.5
    z = (0.7 * rng.standard_normal((classes, dimension))[y] + rng.standard_normal((nodes, dimension))) * scale
    return z.astype(np.float32), y


def compare(z: np.ndarray, y: np.ndarray, repeats: int = 1, seed: int = 0) -> dict[str, float]:
    """Seconds (wall and CPU) and mean accuracy of the library and of the reference, same splits."""
    from gigamae import evaluate

    splits = list(evaluate.random_splits(len(y), repeats=repeats, seed=seed))
    report: dict[str, float] = {"nodes": len(y), "dimension": z.shape[1], "repeats": repeats}
    judges = {
        "library": lambda: evaluate.classification(z, y, splits=splits).accuracy.mean,
        "reference": lambda: float(np.mean(reference_classification(z, y, splits))),
    }
    for name, judge in judges.items():
        wall, cpu = time.perf_counter(), time.process_time()
        report[f"{name}_accuracy"] = judge()
        report[f"{name}_seconds"] = time.perf_counter() - wall
        report[f"{name}_cpu_seconds"] = time.process_time() - cpu
    report["ratio"] = report["reference_seconds"] / report["library_seconds"]
    report["cpu_ratio"] = report["reference_cpu_seconds"] / report["library_cpu_seconds"]
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2708)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--classes", type=int, default=7)
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    z, y = made_up(given.nodes, given.dimension, given.classes)
    print(json.dumps(compare(z, y, given.repeats)))


if __name__ == "__main__":
    main()
