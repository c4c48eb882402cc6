"""The objective: for each node type, a weighted sum of one mutual-information term a subset.

    L = sum over v in {E, F, B} of sum over s of tilde_lambda[v][s] * L_D(S_s, {T in s}) on V^v

(equations 10, 14 and 16; the loss is -L). Nodes that lost nothing, V^N, are in no sum and among no
negatives, which is what re-masking them to zero comes to. Beside the paper's discriminator stand
the naive losses of its ablation, under the same interface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from gigamae.model.infonce import TILE_ENTRIES, infonce
from gigamae.model.masking import MASKED_TYPES, Masks
from gigamae.model.weights import Subset

ObjectiveName = Literal["mutual_information", "contrastive", "scaled_cosine", "mse"]
OBJECTIVES: tuple[str, ...] = ("mutual_information", "contrastive", "scaled_cosine", "mse")


@dataclass(frozen=True)
class ObjectiveOptions:
    """How one term is estimated; the fields that are settings are named as there."""

    objective: ObjectiveName = "mutual_information"
    tau: float = 0.7
    symmetric: bool = False
    negatives: int | None = None
    low_precision: bool = False
    gamma: float = 2.0  # the exponent of the scaled cosine
    tile_entries: int = TILE_ENTRIES  # of InfoNCE; only memory and speed depend on it


@dataclass
class Loss:
    """A loss and what it is made of.

    Attributes:
        total: the scalar to descend.
        terms: the bound L_D by node type and subset, unweighted, for the eye.
        counts: nodes of each type.
    """

    total: Tensor
    terms: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


def agreement(
    projected: Tensor, target: Tensor, options: ObjectiveOptions, generator: torch.Generator | None
) -> Tensor:
    """How much the projected rows say of the target's: a bound to climb, whatever the discriminator.

    * ``mutual_information``: InfoNCE with negatives from both views (equation 5).
    * ``contrastive``: the multi-view contrastive loss, negatives from the other view alone.
    * ``scaled_cosine``: -(1 - cos)^gamma.
    * ``mse``: minus the mean squared error a row.
    """
    if options.objective in ("mutual_information", "contrastive"):
        return infonce(
            projected,
            target,
            options.tau,
            symmetric=options.symmetric or options.objective == "contrastive",
            intra=options.objective == "mutual_information",
            negatives=options.negatives,
            generator=generator,
            tile_entries=options.tile_entries,
            low_precision=options.low_precision,
        )
    if options.objective == "scaled_cosine":
        return -(1 - functional.cosine_similarity(projected, target)).pow(options.gamma).mean()
    return -functional.mse_loss(projected, target)


def concatenated(targets: Sequence[Tensor], subset: Subset) -> Tensor:
    """[t_1; t_2; ...] of a subset: (N, sum of the widths)."""
    return targets[subset[0]] if len(subset) == 1 else torch.cat([targets[i] for i in subset], dim=1)


def masked_loss(
    z: Tensor,
    masks: Masks,
    targets: Mapping[Subset, Tensor],
    weights: Mapping[str, Mapping[Subset, float]],
    project: Callable[[Subset, Tensor], Tensor],
    options: ObjectiveOptions,
    *,
    project_all: bool = False,
    generator: torch.Generator | None = None,
    learned: Callable[[Subset], Sequence[Tensor]] | None = None,
) -> Loss:
    """Equation 7's loss for one draw of masks.

    Args:
        z: (N, d) the encoder's output on the masked graph.
        masks: the draw.
        targets: the concatenated target of every subset, (N, d_s).
        weights: tilde-lambda by node type letter and subset; a zero leaves the term out.
        project: f^proj_s.
        options: how a term is estimated.
        project_all: run the projectors over V^N too, so that it enters their batch statistics
            though no term (as the release does).
        generator: for sampled negatives.
        learned: the parameters of f^proj_s. Told, each subset's gradient is taken as soon as its
            terms are known, and the memory of one projector does for all.
    """
    groups = {letter: masks.members(kind) for letter, kind in MASKED_TYPES.items()}
    if project_all:
        rows, groups_at = None, groups
    else:  # projectors see the masked nodes alone, type after type
        rows = torch.cat(list(groups.values()))
        bounds = torch.tensor([0, *(len(g) for g in groups.values())]).cumsum(0).tolist()
        groups_at = {
            letter: torch.arange(bounds[k], bounds[k + 1], device=z.device)
            for k, letter in enumerate(groups)
        }
    s = z if rows is None else z[rows]
    loss = Loss(z.new_zeros(()), counts=masks.counts())

    def of_subset(subset: Subset, rows_of_s: Tensor) -> Tensor:
        """Minus the weighted terms of one subset."""
        total = z.new_zeros(())
        wanted = [
            letter for letter in groups
            if weights[letter].get(subset, 0.0) != 0 and len(groups[letter]) > 1
        ]  # fmt: skip
        if not wanted:
            return total
        projected = project(subset, rows_of_s)
        for letter in wanted:
            value = agreement(
                projected[groups_at[letter]], targets[subset][groups[letter]], options, generator
            )
            total = total - weights[letter][subset] * value
            name = f"{letter}:{'+'.join(str(i + 1) for i in subset)}"
            loss.terms[name] = float(value.detach())
        return total

    anything = any(len(group) > 1 for group in groups.values())
    if learned is None or not (anything and s.requires_grad):
        loss.total = torch.stack([of_subset(subset, s) for subset in targets]).sum()
    else:
        learning = [p for subset in targets for p in learned(subset)]
        loss.total = _OneByOne.apply(s, [*targets], of_subset, learned, *learning)
    return loss


class _OneByOne(torch.autograd.Function):
    """The sum of the subsets' losses, the gradient of each taken before the next is begun.

    So the rows of one projector are held at a time, not those of all.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        s: Tensor,
        chosen: Sequence[Subset],
        of_subset: Callable[[Subset, Tensor], Tensor],
        learned: Callable[[Subset], Sequence[Tensor]],
        *learning: Tensor,
    ) -> Tensor:
        total, for_s = s.new_zeros(()), torch.zeros_like(s)
        others: list[Tensor | None] = []
        for subset in chosen:
            own = list(learned(subset))
            with torch.enable_grad():
                leaf = s.detach().requires_grad_()
                value = of_subset(subset, leaf)
            total += value.detach()
            if not value.requires_grad:  # no node of any wanted type
                others += [None] * len(own)
                continue
            found = torch.autograd.grad(value, [leaf, *own], allow_unused=True)
            for_s += found[0]
            others += found[1:]
        ctx.save_for_backward(for_s, *others)
        return total

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        for_s, *others = (None if g is None else g * upstream for g in ctx.saved_tensors)
        return (for_s, None, None, None, *others)
