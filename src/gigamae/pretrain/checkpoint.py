"""Checkpoint: a model as a folder that people can read and nobody can hide code in.

``model.safetensors`` holds the weights; ``model.json`` the settings, the targets' recipes, the
graph's fingerprint, the versions, and the hashes of the weights and of itself, so that a missing or
altered file is told from a whole one. No pickle is written or read. The baselines keep their models
in the same two files (:func:`write_folder`, :func:`read_about`, :func:`read_weights`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gigamae.errors import ModelFolderError

if TYPE_CHECKING:
    from torch import nn

    from gigamae.estimator import GiGaMAE

WEIGHTS = "model.safetensors"
MODEL = "model.json"
FORMAT = 1
#: What ``model.json`` of a GiGaMAE cannot do without.
NEEDED = ("settings", "dims", "weights", "num_features")


def save_model(model: GiGaMAE, folder: Path) -> Path:
    """Write the two files; the folder is made where it is not there."""
    module = model.module_
    about = {
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
        "notes": list(model.notes_),
        "best_epoch": model.history_.best_epoch,
        "losses": [round(v, 6) for v in model.history_.losses],
    }
    return write_folder(folder, module, about)


def load_model(kind: type[GiGaMAE], folder: Path) -> GiGaMAE:
    """The estimator that :func:`save_model` wrote, ready to transform."""
    from gigamae.model.gigamae import GiGaMAEModule
    from gigamae.pretrain.loop import History
    from gigamae.settings import Settings

    about = read_about(folder, "gigamae", NEEDED)
    settings = Settings.from_dict(about["settings"])
    weights: dict[str, dict[tuple[int, ...], float]] = {}
    for row in about["weights"]:
        weights.setdefault(row["nodes"], {})[tuple(row["targets"])] = row["weight"]
    module = GiGaMAEModule(about["num_features"], about["dims"], weights, settings)
    read_weights(folder, module)
    model = kind.from_settings(settings, list(about["targets"]), random_state=about["random_state"])
    model.module_ = module
    model.history_ = History(losses=about["losses"], best_epoch=about["best_epoch"])
    model.targets_ = _recipes(about["targets"])
    model.timings_ = about["timings"]
    model.notes_ = tuple(about.get("notes", ()))
    model.graph_fingerprint_ = about["graph_fingerprint"]
    names = about["feature_names"]
    model.feature_names_ = None if names is None else tuple(names)
    model.features_made_ = about["features_made"]
    model.n_features_in_ = about["num_features"]
    model._n_features_out = settings.out_dim
    return model


def write_folder(folder: Path, module: nn.Module, about: dict[str, Any]) -> Path:
    """The weights of a module and ``about``, with the format, the versions and the hashes."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    # save_file would make a file that nobody but its owner can read
    content = save({k: v.detach().cpu().contiguous() for k, v in module.state_dict().items()})
    (folder / WEIGHTS).write_bytes(content)
    whole = {
        "format": FORMAT, **about, "versions": versions(),
        "sha256": {WEIGHTS: hashlib.sha256(content).hexdigest()},
    }  # fmt: skip
    (folder / MODEL).write_text(json.dumps(sealed(whole, MODEL), indent=2) + "\n", encoding="utf-8")
    return folder


def sealed(about: dict[str, Any], name: str) -> dict[str, Any]:
    """``about`` with the hash of all it says but that hash, under ``sha256`` and its file's ``name``."""
    plain = json.loads(json.dumps(about))  # as it will be read: lists for tuples, text for keys
    plain["sha256"].pop(name, None)
    content = json.dumps(plain, sort_keys=True).encode()
    plain["sha256"][name] = hashlib.sha256(content).hexdigest()
    return plain  # type: ignore[no-any-return]


def read_weights(folder: Path, module: nn.Module) -> None:
    """Put the weights of a folder into a module, which is then ready to embed.

    Raises:
        ModelFolderError: they are another module's.
    """
    from safetensors.torch import load_file

    try:
        module.load_state_dict(load_file(folder / WEIGHTS))
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelFolderError(
            f"{folder / WEIGHTS} does not fit {MODEL}; the folder mixes two models. Save it again."
        ) from error
    module.eval()


def read_about(folder: Path, method: str, needed: Iterable[str]) -> dict[str, Any]:
    """``model.json``, once the files it names are there and unaltered.

    Args:
        folder: what :func:`write_folder` wrote.
        method: whose model it must be.
        needed: the entries that the method wrote besides its name.

    Raises:
        ModelFolderError: a file is missing, unreadable, altered, or from a newer version.
    """
    if not folder.is_dir():
        raise ModelFolderError(f"{folder} is not a folder; give the one that fit wrote (-o).")
    for name in (MODEL, WEIGHTS):
        if not (folder / name).is_file():
            raise ModelFolderError(f"{folder} lacks {name}; it is not a whole model. Fit it again.")
    try:
        about: dict[str, Any] = json.loads((folder / MODEL).read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ModelFolderError(f"{folder / MODEL} is not readable JSON ({error}). Fit it again.") from error
    if not isinstance(about, dict):
        raise ModelFolderError(f"{folder / MODEL} is not what was saved there. Fit it again.")
    whose = about.get("method", method)
    if whose != method:
        raise ModelFolderError(
            f"{folder} holds a model of {whose}, not of {method}; load it with {whose}'s class."
        )
    missing = {"format", "sha256", *needed} - set(about)
    if missing:
        raise ModelFolderError(f"{folder / MODEL} lacks {', '.join(sorted(missing))}. Fit it again.")
    hashes, number = about["sha256"], about["format"]
    if not isinstance(hashes, dict) or not isinstance(number, int):
        raise ModelFolderError(f"{folder / MODEL} was altered since it was saved. Fit it again.")
    if number > FORMAT:
        raise ModelFolderError(
            f"{folder} was written by a newer gigamae (format {about['format']}, this reads {FORMAT}). "
            "Upgrade gigamae."
        )
    if hashes.get(MODEL) != sealed(about, MODEL)["sha256"][MODEL]:
        raise ModelFolderError(f"{folder / MODEL} was altered since it was saved. Fit it again.")
    if file_hash(folder / WEIGHTS) != hashes.get(WEIGHTS):
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


def file_hash(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
