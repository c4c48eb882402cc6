"""Any matrix of the user's own as a target: text, image or other embeddings, one row a node."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from gigamae.errors import InputError
from gigamae.graph.graph import Graph
from gigamae.targets.base import Modality, Target
from gigamae.targets.matrices import Matrix, read_matrix

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Precomputed(Target):
    """A matrix that is there already, checked and brought into the graph's order of nodes.

    Args:
        source: a numpy array, torch tensor, SciPy sparse matrix, pandas or polars frame, Arrow
            table, or the path of a .npy, .npz, .parquet, .csv or .tsv file. Pickles are refused.
        modality: for which node types the target weighs most.
        id_column: the column of a table that holds node ids. By default a column named
            ``id``, ``node_id`` or ``node`` does; a table without one, like an array, is taken
            in the order of the graph's nodes.
        label: what messages call it.

    Example:
        >>> graph = Graph.from_edges([[0, 1]], np.eye(2, dtype="float32"), node_ids=["a", "b"])
        >>> Precomputed(np.ones((2, 5))).fit(graph).shape
        (2, 5)

    Raises (from :meth:`fit`):
        InputError: wrong number of rows, a node without a row, NaN or infinity, a file that
            cannot be read. The message names the target.
    """

    name: ClassVar[str] = "precomputed"
    cacheable: ClassVar[bool] = False  # it costs nothing to make, and depends on the node ids

    source: Any
    modality: Modality = "both"
    id_column: str | None = None
    label: str = "precomputed"

    def fit(self, graph: Graph, *, seed: int = 0) -> np.ndarray:
        """(N, d) float32, row i for node i; ``seed`` is not used."""
        matrix, n = self._matrix, graph.num_nodes
        if matrix.ids is not None:
            values = matrix.values[_rows_of(graph, matrix.ids, self._title)]
        elif len(matrix.values) != n:
            raise InputError(
                f"{self._title} has {len(matrix.values):,} rows, but {graph.name} has {n:,} nodes. "
                "Give one row a node, in the order of the nodes, or a table with a column of ids."
            )
        else:
            values = matrix.values
        bad = ~np.isfinite(values).all(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"{self._title} holds NaN or infinity for {int(bad.sum()):,} nodes, the first of "
                f"them {graph.ids[row]!s} (row {row}). Fill or drop such values first."
            )
        return np.array(values, dtype=np.float32)

    def params(self) -> dict[str, Any]:
        """The settings, and a hash of the content in its place."""
        matrix = self._matrix
        digest = hashlib.sha256(f"{matrix.values.shape}".encode())
        digest.update(np.ascontiguousarray(matrix.values).tobytes())
        digest.update(b"" if matrix.ids is None else "\0".join(map(str, matrix.ids)).encode())
        told: dict[str, Any] = {
            "modality": self.modality,
            "id_column": self.id_column,
            "shape": list(matrix.values.shape),
            "sha256": digest.hexdigest(),
        }
        if isinstance(self.source, (str, Path)):
            told["path"] = str(self.source)
        return told

    @property
    def _title(self) -> str:
        where = f" ({self.source})" if isinstance(self.source, (str, Path)) else ""
        return f"target {self.label!r}{where}"

    @cached_property
    def _matrix(self) -> Matrix:
        return read_matrix(self.source, self._title, self.id_column)

    def __repr__(self) -> str:
        kind = self.source if isinstance(self.source, (str, Path)) else type(self.source).__name__
        shape = getattr(self.source, "shape", None)
        size = f" {tuple(shape)}" if shape is not None and not sp.issparse(shape) else ""
        return f"Precomputed({kind}{size}, modality={self.modality!r})"


def _rows_of(graph: Graph, ids: np.ndarray, title: str) -> np.ndarray:
    """The row of each node of the graph, by id; ids that differ only in type (1, '1') agree."""
    where = {str(key): row for row, key in enumerate(ids)}
    if len(where) < len(ids):
        first: set[str] = set()
        twice = next(key for key in map(str, ids) if key in first or first.add(key))  # type: ignore
        raise InputError(f"{title} has several rows for node {twice}; keep one of them.")
    wanted = [str(key) for key in graph.ids]
    missing = [key for key in wanted if key not in where]
    if missing:
        raise InputError(
            f"{title} has no row for {len(missing):,} of the {len(wanted):,} nodes of "
            f"{graph.name}, the first of them {missing[0]}. Add their rows, or drop the nodes."
        )
    if len(ids) > len(wanted):
        log.warning("%s: %d rows name no node; left out.", title, len(ids) - len(wanted))
    return np.array([where[key] for key in wanted], dtype=np.int64)
