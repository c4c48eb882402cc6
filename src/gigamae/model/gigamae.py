"""The model: an encoder and one projector a term, with the loss of one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from gigamae.model.convolutions import Step
from gigamae.model.encoder import Encoder
from gigamae.model.features import FeatureMatrix
from gigamae.model.linear import set_low_precision
from gigamae.model.masking import draw_masks
from gigamae.model.objective import Loss, ObjectiveOptions, masked_loss
from gigamae.model.projectors import Projectors
from gigamae.model.propagation import neighbourhood_mean
from gigamae.model.stopwatch import Stopwatch
from gigamae.model.topology import Topology
from gigamae.model.weights import Subset
from gigamae.settings import Settings


class GiGaMAEModule(nn.Module):
    """What learns. Knows no files, no progress bars and no datasets.

    Args:
        num_features: D.
        dims: the width of each target.
        weights: tilde-lambda by node type and subset; subsets of weight zero get no projector.
        settings: the rest.
        seed: of the initial weights; the global random state is left as it was.
    """

    def __init__(
        self,
        num_features: int,
        dims: Sequence[int],
        weights: Mapping[str, Mapping[Subset, float]],
        settings: Settings,
        *,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.dims = tuple(int(d) for d in dims)
        self.weights = {letter: dict(row) for letter, row in weights.items()}
        used = {s for row in weights.values() for s, w in row.items() if w != 0}
        self.subsets = sorted(used, key=lambda s: (len(s), s))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encoder = Encoder(
                num_features,
                settings.hidden_dim,
                settings.out_dim,
                kind=settings.encoder,  # type: ignore[arg-type]
                heads=settings.heads,
                norm_momentum=settings.norm_momentum,
            )
            width = settings.projector_dim or 2 * settings.out_dim
            self.projectors = Projectors(settings.out_dim, width, dims, self.subsets)

    def set_low_precision(self, on: bool) -> None:
        """Multiply in bfloat16 wherever a product is large."""
        self.encoder.set_low_precision(on)
        set_low_precision(self.projectors, on)

    def masked_step(
        self,
        topology: Topology,
        features: FeatureMatrix,
        targets: Mapping[Subset, Tensor],
        options: ObjectiveOptions,
        generator: torch.Generator,
        watch: Stopwatch | None = None,
    ) -> Loss:
        """One draw of masks and the loss on it: steps 1 to 5 of the method; ``watch`` times them."""
        s, watch = self.settings, watch or Stopwatch()
        with watch("masks"):
            masks = draw_masks(topology, s.mask_feature, s.mask_edge, generator)
        step = Step(
            topology,
            hidden_edges=masks.edge,
            hidden_features=masks.feature,
            dropout=s.dropout,
            attention_dropout=s.attention_dropout,
            generator=generator,
        )
        with watch("encoder"):
            z = self.encoder(features, step)
        with watch("objective"):  # and its gradient, down to z
            return masked_loss(
                z,
                masks,
                targets,
                self.weights,
                self.projectors.project,
                options,
                project_all=s.project_all,
                generator=generator,
                learned=self.projectors.parameters_of,
            )

    def settle(self, topology: Topology, features: FeatureMatrix) -> None:
        """Take the statistics that inference normalises by from a whole graph, nothing masked.

        Masked rows are zeros and are not scaled up for, so that those of training are of smaller sums.
        """
        self.encoder.settle(features, Step(topology))

    @torch.no_grad()
    def embed(self, topology: Topology, features: FeatureMatrix) -> Tensor:
        """Z of the whole graph, nothing masked and nothing dropped: (N, d).

        With every edge there, a node's neighbours smooth its row more than they did in training, where
        some were hidden; ``sharpen`` takes back a part of it: z_i + sharpen (z_i - mean of i and N(i)).
        """
        was_training = self.training
        self.eval()
        z: Tensor = self.encoder(features, Step(topology))
        self.train(was_training)
        if self.settings.sharpen > 0:
            z = z + self.settings.sharpen * (z - neighbourhood_mean(z, topology))
        return z
