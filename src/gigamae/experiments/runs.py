"""Runs: a folder with a model, its graph, its embeddings, and everything needed to make them again."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from gigamae.errors import InputError, ModelFolderError
from gigamae.experiments.machine import machine, peak_memory
from gigamae.experiments.methods import make_model, method_class
from gigamae.experiments.plan import Plan
from gigamae.experiments.protocols import fit_on_split, fit_with
from gigamae.experiments.vectors import write_vectors
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links

ABOUT, GRAPH, EMBEDDINGS, MATRICES = "run.json", "graph.npz", "embeddings.parquet", "targets.npz"
FORMAT = 1


@dataclass
class Run:
    """A fitted model with its graph and its story.

    Attributes:
        about: what ``run.json`` holds.
        graph: the whole graph, also where the model saw only 85% of its edges.
        model: the fitted model; None where a folder was read whose method saves none.
        z: embeddings of the graph that the model was fitted on.
        matrices: the user's own target matrices, by name.
        folder: where it lies, once it does.
    """

    about: dict[str, Any]
    graph: Graph
    model: Any
    z: np.ndarray | None = None
    matrices: dict[str, np.ndarray] = field(default_factory=dict)
    folder: Path | None = None

    @property
    def task(self) -> str:
        return str(self.about["task"])

    def new_model(self, task: str, seed: int) -> Any:
        """An unfitted model with the run's settings for a task."""
        kind = "links_" if task == "links" else ""
        targets = with_matrices(self.about[f"{kind}targets"], self.matrices)
        settings = self.about[f"{kind}settings"]
        return make_model(self.about["method"], settings, targets, seed=seed, device=self.about["device"])


def fit_run(
    graph: Graph,
    plan: Plan,
    *,
    seed: int = 0,
    split_seed: int = 0,
    device: str = "auto",
    cache: bool | str = False,
    progress: Any = None,
    story: dict[str, Any] | None = None,
) -> Run:
    """Fit what a plan says, and note down how it was done.

    For links, the model is fitted on the training edges of the split ``split_seed``, and
    validation AUC picks the epoch.

    Args:
        graph: the whole graph.
        plan: from :func:`gigamae.experiments.plan.make_plan`.
        seed, device, cache: as in :class:`gigamae.GiGaMAE`.
        split_seed: of the link split.
        progress: a watcher.
        story: what else ``run.json`` should say: where the graph is from, say.
    """
    start = time.perf_counter()
    matrices = read_matrices({**plan.targets, **plan.links_targets}, graph)
    targets = with_matrices(plan.targets, matrices)
    model = make_model(plan.method, plan.settings, targets, seed=seed, device=device, cache=cache)
    if plan.task == "links":
        split = split_links(graph, seed=split_seed)
        seen = split.train
        fit_on_split(model, split, progress=progress)
    else:
        seen = graph
        fit_with(model, graph, progress=progress)
    before = time.perf_counter()
    z = model.transform(seen)
    end = time.perf_counter()
    seconds = {**getattr(model, "timings_", {}), "embedding": end - before, "total": end - start}
    about = {
        "format": FORMAT,
        "method": plan.method,
        "task": plan.task,
        "split_seed": split_seed if plan.task == "links" else None,
        "seed": seed,
        "device": device,
        "preset": plan.preset,
        "expected": plan.expected,
        "settings": plan.settings,
        "targets": plan.targets,
        "links_settings": plan.links_settings,
        "links_targets": plan.links_targets,
        "graph": {
            "name": graph.name, "nodes": graph.num_nodes, "edges": graph.num_edges,
            "features": graph.num_features, "classes": graph.num_classes, "fingerprint": graph.fingerprint(),
        },
        "embedding": {"nodes": len(z), "dimensions": int(z.shape[1])},
        "best_epoch": getattr(getattr(model, "history_", None), "best_epoch", None),
        "seconds": {k: round(float(v), 3) for k, v in seconds.items()},
        "peak_memory": peak_memory(),
        "notes": list(getattr(model, "notes_", ())),
        **(story or {}),
    }  # fmt: skip
    return Run(about, graph, model, z, matrices)


def check_folder(folder: str | Path) -> Path:
    """Refuse, before any work is done, a place where a run cannot or should not be written."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder for the run (-o).")
    ours = ("model.json", "model.safetensors", GRAPH, EMBEDDINGS)
    there = [name for name in ours if (folder / name).exists()]
    if there and not (folder / ABOUT).exists():
        raise InputError(f"{folder} holds a {there[0]} that is not from a run; give another folder (-o).")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made ({error.strerror}); give another folder (-o).") from error
    return folder


def write_run(run: Run, folder: str | Path) -> Path:
    """Write the model, the graph, the embeddings and ``run.json``, the last of them last."""
    from gigamae.graph.store import save_graph
    from gigamae.pretrain.checkpoint import versions

    folder = check_folder(folder)
    (folder / ABOUT).unlink(missing_ok=True)  # a folder without it is not a run, should we be stopped
    if hasattr(run.model, "save"):
        run.model.save(folder)
    save_graph(run.graph, folder / GRAPH)
    if run.z is not None:
        write_vectors(folder / EMBEDDINGS, run.z, run.graph.ids)
    files = [GRAPH]
    if run.matrices:
        np.savez(folder / MATRICES, **run.matrices)  # type: ignore[arg-type]
        files.append(MATRICES)
    run.about.update(
        machine=machine(),
        versions=versions(),
        written=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        sha256={name: _hash(folder / name) for name in files},
    )
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
    for name, known in about["sha256"].items():
        if not (folder / name).is_file():
            raise ModelFolderError(f"{folder} lacks {name}; it is not a whole run. Fit it again.")
        if _hash(folder / name) != known:
            raise ModelFolderError(
                f"{folder / name} was altered or cut off since it was saved. Fit it again."
            )
    matrices = {}
    if MATRICES in about["sha256"]:
        with np.load(folder / MATRICES, allow_pickle=False) as file:
            matrices = {name: file[name] for name in file.files}
    kind = method_class(about["method"])
    model = kind.load(folder) if hasattr(kind, "load") else None
    return Run(about, load_graph(folder / GRAPH), model, None, matrices, folder)


def load_model(folder: str | Path) -> Any:
    """The model of a run alone, to embed other graphs with.

    Raises:
        ModelFolderError: the folder is not whole, or its method saves no model.
    """
    about = read_story(Path(folder))
    kind = method_class(about["method"])
    if not hasattr(kind, "load"):
        raise ModelFolderError(
            f"{folder}: {about['method']} keeps no model, so it cannot embed another graph."
        )
    return kind.load(folder)


def read_story(folder: Path) -> dict[str, Any]:
    """``run.json``, checked.

    Raises:
        ModelFolderError: the folder is not a run, or of a newer version.
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
    needed = {"format", "method", "task", "seed", "device", "settings", "targets", "links_settings",
              "links_targets", "sha256"}  # fmt: skip
    missing = needed - set(about) if isinstance(about, dict) else needed
    if missing:
        raise ModelFolderError(f"{path} lacks {', '.join(sorted(missing))}. Fit it again.")
    if about["format"] > FORMAT:
        raise ModelFolderError(f"{folder} was written by a newer gigamae; upgrade gigamae.")
    return about


def read_matrices(targets: dict[str, Any], graph: Graph) -> dict[str, np.ndarray]:
    """The user's own target matrices, read from the files that they named, in the graph's order."""
    from gigamae.targets import make_target

    return {
        name: make_target(recipe, name).fit(graph)
        for name, recipe in targets.items()
        if isinstance(recipe, dict) and "path" in recipe
    }


def with_matrices(targets: dict[str, Any], matrices: dict[str, np.ndarray]) -> dict[str, Any]:
    """Target recipes with the user's own matrices in place of the files they are from."""
    told = {}
    for name, recipe in targets.items():
        if name in matrices:
            kept = {k: v for k, v in recipe.items() if k not in ("path", "id_column")}
            recipe = {**kept, "name": "precomputed", "source": matrices[name]}
        told[name] = recipe
    return told


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
