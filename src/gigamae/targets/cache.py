"""Targets kept on disk: computed once for a graph, settings and seed, and found again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gigamae.graph.graph import Graph
from gigamae.targets.base import Target

log = logging.getLogger(__name__)


def default_folder() -> Path:
    """``$GIGAMAE_CACHE``, or ``gigamae`` in the user's cache folder."""
    told = os.environ.get("GIGAMAE_CACHE")
    if told:
        return Path(told)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "gigamae"


class TargetCache:
    """A folder of target matrices, each a ``.npy`` with a small ``.json`` beside it.

    The key is everything a matrix depends on: the graph's edges, weights and features, the
    target's name and settings, the seed, and the code of the targets themselves. A file that was
    altered or cut off is computed again, and said so; nothing is ever pickled; a folder that
    cannot be written costs a warning, never the result.

    Args:
        folder: where; by default :func:`default_folder`.
        max_bytes: above this the least recently used matrices go.

    Example:
        >>> from gigamae.targets.pca import PCA
        >>> graph = Graph.from_edges([[0, 1]], np.eye(2, dtype="float32"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TargetCache(folder).get(graph, PCA(k=1), seed=0).shape
        (2, 1)
    """

    def __init__(self, folder: str | Path | None = None, max_bytes: int = 2 * 2**30) -> None:
        self.folder = default_folder() if folder is None else Path(folder)
        self.max_bytes = max_bytes

    def get(self, graph: Graph, target: Target, seed: int = 0) -> np.ndarray:
        """The (N, d) float32 matrix of the target, from disk where it is known there."""
        if not getattr(target, "cacheable", True):
            return target.fit(graph, seed=seed)
        about = {
            "target": target.name,
            "params": target.params(),
            "seed": int(seed),
            "graph": graph.fingerprint(),
            "code": code_fingerprint(),
        }
        key = hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()
        data = self.folder / f"{target.name}-{key[:32]}.npy"
        matrix = self._read(data, (graph.num_nodes,))
        if matrix is None:
            matrix = target.fit(graph, seed=seed)
            if matrix.nbytes <= self.max_bytes:
                self._write(data, matrix, about)
        return matrix

    def _read(self, data: Path, rows: tuple[int]) -> np.ndarray | None:
        beside = data.with_suffix(".json")
        if not beside.is_file():
            return None
        try:
            told = json.loads(beside.read_text(encoding="utf-8"))
            if _hash(data) != told["sha256"]:
                raise ValueError("its content is not what was written")
            matrix: np.ndarray = np.load(data, allow_pickle=False)
            if matrix.shape[:1] != rows:
                raise ValueError(f"it has shape {matrix.shape}")
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            log.warning("The cached target %s is damaged (%s); computing it again.", data, error)
            return None
        with contextlib.suppress(OSError):  # the age decides who goes first
            os.utime(data)
        return matrix

    def _write(self, data: Path, matrix: np.ndarray, about: dict[str, Any]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _replacing(data) as file:
                np.save(file, matrix, allow_pickle=False)
            told = {**about, "shape": list(matrix.shape), "sha256": _hash(data)}
            with _replacing(data.with_suffix(".json")) as file:
                file.write(json.dumps(told, indent=2, default=str).encode())
            self._make_room()
        except OSError as error:
            log.warning("Targets cannot be kept in %s (%s).", self.folder, error)

    def _make_room(self) -> None:
        """Drop the least recently used until the rest fits."""
        kept = []
        for data in self.folder.glob("*.npy"):
            with contextlib.suppress(OSError):  # gone meanwhile
                kept.append((data.stat().st_mtime_ns, data.stat().st_size, data))
        total = sum(size for _, size, _ in kept)
        for _, size, data in sorted(kept):
            if total <= self.max_bytes:
                break
            data.with_suffix(".json").unlink(missing_ok=True)
            data.unlink(missing_ok=True)
            total -= size


@contextlib.contextmanager
def _replacing(path: Path) -> Any:
    """A file that appears under its name whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def code_fingerprint() -> str:
    """A hash of the library's version and of the code in this folder: what made a matrix."""
    import gigamae

    digest = hashlib.sha256(gigamae.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
