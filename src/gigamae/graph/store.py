"""A Graph in one .npz file, without pickles, and back again exactly."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.arrays import csr_from, read_npz
from gigamae.graph.graph import Graph

FORMAT = "gigamae graph"
VERSION = 1


def save_graph(graph: Graph, path: str | Path) -> Path:
    """Write a graph with all that is known of it; the file appears whole or not at all.

    Example:
        >>> save_graph(graph, "run/graph.npz")  # doctest: +SKIP
    """
    path = Path(path)
    told = {
        "format": FORMAT,
        "version": VERSION,
        "name": graph.name,
        "features_made": graph.features_made,
        "notes": graph.notes,
        "feature_names": graph.feature_names,
        "class_names": graph.class_names,
    }
    arrays: dict[str, np.ndarray] = {
        # JSON as bytes: text arrays of NumPy lose what ends in a NUL
        "gigamae": np.frombuffer(json.dumps(told).encode(), dtype=np.uint8),
        "indptr": graph.indptr,
        "indices": _narrow(graph.indices),
    }
    x = graph.x
    if isinstance(x, np.ndarray):
        arrays["x"] = x
    else:
        arrays |= {"x_data": x.data, "x_indices": x.indices, "x_indptr": x.indptr}
        arrays["x_shape"] = np.array(x.shape)
    for key, values in (("weights", graph.weights), ("y", graph.y)):
        if values is not None:
            arrays[key] = values
    if graph.node_ids is not None:
        arrays["node_ids"] = _plain_ids(graph.node_ids)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not tempfile: its files can be read by nobody but their owner.
    scratch = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with scratch.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        os.replace(scratch, path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    return path


def load_graph(path: str | Path) -> Graph:
    """Read what :func:`save_graph` wrote; the same graph, bit by bit.

    Raises:
        InputError: the file is missing, damaged or not a saved graph.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; a saved graph is an .npz file.")
    arrays = read_npz(path)
    if not is_saved_graph(arrays):
        raise InputError(
            f"{path} is no graph saved by save_graph; read graphs of other kinds with read_graph."
        )
    return graph_from(arrays, path)


def is_saved_graph(arrays: Mapping[str, np.ndarray]) -> bool:
    """Whether the arrays of an .npz file are those of a saved graph."""
    return "gigamae" in arrays


def graph_from(arrays: Mapping[str, np.ndarray], path: Path) -> Graph:
    """The graph whose arrays these are; everything is checked, as files can be altered."""
    try:
        told = json.loads(arrays["gigamae"].tobytes())
        if told["format"] != FORMAT or told["version"] > VERSION:
            raise InputError(
                f"{path} was saved as {told['format']!r} version {told['version']}; this is "
                f"version {VERSION}. Update gigamae."
            )
        indptr, indices = arrays["indptr"].astype(np.int64), arrays["indices"].astype(np.int64)
        x = arrays.get("x")
        if x is None:
            x = csr_from(arrays, "x_", path)
        n = len(indptr) - 1
        rows = np.repeat(np.arange(n), np.diff(indptr))
        upper = rows < indices
        weights = arrays.get("weights")
        # The checks of a new graph; what it builds must be what the file says.
        graph = Graph.from_edges(
            np.stack([rows[upper], indices[upper]], axis=1),
            x,
            num_nodes=n,
            weights=None if weights is None else weights[upper],
            y=arrays.get("y"),
            node_ids=arrays.get("node_ids"),
            feature_names=told["feature_names"],
            class_names=told["class_names"],
            name=told["name"],
        )
        pairs = [(graph.indptr, indptr), (graph.indices, indices)]
        if graph.weights is not None and weights is not None:
            pairs.append((graph.weights, weights))
        if not all(np.array_equal(a, b) for a, b in pairs):
            raise ValueError("its edges are not in canonical form")
        if x is None:
            raise ValueError("it has no features")
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise InputError(
            f"{path} is no intact saved graph ({type(error).__name__}: {error}). Save it again."
        ) from error
    return replace(
        graph, features_made=bool(told["features_made"]), notes=tuple(map(str, told["notes"]))
    )


def _narrow(indices: np.ndarray) -> np.ndarray:
    """Half the bytes where numbers allow."""
    return indices.astype(np.int32) if indices.max(initial=0) < 2**31 else indices


def _plain_ids(ids: np.ndarray) -> np.ndarray:
    """Ids as an array that needs no pickle."""
    if ids.dtype.kind in "iuU":
        return ids
    if all(isinstance(i, str) for i in ids):
        return ids.astype(str)
    if all(isinstance(i, (int, np.integer)) for i in ids):
        return ids.astype(np.int64)
    raise InputError(
        f"Ids of type {type(ids[0]).__name__} cannot be saved; make them whole numbers or text."
    )
