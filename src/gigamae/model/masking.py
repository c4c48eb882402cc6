"""Masking: which feature rows and which edges a training step hides, and what that makes of nodes.

The paper's augmenter (section 3.1.2): A' = A * M^E, X' = diag(M^F) X. Both directions of an
undirected edge go together, so nothing masked is left to see through its reverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor

from gigamae.model.topology import Topology


class NodeType(IntEnum):
    """What a node lost: nothing (V^N), edges (V^E), its feature row (V^F) or both (V^B)."""

    NONE = 0
    EDGE = 1
    FEATURE = 2
    BOTH = 3


#: The node types on which a loss is taken, by the letter that settings use.
MASKED_TYPES = {"E": NodeType.EDGE, "F": NodeType.FEATURE, "B": NodeType.BOTH}


@dataclass(frozen=True)
class Masks:
    """The masks of one step; True means hidden.

    Attributes:
        feature: (N,) bool, 1 - diag(M^F).
        edge: (M,) bool, one a undirected edge, 1 - M^E.
        types: (N,) int64, a :class:`NodeType` for each node.
    """

    feature: Tensor
    edge: Tensor
    types: Tensor

    def members(self, kind: NodeType) -> Tensor:
        """The node numbers of one type, ascending."""
        return torch.nonzero(self.types == int(kind)).squeeze(1)

    def counts(self) -> dict[str, int]:
        """How many nodes are of each type, by letter (N, E, F, B)."""
        found = torch.bincount(self.types, minlength=4).tolist()
        return dict(zip("NEFB", found, strict=True))


def draw_masks(
    topology: Topology, mask_feature: float, mask_edge: float, generator: torch.Generator
) -> Masks:
    """Hide each feature row with probability p_f and each undirected edge with probability p_e."""
    device = topology.device
    feature = torch.rand(topology.num_nodes, generator=generator, device=device) < mask_feature
    edge = torch.rand(topology.num_edges, generator=generator, device=device) < mask_edge
    return Masks(feature, edge, node_types(topology, feature, edge))


def node_types(topology: Topology, feature: Tensor, edge: Tensor) -> Tensor:
    """(N,) the type of each node: one that lost any of its edges lost edges, whichever end it is."""
    hidden = edge[topology.undirected]  # (2M,)
    lost_edge = torch.zeros(topology.num_nodes, dtype=torch.bool, device=topology.device)
    lost_edge[topology.rows[hidden]] = True
    return lost_edge.long() * int(NodeType.EDGE) + feature.long() * int(NodeType.FEATURE)
