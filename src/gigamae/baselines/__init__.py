"""Baselines: the methods that GiGaMAE is compared with, one file each, one interface with it.

Every one has ``fit(graph)``, ``transform(graph)``, ``fit_transform(graph)``, ``save`` and ``load``
(the controls, which learn nothing, save nothing), and none reads labels or edges that it was not given.

Example:
    >>> from gigamae import load_dataset
    >>> from gigamae.baselines import SGC
    >>> SGC(hops=2).fit_transform(load_dataset("demo")).shape[0]
    3000
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: Every method by the word that Python, TOML and the command line use, and where its class lives.
METHODS: dict[str, str] = {
    "deepwalk": "gigamae.baselines.deepwalk:DeepWalk",
    "gae": "gigamae.baselines.vgae:GAE",
    "vgae": "gigamae.baselines.vgae:VGAE",
    "graphmae": "gigamae.baselines.graphmae:GraphMAE",
    "graphmae2": "gigamae.baselines.graphmae2:GraphMAE2",
    "s2gae": "gigamae.baselines.s2gae:S2GAE",
    "maskgae": "gigamae.baselines.maskgae:MaskGAE",
    "bgrl": "gigamae.baselines.bgrl:BGRL",
    "grace": "gigamae.baselines.grace:GRACE",
    "gca": "gigamae.baselines.gca:GCA",
    "mvgrl": "gigamae.baselines.mvgrl:MVGRL",
    "cca-ssg": "gigamae.baselines.cca_ssg:CCASSG",
    "raw": "gigamae.baselines.controls:RawFeatures",
    "sgc": "gigamae.baselines.controls:SGC",
    "random-encoder": "gigamae.baselines.controls:RandomEncoder",
    "node2vec": "gigamae.baselines.controls:Node2VecAlone",
    "pca": "gigamae.baselines.controls:PCAAlone",
}
#: Those that learn nothing, or no more than a target does: they need no preset and no tuning.
CONTROLS = ("raw", "sgc", "random-encoder", "node2vec", "pca")

# Imported when first asked for: they bring torch or numba with them.
_HOMES = {home.split(":")[1]: home.split(":")[0] for home in METHODS.values()}
_HOMES |= {"Baseline": "gigamae.baselines.base"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gigamae.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOMES, "CONTROLS", "METHODS"])
