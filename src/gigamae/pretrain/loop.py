"""The loop: one step, one epoch, all epochs, with a schedule, early stopping and a NaN watch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor, nn

from gigamae.errors import TrainingError
from gigamae.model.features import FeatureMatrix
from gigamae.model.gigamae import GiGaMAEModule
from gigamae.model.objective import Loss, ObjectiveOptions
from gigamae.model.stopwatch import Stopwatch
from gigamae.model.topology import Topology
from gigamae.model.weights import Subset
from gigamae.pretrain.progress import EpochReport, Progress, Silent, resident_bytes
from gigamae.settings import Settings


@dataclass(frozen=True)
class Batch:
    """What one step sees: a graph (or a part of one), its features and its targets by subset."""

    topology: Topology
    features: FeatureMatrix
    targets: Mapping[Subset, Tensor]


class Batches(Protocol):
    """Where an epoch's batches come from: the whole graph once, or its clusters."""

    def epoch(self, generator: torch.Generator) -> Iterable[Batch]: ...


@dataclass
class History:
    """What happened: the loss of each epoch, the scores taken, where training stopped, and how long
    it took, in all and by part (masks, encoder, objective, update, validation)."""

    losses: list[float] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)
    best_epoch: int | None = None
    stopped_early: bool = False
    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)


def train(
    module: GiGaMAEModule,
    batches: Batches,
    settings: Settings,
    options: ObjectiveOptions,
    generator: torch.Generator,
    *,
    score: Callable[[], float] | None = None,
    progress: Progress | None = None,
) -> History:
    """Descend the loss for ``settings.epochs`` epochs.

    Args:
        module: changed in place.
        batches: an epoch's work.
        settings: schedule, clipping, patience.
        options: of the objective.
        generator: masks, dropout and negatives draw from it.
        score: a label-free validation score, higher is better (links: validation AUC). With it,
            the weights of the best check are kept, and ``patience`` counts checks without a better.
        progress: told of every epoch.

    Raises:
        TrainingError: the loss or a gradient is not a number.
    """
    progress = progress or Silent()
    optimizer = torch.optim.Adam(
        module.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    watch = Stopwatch()
    history = History(parts=watch.seconds)
    best = Best(settings.patience)
    start = time.perf_counter()
    module.train()
    for epoch in range(1, settings.epochs + 1):
        rate = settings.learning_rate * rate_factor(settings, epoch)
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = _epoch(module, batches, optimizer, settings, options, generator, epoch, watch)
        total = float(loss.total.detach())
        history.losses.append(total)
        found = None
        stop = False
        if epoch % settings.check_every == 0 or epoch == settings.epochs:
            if score is not None:
                with watch("validation"):
                    found = history.scores[epoch] = score()
                stop = best.offer(found, epoch, module)
                module.train()
            elif settings.patience is not None:
                recent = history.losses[-settings.check_every :]
                stop = best.offer(-sum(recent) / len(recent), epoch, None)
        seconds = time.perf_counter() - start
        progress.epoch(
            EpochReport(
                epoch, settings.epochs, total, loss.terms, loss.counts, seconds,
                seconds / epoch * (settings.epochs - epoch), resident_bytes(), found,
            )
        )  # fmt: skip
        if stop:
            history.stopped_early = True
            break
    best.restore(module)
    history.best_epoch = best.epoch
    history.seconds = time.perf_counter() - start
    return history


def rate_factor(settings: Settings, epoch: int) -> float:
    """What the learning rate is multiplied by in an epoch (counted from 1)."""
    if settings.schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * (epoch - 1) / settings.epochs))
    if settings.schedule == "step":
        return float(settings.decay ** (epoch // settings.decay_every))
    return 1.0


def _epoch(
    module: GiGaMAEModule,
    batches: Batches,
    optimizer: torch.optim.Optimizer,
    settings: Settings,
    options: ObjectiveOptions,
    generator: torch.Generator,
    epoch: int,
    watch: Stopwatch,
) -> Loss:
    """One pass over the batches; returns their mean loss, the last one's terms, the summed counts."""
    totals: list[Tensor] = []
    counts: dict[str, int] = {}
    loss = Loss(torch.zeros(()))
    for batch in batches.epoch(generator):
        loss = step(module, batch, optimizer, settings, options, generator, epoch, watch)
        totals.append(loss.total.detach())
        for letter, count in loss.counts.items():
            counts[letter] = counts.get(letter, 0) + count
    mean = torch.stack(totals).mean() if totals else torch.zeros(())
    return Loss(mean, loss.terms, counts)


def step(
    module: GiGaMAEModule,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    settings: Settings,
    options: ObjectiveOptions,
    generator: torch.Generator,
    epoch: int,
    watch: Stopwatch | None = None,
) -> Loss:
    """One draw of masks, one gradient, one move."""
    watch = watch or Stopwatch()
    optimizer.zero_grad(set_to_none=True)
    loss = module.masked_step(batch.topology, batch.features, batch.targets, options, generator, watch)
    if not loss.total.requires_grad:  # nothing was masked this time: no term, nothing to learn from
        return loss
    if not torch.isfinite(loss.total):
        raise TrainingError(_advice(settings, epoch, "The loss"))
    with watch("encoder"):  # the objective took its own gradient already
        loss.total.backward()  # type: ignore[no-untyped-call]
    with watch("update"):
        limit = settings.clip_norm if settings.clip_norm > 0 else math.inf
        norm = torch.nn.utils.clip_grad_norm_(module.parameters(), limit)
        if not torch.isfinite(norm):
            raise TrainingError(_advice(settings, epoch, "The gradient"))
        optimizer.step()
    return loss


def _advice(settings: Settings, epoch: int, what: str) -> str:
    clip = "set clip_norm=1" if settings.clip_norm == 0 else f"lower clip_norm={settings.clip_norm:g}"
    return (
        f"{what} is not a finite number in epoch {epoch}. Lower learning_rate={settings.learning_rate:g} "
        f"(a third of it, say), raise tau={settings.tau:g}, or {clip}."
    )


class Best:
    """The best score so far, the weights it came with, and how long ago that was."""

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self.score = -math.inf
        self.epoch: int | None = None
        self.state: dict[str, Tensor] | None = None
        self.waited = 0

    def offer(self, score: float, epoch: int, module: nn.Module | None) -> bool:
        """Take a score; True when patience has run out."""
        if score > self.score:
            self.score, self.epoch, self.waited = score, epoch, 0
            if module is not None:
                self.state = {k: v.detach().clone() for k, v in module.state_dict().items()}
            return False
        self.waited += 1
        return self.patience is not None and self.waited >= self.patience

    def restore(self, module: nn.Module) -> None:
        """Give the module the best weights seen, if any were kept."""
        if self.state is not None:
            module.load_state_dict(self.state)
