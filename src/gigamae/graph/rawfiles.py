"""Raw dataset files that are not pickles: .npz of gnn-benchmark, data.json of WikiCS."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.arrays import csr_from, read_npz
from gigamae.graph.graph import Graph

AnyFeatures = TypeVar("AnyFeatures", np.ndarray, sp.csr_matrix)


def read_gnn_benchmark(path: Path) -> Graph:
    """A graph in the layout of shchur/gnn-benchmark: ``adj_*``, ``attr_*``, ``labels``.

    Attributes are made binary and edges undirected, as PyTorch Geometric's classes do.
    """
    arrays = read_npz(path)
    adjacency, x = csr_from(arrays, "adj_", path), csr_from(arrays, "attr_", path)
    if adjacency is None or x is None or "labels" not in arrays:
        raise InputError(
            f"{path} lacks adj_*, attr_* or labels; it has {', '.join(arrays)}. Fetch it again."
        )
    x = x.astype(np.float32)
    x.data[x.data > 0] = 1
    adjacency = adjacency.tocoo()
    return Graph.from_edges(
        np.stack([adjacency.row, adjacency.col], axis=1).astype(np.int64),
        x,
        y=arrays["labels"],
        class_names=class_names(arrays),
        name=path.stem,
    )


def class_names(arrays: Mapping[str, np.ndarray]) -> list[str] | None:
    """The names of the classes if the file has them as text."""
    names = arrays.get("class_names")
    return None if names is None or names.dtype.kind != "U" else names.tolist()


def read_wikics(path: Path) -> Graph:
    """WikiCS from its ``data.json`` (features, labels, links), with the edges undirected."""
    try:
        with path.open(encoding="utf-8") as file:
            data = json.load(file)
        x = np.array(data["features"], dtype=np.float32)
        y = np.array(data["labels"], dtype=np.int64)
        sources = np.repeat(np.arange(len(data["links"])), [len(js) for js in data["links"]])
        targets = np.array([j for js in data["links"] for j in js], dtype=np.int64)
    except (ValueError, TypeError, KeyError) as error:  # JSON errors are ValueErrors
        raise InputError(
            f"{path} is not the data.json of WikiCS ({type(error).__name__}: {error}). "
            "Fetch it again."
        ) from error
    return Graph.from_edges(np.stack([sources, targets], axis=1), x, y=y, name="wikics")


def normalized_rows(x: AnyFeatures) -> AnyFeatures:
    """Values shifted to start at 0, then each row divided by its sum where that is more than 1.

    The same as ``NormalizeFeatures`` of PyTorch Geometric. Sparse features are taken to have
    no negative values, so that the shift is nothing.
    """
    if isinstance(x, np.ndarray):
        x = x - x.min()
        return x / np.maximum(x.sum(axis=1, keepdims=True), 1)
    sums = np.maximum(np.asarray(x.sum(axis=1)).reshape(-1), 1)
    scaled: sp.csr_matrix = sp.csr_matrix(
        (x.data / np.repeat(sums, np.diff(x.indptr)), x.indices, x.indptr), shape=x.shape
    )
    return scaled.astype(np.float32)
