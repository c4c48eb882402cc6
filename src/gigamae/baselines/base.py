"""Base: what is the same for every baseline: seeds, the loop, validation, progress, saving, loading."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from torch import nn
from typing_extensions import Self

from gigamae.baselines.method import GraphData, Method, Sizes
from gigamae.baselines.training import train
from gigamae.errors import NotFittedError, TrainingError
from gigamae.estimator import as_graph
from gigamae.graph.graph import Graph
from gigamae.output import ContainedOutput
from gigamae.pretrain.loop import History

if TYPE_CHECKING:
    from gigamae.pretrain.progress import Progress


@dataclass(kw_only=True, eq=False, repr=False)
class Baseline(ClassNamePrefixFeaturesOutMixin, ContainedOutput, BaseEstimator, Method):  # type: ignore[misc]
    """Node vectors without labels by somebody else's method.

    Subclasses are dataclasses too (``@dataclass(kw_only=True, eq=False, repr=False)``): their fields
    are their settings, named the same in Python, TOML and on the command line, and a field that is in
    :class:`~gigamae.baselines.method.Method` may be given another default there.

    Attributes:
        module_: what was learned.
        history_: losses, validation scores and times of training.
        timings_: seconds by stage.
    """

    def fit(
        self,
        graph: Any,
        y: Any = None,
        *,
        validate: Callable[[np.ndarray], float] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from a graph. Labels, its own or ``y``, are never read.

        Args:
            graph: a Graph or anything :func:`gigamae.read_graph` takes.
            y: ignored; here because scikit-learn's pipelines pass it.
            validate: a score of an embedding, higher is better, that looks at no label and no test
                edge (validation AUC of links, say); with it the best check's weights are kept.
            progress: a watcher (:class:`gigamae.pretrain.progress.Progress`).

        Raises:
            SettingsError: a setting that cannot be.
            TrainingError: the loss is not a number.
        """
        from gigamae.pretrain.progress import Silent
        from gigamae.pretrain.resources import pick_device

        graph = as_graph(graph)
        self.check()
        where = pick_device(self.device)
        progress = progress or Silent()
        progress.stage("preparing")
        start = time.perf_counter()
        data = self.prepare(graph, where)
        prepared = time.perf_counter() - start
        module = self._seeded(graph).to(where)

        def score() -> float:
            assert validate is not None
            return validate(self._embedded(module, data))

        progress.stage("training")
        generator = torch.Generator(device=where).manual_seed(int(self.random_state))
        self.history_ = train(
            self, module, data, generator, score=None if validate is None else score, progress=progress
        )
        self.timings_ = {"preparing": prepared, "training": self.history_.seconds}
        width = self._embedded(module, data).shape[1]
        self._remember(module, graph, width)
        progress.done()
        return self

    def transform(self, graph: Any) -> np.ndarray:
        """Embeddings of a graph's nodes, (N, d) float32: the one fitted on, or any other with the
        same feature columns.

        Raises:
            InputError: the feature columns are not the model's.
            NotFittedError: there is nothing to embed with yet.
        """
        from gigamae.graph.align import align_features

        self._check_fitted()
        graph = align_features(as_graph(graph), self.feature_names_, self.n_features_in_)
        where = next(chain(self.module_.parameters(), self.module_.buffers())).device
        z: np.ndarray = self._as_asked(
            self._embedded(self.module_, self.prepare(graph, where)), graph.node_ids
        )
        return z

    def fit_transform(self, graph: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """:meth:`fit`, then :meth:`transform` of the same graph."""
        graph = as_graph(graph)
        return self.fit(graph, **fit_params).transform(graph)

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder: weights as safetensors, the rest as JSON, never a pickle."""
        from gigamae.baselines.store import save_baseline

        self._check_fitted()
        return save_baseline(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a model that :meth:`save` wrote; a missing or altered file is refused.

        Raises:
            ModelFolderError: the folder is not whole, or another method's.
        """
        from gigamae.baselines.store import load_baseline

        return load_baseline(cls, Path(folder))

    # -- within ------------------------------------------------------------------------------------

    def _seeded(self, graph: Graph | Sizes) -> nn.Module:
        """The module with its first weights; the global random state is left as it was."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(self.random_state))
            return self.build(graph)

    def _embedded(self, module: nn.Module, data: Any) -> np.ndarray:
        module.eval()
        with torch.no_grad():
            vectors = self.embed(module, data).float()
            if self.normalise:
                vectors = nn.functional.normalize(vectors, dim=1)
        z: np.ndarray = vectors.cpu().numpy()
        if not np.isfinite(z).all():
            raise TrainingError(
                f"{self.title}: the embedding is not finite; lower learning_rate={self.learning_rate:g}."
            )
        return z

    def _remember(self, module: nn.Module, graph: Graph, width: int) -> None:
        """What a fitted model knows of its graph."""
        self.module_ = module.eval()
        self.sizes_ = Sizes(graph.num_nodes, graph.num_features)
        self.graph_fingerprint_ = graph.fingerprint()
        self.feature_names_ = graph.feature_names
        self.features_made_ = graph.features_made
        self.n_features_in_ = graph.num_features
        self._n_features_out = width

    def _check_fitted(self) -> None:
        if not hasattr(self, "module_"):
            kind = type(self).__name__
            raise NotFittedError(f"This {kind} is not fitted yet; call fit(graph) or {kind}.load(folder).")


__all__ = ["Baseline", "GraphData", "History", "Sizes"]
