"""Runs: a folder with a model, its graph, its embeddings, and everything needed to make them again.

``run.json`` tells the story, and has the hashes of the files that are read again and of itself, so
that a missing or altered one is told from a whole one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from gigamae.errors import InputError, ModelFolderError
from gigamae.experiments.fit_run import Run, fit_run
from gigamae.experiments.machine import machine
from gigamae.experiments.methods import method_class
from gigamae.experiments.places import try_writing_into
from gigamae.experiments.vectors import write_vectors
from gigamae.pretrain.checkpoint import MODEL, WEIGHTS, file_hash, sealed, versions

ABOUT, GRAPH, EMBEDDINGS, MATRICES = "run.json", "graph.npz", "embeddings.parquet", "targets.npz"
#: What was found out about the run: by evaluate, and by the demo.
EVALUATION, COMPARISON = "evaluation.json", "demo.json"
FORMAT = 1
#: All that a run's folder may hold; the story is the first to go and the last to come.
_FILES = (ABOUT, MODEL, WEIGHTS, GRAPH, EMBEDDINGS, MATRICES, EVALUATION, COMPARISON)
_NEEDED = ("method", "task", "seed", "device", "settings", "targets", "links_settings", "links_targets")


def check_folder(folder: str | Path) -> Path:
    """Refuse, before any work is done, a place where a run cannot or should not be written."""
    if not str(folder).strip():
        raise InputError("the folder's name is empty; give a folder for the run (-o).")
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder for the run (-o).")
    there = [name for name in _FILES if (folder / name).exists()]
    if there and ABOUT not in there:
        raise InputError(f"{folder} holds a {there[0]} that is not from a run; give another folder (-o).")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made ({error.strerror}); give another folder (-o).") from error
    try:
        try_writing_into(folder)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written into ({error.strerror}); give another folder (-o)."
        ) from error
    return folder


def write_run(run: Run, folder: str | Path) -> Path:
    """Write the model, the graph, the embeddings and ``run.json``, the last of them last.

    Of a run that was there before nothing is left.
    """
    from gigamae.graph.store import save_graph

    folder = check_folder(folder)
    for name in _FILES:  # a folder without run.json is not a run, should we be stopped
        (folder / name).unlink(missing_ok=True)
    files = [GRAPH]
    if hasattr(run.model, "save"):
        run.model.save(folder)
        files.append(MODEL)
    save_graph(run.graph, folder / GRAPH)
    if run.z is not None:
        write_vectors(folder / EMBEDDINGS, run.z, run.graph.ids)
    if run.matrices:
        np.savez(folder / MATRICES, **run.matrices)  # type: ignore[arg-type]
        files.append(MATRICES)
    run.about.update(
        format=FORMAT,
        machine=machine(),
        versions=versions(),
        written=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        sha256={name: file_hash(folder / name) for name in files},
    )
    run.about = sealed(run.about, ABOUT)
    (folder / ABOUT).write_text(json.dumps(run.about, indent=2) + "\n", encoding="utf-8")
    run.folder = folder
    return folder


def load_run(folder: str | Path) -> Run:
    """Read a run that :func:`write_run` wrote.

    Raises:
        ModelFolderError: a file is missing or was altered.
    """
    from gigamae.graph.store import load_graph

    folder = Path(folder)
    about = read_story(folder)
    _check_files(folder, about, [name for name in about["sha256"] if name != ABOUT])
    matrices = {}
    if MATRICES in about["sha256"]:
        with np.load(folder / MATRICES, allow_pickle=False) as file:
            matrices = {name: file[name] for name in file.files}
    model = method_class(about["method"]).load(folder) if MODEL in about["sha256"] else None
    return Run(about, load_graph(folder / GRAPH), model, None, matrices, folder)


def load_model(folder: str | Path) -> Any:
    """The model of a run alone, to embed other graphs with.

    Raises:
        ModelFolderError: the folder is not whole, or its method saves no model.
    """
    folder = Path(folder)
    about = read_story(folder)
    if MODEL not in about["sha256"]:
        raise ModelFolderError(
            f"{folder}: {about['method']} keeps no model, so it cannot embed another graph."
        )
    _check_files(folder, about, [MODEL])
    return method_class(about["method"]).load(folder)


def read_story(folder: Path) -> dict[str, Any]:
    """``run.json``, checked.

    Raises:
        ModelFolderError: the folder is not a run, was altered, or is of a newer version.
    """
    if not folder.is_dir():
        raise ModelFolderError(f"{folder} is not a folder; give the one that fit wrote (-o).")
    path = folder / ABOUT
    if not path.is_file():
        raise ModelFolderError(f"{folder} lacks {ABOUT}; it is not a whole run. Fit it again.")
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelFolderError(f"{path} is not readable JSON ({error}). Fit it again.") from error
    needed = {"format", "sha256", *_NEEDED}
    missing = needed - set(about) if isinstance(about, dict) else needed
    if missing:
        raise ModelFolderError(f"{path} lacks {', '.join(sorted(missing))}. Fit it again.")
    hashes, number = about["sha256"], about["format"]
    if isinstance(number, int) and number > FORMAT:  # which may seal in another way
        raise ModelFolderError(f"{folder} was written by a newer gigamae; upgrade gigamae.")
    if not isinstance(hashes, dict) or hashes.get(ABOUT) != sealed(about, ABOUT)["sha256"][ABOUT]:
        raise ModelFolderError(f"{path} was altered since it was saved. Fit it again.")
    return about


def _check_files(folder: Path, about: dict[str, Any], names: Iterable[str]) -> None:
    """Refuse files of a run that are not as they were written."""
    for name in names:
        if not (folder / name).is_file():
            raise ModelFolderError(f"{folder} lacks {name}; it is not a whole run. Fit it again.")
        if file_hash(folder / name) != about["sha256"][name]:
            raise ModelFolderError(
                f"{folder / name} was altered or cut off since it was saved. Fit it again."
            )


__all__ = ["Run", "check_folder", "fit_run", "load_model", "load_run", "read_story", "write_run"]
