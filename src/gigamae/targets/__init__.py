"""What is reconstructed: node2vec, PCA, GAE and others, or any matrix of the user's own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gigamae.targets.base import Modality, Target
from gigamae.targets.registry import TARGETS, make_target, make_targets, target_class

if TYPE_CHECKING:
    from gigamae.targets.cache import TargetCache
    from gigamae.targets.deepwalk import DeepWalk
    from gigamae.targets.gae import GAE
    from gigamae.targets.node2vec import Node2Vec
    from gigamae.targets.pca import PCA
    from gigamae.targets.precomputed import Precomputed
    from gigamae.targets.standardisation import standardise

# Imported when first asked for: they bring torch, numba or pyarrow with them.
_HOMES = {home.split(":")[1]: home.split(":")[0] for home in TARGETS.values()}
_HOMES |= {
    "TargetCache": "gigamae.targets.cache",
    "standardise": "gigamae.targets.standardisation",
}

__all__ = [
    "GAE",
    "PCA",
    "TARGETS",
    "DeepWalk",
    "Modality",
    "Node2Vec",
    "Precomputed",
    "Target",
    "TargetCache",
    "make_target",
    "make_targets",
    "standardise",
    "target_class",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gigamae.targets' has no attribute {name!r}")
