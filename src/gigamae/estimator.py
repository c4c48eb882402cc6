"""GiGaMAE: the class a user holds. Fit on a graph, transform a graph, save, load."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin

from gigamae.errors import NotFittedError, SettingsError
from gigamae.graph.graph import Graph
from gigamae.output import ContainedOutput
from gigamae.settings import Settings

log = logging.getLogger(__name__)


class GiGaMAE(ClassNamePrefixFeaturesOutMixin, ContainedOutput, BaseEstimator):  # type: ignore[misc]
    """Node vectors without labels, by reconstructing several embeddings of a masked graph.

    Args:
        targets: what is reconstructed: names ("node2vec", "pca", "gae", ...), Target objects,
            matrices, or a mapping of your own names to any of these.
        random_state: seed of the targets, the weights and the masks.
        device: auto, cpu, cuda or cuda:0.
        cache: True to keep targets on disk between runs (in the user's cache folder), a folder to
            keep them there, False not to.

    Every other argument is a setting; :class:`gigamae.settings.Settings` says what each one does.

    Attributes:
        history_: losses, validation scores and times of training.
        targets_: the targets by name.
        notes_: the memory that training was planned with, and what was changed for it to fit.
        n_features_in_: D.

    Example:
        >>> from gigamae import GiGaMAE, load_dataset
        >>> graph = load_dataset("demo")
        >>> model = GiGaMAE(targets=["node2vec", "pca"], epochs=2, random_state=0)
        >>> model.fit_transform(graph).shape
        (3000, 512)
    """

    def __init__(
        self,
        targets: Any = ("node2vec", "pca"),
        *,
        mask_edge: float = 0.4,
        mask_feature: float = 0.4,
        encoder: str = "gat",
        hidden_dim: int = 256,
        out_dim: int = 512,
        heads: int = 4,
        dropout: float = 0.6,
        attention_dropout: float = 0.6,
        norm_momentum: float = 0.99,
        norm_statistics: str = "masked",
        sharpen: float = 0.0,
        projector_dim: int | None = None,
        project_all: bool = False,
        objective: str = "mutual_information",
        tau: float = 0.7,
        gamma: float = 2.0,
        symmetric: bool = False,
        negatives: int | str = "auto",
        standardise: str = "none",
        integration: str = "mutual",
        term_weights: Mapping[str, Sequence[float]] | None = None,
        knowledge_weights: Mapping[str, Sequence[float]] | None = None,
        allow_negative_weights: bool = False,
        max_order: int | None = None,
        epochs: int = 100,
        learning_rate: float = 0.001,
        schedule: str = "step",
        decay: float = 0.8,
        decay_every: int = 200,
        weight_decay: float = 0.0,
        clip_norm: float = 0.0,
        patience: int | None = None,
        check_every: int = 5,
        mode: str = "auto",
        parts: int = 64,
        parts_a_step: int = 8,
        precision: str = "auto",
        memory_limit: int | None = None,
        random_state: int = 0,
        device: str = "auto",
        cache: bool | str = False,
    ) -> None:
        self.targets = targets
        self.mask_edge = mask_edge
        self.mask_feature = mask_feature
        self.encoder = encoder
        self.hidden_dim = hidden_dim
        self.out_dim = out_dim
        self.heads = heads
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        self.norm_momentum = norm_momentum
        self.norm_statistics = norm_statistics
        self.sharpen = sharpen
        self.projector_dim = projector_dim
        self.project_all = project_all
        self.objective = objective
        self.tau = tau
        self.gamma = gamma
        self.symmetric = symmetric
        self.negatives = negatives
        self.standardise = standardise
        self.integration = integration
        self.term_weights = term_weights
        self.knowledge_weights = knowledge_weights
        self.allow_negative_weights = allow_negative_weights
        self.max_order = max_order
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.decay = decay
        self.decay_every = decay_every
        self.weight_decay = weight_decay
        self.clip_norm = clip_norm
        self.patience = patience
        self.check_every = check_every
        self.mode = mode
        self.parts = parts
        self.parts_a_step = parts_a_step
        self.precision = precision
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.device = device
        self.cache = cache

    @classmethod
    def from_settings(cls, settings: Settings, targets: Any, **rest: Any) -> GiGaMAE:
        """An estimator with the settings of a :class:`Settings`."""
        return cls(targets, **{name: getattr(settings, name) for name in Settings.names()}, **rest)

    @property
    def settings(self) -> Settings:
        """The settings, validated."""
        return Settings(**{name: getattr(self, name) for name in Settings.names()})

    def fit(
        self,
        graph: Any,
        y: Any = None,
        *,
        validate: Callable[[np.ndarray], float] | None = None,
        progress: Any = None,
    ) -> GiGaMAE:
        """Learn from a graph. Labels, its own or ``y``, are never read.

        Args:
            graph: a Graph or anything :func:`gigamae.read_graph` takes.
            y: ignored; here because scikit-learn's pipelines pass it.
            validate: a score of an embedding, higher is better, that looks at no label and no test
                edge (validation AUC of links, say); with it the best check's weights are kept.
            progress: a watcher (:class:`gigamae.pretrain.progress.Progress`).
        """
        from gigamae.pretrain.run import pretrain

        graph = as_graph(graph)
        settings = self.settings
        if not isinstance(self.random_state, int | np.integer) or self.random_state < 0:
            raise SettingsError(f"random_state={self.random_state!r} must be a whole number from 0.")
        result = pretrain(
            graph,
            self.targets,
            settings,
            seed=int(self.random_state),
            device=self.device,
            cache=self.cache,
            validate=validate,
            progress=progress,
        )
        self.module_, self.history_, self.targets_ = result.module, result.history, result.targets
        self.timings_ = result.timings
        self.notes_ = result.notes
        self.graph_fingerprint_ = graph.fingerprint()
        self.feature_names_ = graph.feature_names
        self.features_made_ = graph.features_made
        self.n_features_in_ = graph.num_features
        self._n_features_out = settings.out_dim
        return self

    def transform(self, graph: Any) -> np.ndarray:
        """Embeddings of a graph's nodes, (N, out_dim) float32: the one fitted on, or any other with
        the same feature columns.

        Raises:
            InputError: the feature columns are not the model's.
            NotFittedError: there is nothing to embed with yet.
        """
        from gigamae.graph.align import align_features
        from gigamae.pretrain.run import embed

        self._check_fitted()
        graph = align_features(as_graph(graph), self.feature_names_, self.n_features_in_)
        z: np.ndarray = self._as_asked(embed(self.module_, graph), graph.node_ids)
        return z

    def fit_transform(self, graph: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """:meth:`fit`, then :meth:`transform` of the same graph."""
        graph = as_graph(graph)
        return self.fit(graph, **fit_params).transform(graph)

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder: weights as safetensors, the rest as JSON, never a pickle."""
        from gigamae.pretrain.checkpoint import save_model

        self._check_fitted()
        return save_model(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> GiGaMAE:
        """Read a model that :meth:`save` wrote; a missing or altered file is refused.

        Raises:
            ModelFolderError: the folder is not whole.
        """
        from gigamae.pretrain.checkpoint import load_model

        return load_model(cls, Path(folder))

    def _check_fitted(self) -> None:
        if not hasattr(self, "module_"):
            raise NotFittedError("This GiGaMAE is not fitted yet; call fit(graph) or GiGaMAE.load(folder).")


def as_graph(source: Any) -> Graph:
    """A Graph as it is, or whatever else the readers understand."""
    if isinstance(source, Graph):
        return source
    from gigamae.graph.readers import read_graph

    return read_graph(source)
