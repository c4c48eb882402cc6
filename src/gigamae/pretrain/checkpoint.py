"""Checkpoint: a model as a folder that people can read and nobody can hide code in.

``model.safetensors`` holds the weights; ``model.json`` the settings, the targets' recipes, the
graph's fingerprint, the versions, and the hash of the weights, so that a missing or altered file
is told from a whole one. No pickle is written or read.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gigamae.errors import ModelFolderError

if TYPE_CHECKING:
    from gigamae.estimator import GiGaMAE

WEIGHTS = "model.safetensors"
MODEL = "model.json"
FORMAT = 1


def save_model(model: GiGaMAE, folder: Path) -> Path:
    """Write the two files; the folder is made where it is not there."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    module = model.module_
    state = {k: v.detach().cpu().contiguous() for k, v in module.state_dict().items()}
    save_file(state, folder / WEIGHTS)
    about = {
        "format": FORMAT,
        "method": "gigamae",
        "settings": model.settings.to_dict(),
        "random_state": int(model.random_state),
        "targets": {
            name: {"name": t.name, "modality": t.modality, **t.params()}
            for name, t in model.targets_.items()
        },
        "num_features": model.n_features_in_,
        "dims": list(module.dims),
        "weights": [
            {"nodes": letter, "targets": list(s), "weight": w}
            for letter, row in module.weights.items()
            for s, w in row.items()
        ],
        "feature_names": None if model.feature_names_ is None else list(model.feature_names_),
        "features_made": model.features_made_,
        "graph_fingerprint": model.graph_fingerprint_,
        "timings": model.timings_,
        "best_epoch": model.history_.best_epoch,
        "losses": [round(v, 6) for v in model.history_.losses],
        "versions": versions(),
        "sha256": {WEIGHTS: _hash(folder / WEIGHTS)},
    }
    (folder / MODEL).write_text(json.dumps(about, indent=2) + "\n")
    return folder


def load_model(kind: type[GiGaMAE], folder: Path) -> GiGaMAE:
    """The estimator that :func:`save_model` wrote, ready to transform."""
    from safetensors.torch import load_file

    from gigamae.model.gigamae import GiGaMAEModule
    from gigamae.pretrain.loop import History
    from gigamae.settings import Settings

    about = read_about(folder)
    settings = Settings.from_dict(about["settings"])
    weights: dict[str, dict[tuple[int, ...], float]] = {}
    for row in about["weights"]:
        weights.setdefault(row["nodes"], {})[tuple(row["targets"])] = row["weight"]
    module = GiGaMAEModule(about["num_features"], about["dims"], weights, settings)
    try:
        module.load_state_dict(load_file(folder / WEIGHTS))
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelFolderError(
            f"{folder / WEIGHTS} does not fit {MODEL}; the folder mixes two models. Save it again."
        ) from error
    module.eval()
    model = kind.from_settings(settings, list(about["targets"]), random_state=about["random_state"])
    model.module_ = module
    model.history_ = History(losses=about["losses"], best_epoch=about["best_epoch"])
    model.targets_ = _recipes(about["targets"])
    model.timings_ = about["timings"]
    model.graph_fingerprint_ = about["graph_fingerprint"]
    names = about["feature_names"]
    model.feature_names_ = None if names is None else tuple(names)
    model.features_made_ = about["features_made"]
    model.n_features_in_ = about["num_features"]
    model._n_features_out = settings.out_dim
    return model


def read_about(folder: Path) -> dict[str, Any]:
    """``model.json``, once the files it names are there and unaltered.

    Raises:
        ModelFolderError: a file is missing, unreadable, altered, or from a newer version.
    """
    if not folder.is_dir():
        raise ModelFolderError(f"{folder} is not a folder; give the one that fit wrote (-o).")
    for name in (MODEL, WEIGHTS):
        if not (folder / name).is_file():
            raise ModelFolderError(f"{folder} lacks {name}; it is not a whole model. Fit it again.")
    try:
        about: dict[str, Any] = json.loads((folder / MODEL).read_text())
    except (ValueError, UnicodeDecodeError) as error:
        raise ModelFolderError(f"{folder / MODEL} is not readable JSON ({error}). Fit it again.") from error
    missing = {"format", "settings", "sha256", "dims", "weights", "num_features"} - set(about)
    if missing:
        raise ModelFolderError(f"{folder / MODEL} lacks {', '.join(sorted(missing))}. Fit it again.")
    if about["format"] > FORMAT:
        raise ModelFolderError(
            f"{folder} was written by a newer gigamae (format {about['format']}, this reads {FORMAT}). "
            "Upgrade gigamae."
        )
    if _hash(folder / WEIGHTS) != about["sha256"].get(WEIGHTS):
        raise ModelFolderError(f"{folder / WEIGHTS} was altered or cut off since it was saved. Fit it again.")
    return about


def versions() -> dict[str, str]:
    """The versions a result depends on."""
    import platform

    import numpy
    import torch

    import gigamae

    return {
        "gigamae": gigamae.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
    }


def _recipes(told: dict[str, Any]) -> dict[str, Any]:
    """The targets that can be made again from their settings; a user's matrix cannot, by design."""
    from gigamae.targets import make_target

    recipes = {}
    for name, spec in told.items():
        if spec["name"] != "precomputed":
            recipes[name] = make_target({k: v for k, v in spec.items() if k != "modality"})
    return recipes


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
