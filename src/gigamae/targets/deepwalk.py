"""DeepWalk: node2vec without bias, p = q = 1 (Perozzi et al., 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gigamae.errors import SettingsError
from gigamae.targets.node2vec import Node2Vec


@dataclass(frozen=True)
class DeepWalk(Node2Vec):
    """Vectors from uniform walks; the settings are those of :class:`Node2Vec` but for p and q.

    The original estimates the softmax by a tree; here it is by negative samples, as in node2vec.

    Example:
        >>> from gigamae.graph.graph import Graph
        >>> DeepWalk(dim=4).fit(Graph.from_edges([[0, 1], [1, 2]])).shape
        (3, 4)
    """

    name: ClassVar[str] = "deepwalk"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p != 1 or self.q != 1:
            raise SettingsError(f"deepwalk has p = q = 1; got p={self.p:g}, q={self.q:g}. Use node2vec.")
