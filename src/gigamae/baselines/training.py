"""Training of a baseline: the loop that all share, with a schedule, early stopping and a NaN watch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from gigamae.errors import TrainingError
from gigamae.pretrain.loop import Best, History
from gigamae.pretrain.progress import EpochReport, Progress, resident_bytes

if TYPE_CHECKING:
    from gigamae.baselines.base import Baseline

SCHEDULES = ("constant", "cosine")


def train(
    method: Baseline,
    module: nn.Module,
    data: Any,
    generator: torch.Generator,
    *,
    score: Callable[[], float] | None = None,
    progress: Progress,
) -> History:
    """Descend ``method.loss`` for ``method.epochs`` epochs of one step each.

    Args:
        method: settings and hooks.
        module: changed in place.
        data: what ``method.prepare`` made.
        generator: every mask, sample and dropout draws from it.
        score: a label-free validation score, higher is better (links: validation AUC). With it,
            the weights of the best check are kept, and ``patience`` counts checks without a better.
        progress: told of every epoch.

    Raises:
        TrainingError: the loss or a gradient is not a number.
    """
    optimizer = method.optimizer(module)
    rates = [group["lr"] for group in optimizer.param_groups]
    history, best = History(), Best(method.patience)
    start = time.perf_counter()
    module.train()
    for epoch in range(1, method.epochs + 1):
        factor = method.rate_factor(epoch)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        history.losses.append(_step(method, module, data, generator, optimizer, epoch))
        found, stop = None, False
        if epoch % method.check_every == 0 or epoch == method.epochs:
            if score is not None:
                found = history.scores[epoch] = score()
                stop = best.offer(found, epoch, module)
                module.train()
            elif method.patience is not None:
                recent = history.losses[-method.check_every :]
                stop = best.offer(-sum(recent) / len(recent), epoch, None)
        seconds = time.perf_counter() - start
        left = seconds / epoch * (method.epochs - epoch)
        progress.epoch(
            EpochReport(
                epoch, method.epochs, history.losses[-1], seconds=seconds, seconds_left=left,
                memory=resident_bytes(), score=found,
            )
        )  # fmt: skip
        if stop:
            history.stopped_early = True
            break
    best.restore(module)
    history.best_epoch = best.epoch
    history.seconds = time.perf_counter() - start
    return history


def schedule_factor(schedule: str, epoch: int, epochs: int) -> float:
    """What the learning rate is multiplied by in an epoch (counted from 1)."""
    if schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * (epoch - 1) / epochs))
    return 1.0


def _step(
    method: Baseline,
    module: nn.Module,
    data: Any,
    generator: torch.Generator,
    optimizer: torch.optim.Optimizer,
    epoch: int,
) -> float:
    """One loss, one gradient, one move; the loss as a number."""
    optimizer.zero_grad(set_to_none=True)
    loss = method.loss(module, data, generator)
    value = float(loss.detach())
    if not loss.requires_grad:  # nothing was masked this time: nothing to learn from
        return value
    if not math.isfinite(value):
        raise TrainingError(_advice(method, epoch, "The loss"))
    loss.backward()  # type: ignore[no-untyped-call]
    limit = method.clip_norm if method.clip_norm > 0 else math.inf
    norm = nn.utils.clip_grad_norm_(module.parameters(), limit)
    if not torch.isfinite(norm):
        raise TrainingError(_advice(method, epoch, "The gradient"))
    optimizer.step()
    method.after_step(module, epoch, method.epochs)
    return value


def _advice(method: Baseline, epoch: int, what: str) -> str:
    clip = "set clip_norm=1" if method.clip_norm == 0 else f"lower clip_norm={method.clip_norm:g}"
    return (
        f"{method.title}: {what.lower()} is not a finite number in epoch {epoch}. Lower "
        f"learning_rate={method.learning_rate:g} (a third of it, say), or {clip}."
    )
