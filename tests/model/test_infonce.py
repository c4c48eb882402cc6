"""The tiled InfoNCE against slow loops written from equations 4 and 5."""

import math

import pytest
import torch

from gigamae.model.infonce import infonce, infonce_plain


def loops(p, q, tau, symmetric):
    """Equation 5, one number at a time, in double precision."""
    p = [[v / math.sqrt(sum(w * w for w in row)) for v in row] for row in p.tolist()]
    q = [[v / math.sqrt(sum(w * w for w in row)) for v in row] for row in q.tolist()]

    def d(a, b):
        return math.exp(sum(x * y for x, y in zip(a, b, strict=True)) / tau)

    def anchored(a, b, i):
        below = sum(d(a[i], b[j]) for j in range(len(a)))
        below += sum(d(a[i], a[j]) for j in range(len(a)) if j != i)
        return math.log(d(a[i], b[i])) - math.log(below)

    total = 0.0
    for i in range(len(p)):
        total += (anchored(p, q, i) + anchored(q, p, i)) / 2 if symmetric else anchored(q, p, i)
    return total / len(p)


def pair(n=13, d=5, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(n, d, generator=generator, dtype=dtype) for _ in range(2))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("tau", [1.0, 0.2])
def test_plain_is_the_equation(symmetric, tau):
    p, q = pair()
    assert float(infonce_plain(p, q, tau, symmetric=symmetric)) == pytest.approx(
        loops(p, q, tau, symmetric), abs=1e-10
    )


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("tau", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("tile", [50, 300, 10**6])
def test_tiles_equal_plain_in_value_and_gradient(symmetric, tau, tile):
    p, q = pair(57, 7)
    p.requires_grad_()
    plain = infonce_plain(p, q, tau, symmetric=symmetric)
    (slow,) = torch.autograd.grad(plain, p)
    p32 = p.detach().float().requires_grad_()
    tiled = infonce(p32, q.float(), tau, symmetric=symmetric, tile_entries=tile)
    (fast,) = torch.autograd.grad(tiled * 3, p32)
    assert tiled.item() == pytest.approx(plain.item(), rel=1e-5)
    assert torch.allclose(fast / 3, slow.float(), atol=1e-5 * float(slow.abs().max()))


def test_small_tau_is_finite_where_the_naive_form_is_not():
    p, q = pair(40, 6, dtype=torch.float32)
    naive = torch.exp(torch.nn.functional.normalize(p) @ torch.nn.functional.normalize(q).T / 0.01)
    assert not torch.isfinite(naive.sum())
    assert torch.isfinite(infonce(p.requires_grad_(), q, 0.01))


def test_all_but_one_negative_drawn_is_close_and_unbiased():
    p, q = pair(60, 6, dtype=torch.float32)
    exact = infonce(p, q, 0.5).item()
    drawn = [
        infonce(p, q, 0.5, negatives=20, generator=torch.Generator().manual_seed(s)).item()
        for s in range(200)
    ]
    mean = sum(drawn) / len(drawn)
    assert mean == pytest.approx(exact, abs=0.02)
    assert min(drawn) != max(drawn)


@pytest.mark.parametrize("symmetric", [True, False])
def test_gradient_of_drawn_negatives_is_the_gradient_of_their_value(symmetric):
    p, q = pair(12, 4)
    q = q.float()
    p = p.float().requires_grad_()

    def value(at):
        generator = torch.Generator().manual_seed(3)
        return infonce(at, q, 0.5, symmetric=symmetric, negatives=5, generator=generator)

    (grad,) = torch.autograd.grad(value(p), p)
    direction = torch.randn(12, 4, generator=torch.Generator().manual_seed(1))
    step = 1e-2
    with torch.no_grad():
        slope = (value(p + step * direction) - value(p - step * direction)) / (2 * step)
    assert float((grad * direction).sum()) == pytest.approx(float(slope), rel=2e-2, abs=1e-4)


@pytest.mark.parametrize("n", [100, 300, 640])  # what is added to round up is no node
@pytest.mark.parametrize(
    "how", [{}, {"symmetric": False}, {"tau": 0.03}, {"negatives": 70}, {"intra": False}], ids=str
)
def test_low_precision_is_close(n, how):
    p, q = pair(n, 32, dtype=torch.float32)
    p.requires_grad_()
    how = {"tau": 0.5, **how}

    def value(low_precision):
        generator = torch.Generator().manual_seed(3)
        return infonce(p, q, **how, generator=generator, low_precision=low_precision)

    exact, low = value(False), value(True)
    (g1,) = torch.autograd.grad(exact, p)
    (g2,) = torch.autograd.grad(low, p)
    sharp = how["tau"] < 0.1  # an error of a score is divided by tau
    assert low.item() == pytest.approx(exact.item(), abs=5e-2 if sharp else 5e-3)
    assert float((g1 - g2).norm() / g1.norm()) < (0.1 if sharp else 0.02)


def test_no_intra_negatives_is_the_contrastive_loss():
    p, q = pair(20, 5)
    a, b = torch.nn.functional.normalize(p), torch.nn.functional.normalize(q)
    logits = a @ b.T / 0.3
    labels = torch.arange(20)
    cross = torch.nn.functional.cross_entropy
    expected = -(cross(logits, labels) + cross(logits.T, labels)) / 2
    found = infonce(p.float(), q.float(), 0.3, intra=False)
    assert found.item() == pytest.approx(float(expected), rel=1e-5)


def test_memory_grows_with_rows_not_with_their_square():
    """Only (n, d) tensors are saved for the backward pass."""
    saved = []
    p, q = pair(500, 8, dtype=torch.float32)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, lambda t: t):
        infonce(p.requires_grad_(), q, 0.5)
    assert saved
    assert max(saved) <= 500 * 8
