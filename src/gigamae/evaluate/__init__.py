"""Judges of embeddings: three tasks, each usable alone on any matrix.

    from gigamae import evaluate

    evaluate.classification(z, y)   # a linear probe on 10% of the nodes
    evaluate.clustering(z, y)       # K-means against the classes
    evaluate.links(z, split)        # held-out edges by inner product

No model is ever seen here: an embedding is a matrix, wherever it comes from. Importing this costs
numpy alone; what is heavier is imported where it is used.
"""

from __future__ import annotations

from gigamae.evaluate.agreement import ari, nmi
from gigamae.evaluate.classification import classification, random_splits
from gigamae.evaluate.clustering import clustering
from gigamae.evaluate.links import auc, average_precision, link_scores, links
from gigamae.evaluate.probe import C_GRID, Probe, fit_probe
from gigamae.evaluate.ranking import average_ranks
from gigamae.evaluate.result import (
    ClassificationResult,
    ClusteringResult,
    Evaluation,
    LinksResult,
    Score,
    SeedSpread,
)
from gigamae.evaluate.significance import Difference, paired, welch

__all__ = [
    "C_GRID",
    "ClassificationResult",
    "ClusteringResult",
    "Difference",
    "Evaluation",
    "LinksResult",
    "Probe",
    "Score",
    "SeedSpread",
    "ari",
    "auc",
    "average_precision",
    "average_ranks",
    "classification",
    "clustering",
    "fit_probe",
    "link_scores",
    "links",
    "nmi",
    "paired",
    "random_splits",
    "welch",
]
