"""Settings: every number a run depends on but its targets, in one place, validated once.

The names are the same in Python, in a preset's TOML and on the command line (with dashes).
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gigamae.errors import SettingsError

_CHOICES = {
    "encoder": ("gat", "gatv2", "gcn", "sage", "gin"),
    "objective": ("mutual_information", "contrastive", "scaled_cosine", "mse"),
    "integration": ("mutual", "max", "average", "concatenation"),
    "standardise": ("none", "zscore", "unit", "scale", "block"),
    "precision": ("auto", "float32", "bfloat16"),
    "schedule": ("step", "cosine", "constant"),
    "norm_statistics": ("masked", "whole"),
    "mode": ("auto", "full", "clusters"),
}
#: field: (lowest allowed, highest allowed, whether the bounds themselves are)
_RANGES: dict[str, tuple[float, float]] = {
    "mask_edge": (0.0, 1.0),
    "mask_feature": (0.0, 1.0),
    "dropout": (0.0, 0.99),
    "attention_dropout": (0.0, 0.99),
    "norm_momentum": (0.0, 1.0),
    "tau": (1e-4, 1e4),
    "learning_rate": (0.0, 1e3),
    "decay": (0.0, 1.0),
    "weight_decay": (0.0, 1e3),
    "gamma": (0.1, 10.0),
    "sharpen": (0.0, 10.0),
}
_COUNTS = (
    "hidden_dim", "out_dim", "heads", "epochs", "decay_every", "check_every", "parts", "parts_a_step"
)  # fmt: skip
_OPTIONAL_COUNTS = ("projector_dim", "max_order", "patience")


@dataclass(frozen=True)
class Settings:
    """How GiGaMAE masks, encodes, compares and trains.

    Attributes:
        mask_edge: p_e, the share of undirected edges hidden in a step.
        mask_feature: p_f, the share of feature rows hidden in a step.
        encoder: gat, gatv2, gcn, sage or gin.
        hidden_dim: width between the encoder's two layers, all heads together.
        out_dim: width of the embeddings, d.
        heads: attention heads of the first layer.
        dropout: on the input of each layer.
        attention_dropout: on the attention.
        norm_momentum: of the encoder's batch norm; the release has 0.99.
        norm_statistics: what that batch norm goes by in inference: the statistics of masked steps, moved
            by ``norm_momentum``, or those of the whole graph after training, nothing masked or dropped.
        sharpen: how far each node's embedding is moved away from the mean of itself and its neighbours,
            after training; 0, as in the paper, leaves it where the encoder put it.
        projector_dim: hidden width of the projectors; None for twice ``out_dim``.
        project_all: let unmasked nodes enter the projectors' batch statistics (the release does).
        objective: mutual_information (the paper's), contrastive, scaled_cosine or mse.
        tau: temperature of the comparison.
        gamma: exponent of the scaled cosine.
        symmetric: InfoNCE from both anchors (the paper), or from the target alone (the release).
        negatives: nodes drawn as negatives for each term: a number, "all", or "auto" (all on small
            graphs).
        standardise: what is done to each target before it is concatenated with others.
        integration: mutual (the paper's: every subset of the targets has a term), or max, average or
            concatenation: all targets become one matrix with one term, whose weight is the same for
            all masked nodes; term_weights, knowledge_weights and max_order are then not looked at.
        term_weights: tilde-lambdas by node type (E, F, B) in the order T1, T2, ..., T1+T2, ...
        knowledge_weights: lambdas likewise; converted. At most one of the two.
        allow_negative_weights: let a tilde-lambda below zero pass.
        max_order: the largest subset of targets that gets a term; None for all 2^n - 1.
        epochs: how many.
        learning_rate: of Adam.
        schedule: step (times ``decay`` every ``decay_every`` epochs), cosine or constant.
        decay: see ``schedule``.
        decay_every: see ``schedule``.
        weight_decay: of Adam.
        clip_norm: largest norm of the gradient; 0 for no clipping.
        patience: stop after so many checks without a better validation score (links) or a better
            smoothed loss; None to run all epochs.
        check_every: epochs between two checks.
        mode: full graph, clusters, or auto.
        parts: clusters that the graph is cut into in cluster mode.
        parts_a_step: clusters joined for one step.
        precision: of the large products: float32, bfloat16, or auto (bfloat16 where it is fast).
        memory_limit: bytes that training may take, or None for what is free.
    """

    mask_edge: float = 0.4
    mask_feature: float = 0.4
    encoder: str = "gat"
    hidden_dim: int = 256
    out_dim: int = 512
    heads: int = 4
    dropout: float = 0.6
    attention_dropout: float = 0.6
    norm_momentum: float = 0.99
    norm_statistics: str = "masked"
    sharpen: float = 0.0
    projector_dim: int | None = None
    project_all: bool = False
    objective: str = "mutual_information"
    tau: float = 0.7
    gamma: float = 2.0
    symmetric: bool = False
    negatives: int | str = "auto"
    standardise: str = "none"
    integration: str = "mutual"
    term_weights: Mapping[str, Sequence[float]] | None = None
    knowledge_weights: Mapping[str, Sequence[float]] | None = None
    allow_negative_weights: bool = False
    max_order: int | None = None
    epochs: int = 100
    learning_rate: float = 0.001
    schedule: str = "step"
    decay: float = 0.8
    decay_every: int = 200
    weight_decay: float = 0.0
    clip_norm: float = 0.0
    patience: int | None = None
    check_every: int = 5
    mode: str = "auto"
    parts: int = 64
    parts_a_step: int = 8
    precision: str = "auto"
    memory_limit: int | None = None

    def __post_init__(self) -> None:
        for name in self.names():
            value = getattr(self, name)
            if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
                object.__setattr__(self, name, value.item())  # a search over np.arange gives such
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                near = difflib.get_close_matches(str(value), allowed, 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise SettingsError(f"{name}={value!r} is not one of {', '.join(allowed)}.{hint}")
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not _is_number(value) or not low <= value <= high:
                raise SettingsError(f"{name}={value!r} must be a number from {low:g} to {high:g}.")
        for name in _COUNTS:
            _check_count(name, getattr(self, name))
        for name in _OPTIONAL_COUNTS:
            if getattr(self, name) is not None:
                _check_count(name, getattr(self, name))
        if self.negatives not in ("all", "auto"):
            if not isinstance(self.negatives, int):
                raise SettingsError(f"negatives={self.negatives!r} must be a whole number, 'all' or 'auto'.")
            _check_count("negatives", self.negatives)
        if not _is_number(self.clip_norm) or self.clip_norm < 0:
            raise SettingsError(f"clip_norm={self.clip_norm!r} must be 0 (no clipping) or more.")
        if self.encoder in ("gat", "gatv2") and self.hidden_dim % self.heads:
            raise SettingsError(
                f"hidden_dim={self.hidden_dim} must be a multiple of heads={self.heads} for {self.encoder}."
            )
        if self.mask_edge == 0 and self.mask_feature == 0:
            raise SettingsError(
                "mask_edge=0 and mask_feature=0 hide nothing, so there is nothing to learn; raise one."
            )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Every setting's name, in order."""
        return tuple(f.name for f in dataclasses.fields(cls))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from plain values (TOML, JSON); an unknown name is refused with the nearest."""
        for name in values:
            if name not in cls.names():
                near = difflib.get_close_matches(name, cls.names(), 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise SettingsError(f"There is no setting {name!r}.{hint}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that TOML and JSON can hold."""
        plain = {name: getattr(self, name) for name in self.names()}
        for name in ("term_weights", "knowledge_weights"):
            if plain[name] is not None:
                plain[name] = {k: [float(v) for v in row] for k, row in plain[name].items()}
        return plain


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SettingsError(f"{name}={value!r} must be a whole number of at least 1.")
