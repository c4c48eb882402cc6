"""The objective as slow loops straight from the equations, and its alternatives."""

import math

import pytest
import torch

from gigamae.model.masking import Masks
from gigamae.model.objective import ObjectiveOptions, agreement, concatenated, masked_loss
from gigamae.model.weights import subsets

TAU = 0.5


def unit(row):
    length = math.sqrt(sum(v * v for v in row))
    return [v / length for v in row]


def slow_term(s, t, nodes, symmetric):
    """L_D over the nodes of one type: equations 4, 5 and 9, one pair at a time."""
    s = {i: unit(s[i].tolist()) for i in nodes}
    t = {i: unit(t[i].tolist()) for i in nodes}

    def d(a, b):
        return math.exp(sum(x * y for x, y in zip(a, b, strict=True)) / TAU)

    def anchored(a, b, i):
        below = sum(d(a[i], b[j]) for j in nodes) + sum(d(a[i], a[j]) for j in nodes if j != i)
        return math.log(d(a[i], b[i]) / below)

    values = [
        (anchored(s, t, i) + anchored(t, s, i)) / 2 if symmetric else anchored(t, s, i) for i in nodes
    ]
    return sum(values) / len(values)


def setting(num_targets, n=24, seed=0):
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(n, 6, generator=generator, dtype=torch.float64)
    targets = [torch.randn(n, 3 + k, generator=generator, dtype=torch.float64) for k in range(num_targets)]
    types = torch.randint(0, 4, (n,), generator=generator)
    masks = Masks(types >= 2, torch.zeros(0, dtype=torch.bool), types)
    every = subsets(num_targets)
    maps = {
        s: torch.randn(6, sum(3 + i for i in s), generator=generator, dtype=torch.float64) for s in every
    }
    weights = {
        letter: {s: float(k + j + 1) for j, s in enumerate(every)} for k, letter in enumerate("EFB")
    }
    return z, targets, masks, maps, weights


@pytest.mark.parametrize("num_targets", [1, 2, 3])
@pytest.mark.parametrize("symmetric", [True, False])
def test_masked_loss_is_the_sum_in_the_paper(num_targets, symmetric):
    z, targets, masks, maps, weights = setting(num_targets)
    expected = 0.0
    for number, letter in enumerate("EFB", start=1):
        nodes = [i for i in range(len(z)) if int(masks.types[i]) == number]
        for s in subsets(num_targets):
            joined = torch.cat([targets[i] for i in s], dim=1)
            expected -= weights[letter][s] * slow_term(z @ maps[s], joined, nodes, symmetric)
    found = masked_loss(
        z,
        masks,
        {s: concatenated(targets, s) for s in subsets(num_targets)},
        weights,
        lambda s, rows: rows @ maps[s],
        ObjectiveOptions(tau=TAU, symmetric=symmetric),
    )
    assert found.total.item() == pytest.approx(expected, rel=1e-6)
    assert len(found.terms) == 3 * (2**num_targets - 1)


def test_unmasked_nodes_change_nothing():
    z, targets, masks, maps, weights = setting(2)
    kept = masks.types == 0
    assert kept.any()

    def loss(rows):
        joined = {s: concatenated(targets, s) for s in subsets(2)}
        options = ObjectiveOptions(tau=TAU)
        return masked_loss(rows, masks, joined, weights, lambda s, r: r @ maps[s], options).total.item()

    moved = z.clone()
    moved[kept] = 100.0
    assert loss(moved) == loss(z)


def test_project_all_gives_the_same_value_for_a_projector_without_batch_statistics():
    z, targets, masks, maps, weights = setting(2)
    joined = {s: concatenated(targets, s) for s in subsets(2)}
    a, b = (
        masked_loss(
            z, masks, joined, weights, lambda s, r: r @ maps[s], ObjectiveOptions(), project_all=on
        ).total.item()
        for on in (True, False)
    )
    assert a == pytest.approx(b, rel=1e-9)


def test_a_type_without_members_is_left_out():
    z, targets, masks, maps, weights = setting(2)
    empty = Masks(masks.feature, masks.edge, torch.where(masks.types == 3, 1, masks.types))
    joined = {s: concatenated(targets, s) for s in subsets(2)}
    loss = masked_loss(z, empty, joined, weights, lambda s, r: r @ maps[s], ObjectiveOptions())
    assert not any(name.startswith("B") for name in loss.terms)
    assert torch.isfinite(loss.total)


def test_alternatives_are_their_formulas():
    p = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    t = torch.tensor([[1.0, 0.0], [3.0, 0.0]])
    cosine = agreement(p, t, ObjectiveOptions(objective="scaled_cosine", gamma=3.0), None)
    assert cosine.item() == pytest.approx(-(0.0 + 1.0) / 2)
    assert agreement(p, t, ObjectiveOptions(objective="mse"), None).item() == pytest.approx(-(13.0) / 4)


def test_one_subset_at_a_time_gives_the_same_gradients():
    z, targets, masks, maps, weights = setting(2)
    maps = {s: m.requires_grad_() for s, m in maps.items()}
    by_subset = {s: concatenated(targets, s) for s in maps}
    found = []
    for learned in (None, lambda s: [maps[s]]):
        at = z.clone().requires_grad_()
        loss = masked_loss(at, masks, by_subset, weights, lambda s, rows: rows @ maps[s],
                           ObjectiveOptions(tau=TAU), learned=learned)  # fmt: skip
        found.append(torch.autograd.grad(loss.total * 2, [at, *maps.values()]))
    for plain, fast in zip(*found, strict=True):
        assert torch.allclose(plain, fast, atol=1e-12)
