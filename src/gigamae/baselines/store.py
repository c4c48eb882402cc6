"""Store: a fitted baseline as a folder, in the same two files as GiGaMAE's own models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gigamae.pretrain.checkpoint import read_about, read_weights, write_folder
from gigamae.pretrain.loop import History

if TYPE_CHECKING:
    from gigamae.baselines.base import Baseline

Kind = TypeVar("Kind", bound="Baseline")
#: What ``model.json`` of a baseline cannot do without.
NEEDED = ("settings", "random_state", "num_nodes", "num_features", "num_dimensions", "graph_fingerprint")
#: Not settings of the method: where it ran, and the seed, which stands beside them.
_APART = ("device", "random_state")


def save_baseline(model: Baseline, folder: Path) -> Path:
    """Write the two files; the folder is made where it is not there."""
    about: dict[str, Any] = {
        "method": model.name,
        "settings": {k: v for k, v in model.get_params(deep=False).items() if k not in _APART},
        "random_state": int(model.random_state),
        "num_nodes": model.sizes_.num_nodes,
        "num_features": model.sizes_.num_features,
        "num_dimensions": model._n_features_out,
        "feature_names": None if model.feature_names_ is None else list(model.feature_names_),
        "features_made": model.features_made_,
        "graph_fingerprint": model.graph_fingerprint_,
        "timings": model.timings_,
        "best_epoch": model.history_.best_epoch,
        "losses": [round(v, 6) for v in model.history_.losses],
    }
    return write_folder(folder, model.module_, about)


def load_baseline(kind: type[Kind], folder: Path) -> Kind:
    """The method that :func:`save_baseline` wrote, ready to transform.

    Raises:
        ModelFolderError: the folder is not whole, or another method's.
    """
    from gigamae.baselines.base import Sizes

    about = read_about(folder, kind.name, NEEDED)
    model = kind(**about["settings"], random_state=about["random_state"])
    model.sizes_ = Sizes(about["num_nodes"], about["num_features"])
    model.module_ = model._seeded(model.sizes_)
    read_weights(folder, model.module_)
    model.history_ = History(losses=about["losses"], best_epoch=about["best_epoch"])
    model.timings_ = about["timings"]
    model.graph_fingerprint_ = about["graph_fingerprint"]
    names = about["feature_names"]
    model.feature_names_ = None if names is None else tuple(names)
    model.features_made_ = about["features_made"]
    model.n_features_in_ = about["num_features"]
    model._n_features_out = about["num_dimensions"]
    return model
