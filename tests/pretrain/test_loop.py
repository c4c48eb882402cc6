"""The loop: it descends, repeats itself, stops when it should, and says what went wrong."""

import math

import pytest
import torch

from gigamae.errors import TrainingError
from gigamae.pretrain.full_graph import FullGraph
from gigamae.pretrain.loop import Best, rate_factor, step, train
from gigamae.settings import Settings


class Watcher:
    def __init__(self):
        self.reports = []

    def epoch(self, report):
        self.reports.append(report)


def run(problem, seed=0, score=None, progress=None, module=None, **changes):
    module = module or problem.module(**changes)
    batches = FullGraph(problem.graph, problem.matrices, module.subsets)
    settings = problem.settings(**changes)
    history = train(
        module, batches, settings, problem.options, problem.generator(seed), score=score, progress=progress
    )
    return module, history


def same(a, b):
    other = b.state_dict()
    return all(torch.equal(v, other[k]) for k, v in a.state_dict().items())


def test_the_loss_falls(problem):
    _, history = run(problem, epochs=30)
    assert len(history.losses) == 30
    assert sum(history.losses[-5:]) / 5 < sum(history.losses[:5]) / 5 - 1
    assert not history.stopped_early
    assert history.best_epoch is None


def test_a_seed_repeats_itself_and_another_does_not(problem):
    (once, a), (again, b), (other, _) = run(problem, seed=3), run(problem, seed=3), run(problem, seed=4)
    assert same(once, again)
    assert a.losses == b.losses
    assert not same(once, other)


def test_every_epoch_is_reported(problem):
    watcher = Watcher()
    _, history = run(problem, progress=watcher, score=lambda: 1.0, check_every=3, epochs=5)
    assert [r.epoch for r in watcher.reports] == [1, 2, 3, 4, 5]
    assert [r.loss for r in watcher.reports] == history.losses
    assert [r.score for r in watcher.reports] == [None, None, 1.0, None, 1.0]  # the last one is checked too
    assert history.scores == {3: 1.0, 5: 1.0}
    for report in watcher.reports:
        assert sum(report.counts.values()) == problem.graph.num_nodes
        assert set(report.terms) == {f"{v}:{s}" for v in "EFB" for s in ("1", "2", "1+2")}
        assert report.memory > 1 << 20
    assert watcher.reports[-1].seconds_left == 0


@pytest.mark.parametrize(("patience", "epochs_run"), [(1, 3), (2, 6), (None, 8)])
def test_the_best_weights_are_kept_and_patience_counts_checks(problem, patience, epochs_run):
    module = problem.module()
    told = iter([0.1, 0.7, 0.5, 0.9, 0.2, 0.3, 0.4, 0.5])
    seen = {}

    def score():
        value = next(told)
        seen[value] = {k: v.clone() for k, v in module.state_dict().items()}
        return value

    _, history = run(
        problem, module=module, score=score, patience=patience, check_every=1, epochs=8, norm_momentum=0.3
    )
    assert len(history.losses) == epochs_run
    assert history.stopped_early == (patience is not None)
    best = max(seen)
    assert history.scores[history.best_epoch] == best
    assert all(torch.equal(v, seen[best][k]) for k, v in module.state_dict().items())


def test_without_a_score_the_loss_itself_must_get_better(problem):
    _, history = run(problem, learning_rate=0.0, patience=2, check_every=1, epochs=60)
    assert history.stopped_early
    assert len(history.losses) < 60
    assert history.scores == {}


def test_a_score_that_is_not_a_number_is_never_the_best():
    best = Best(patience=2)
    assert not best.offer(float("nan"), 1, None)
    assert best.epoch is None
    assert best.offer(float("nan"), 2, None)


def test_schedules():
    step_wise = Settings(schedule="step", decay=0.5, decay_every=10)
    assert [rate_factor(step_wise, e) for e in (1, 9, 10, 19, 20)] == [1, 1, 0.5, 0.5, 0.25]
    cosine = Settings(schedule="cosine", epochs=10)
    assert rate_factor(cosine, 1) == 1
    assert rate_factor(cosine, 6) == pytest.approx(0.5)
    assert 0 < rate_factor(cosine, 10) < 0.05
    assert rate_factor(Settings(schedule="constant"), 999) == 1


def one_step(problem, module, **changes):
    settings = problem.settings(**changes)
    batch = FullGraph(problem.graph, problem.matrices, module.subsets).batch
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    return step(module, batch, optimizer, settings, problem.options, problem.generator(), 7)


def test_the_gradient_is_clipped_to_the_norm_that_was_asked_for(problem):
    free, clipped = problem.module(), problem.module()
    one_step(problem, free)
    one_step(problem, clipped, clip_norm=0.01)

    def norm(module):
        return math.sqrt(sum(float(p.grad.square().sum()) for p in module.parameters()))

    assert norm(free) > 0.1
    assert norm(clipped) == pytest.approx(0.01, rel=1e-3)


def test_a_loss_that_is_not_a_number_says_what_to_lower(problem):
    module = problem.module()
    with torch.no_grad():
        next(module.encoder.parameters()).fill_(math.nan)
    with pytest.raises(TrainingError, match=r"The loss .* in epoch 7.*learning_rate=0.01.*tau.*clip_norm=1"):
        one_step(problem, module)


def test_a_gradient_that_is_not_a_number_changes_no_weight(problem):
    module = problem.module()
    next(module.encoder.parameters()).register_hook(lambda grad: grad * math.inf)
    before = {k: v.clone() for k, v in module.named_parameters()}
    with pytest.raises(TrainingError, match=r"The gradient .*lower clip_norm=2"):
        one_step(problem, module, clip_norm=2.0)
    assert all(torch.equal(v, before[k]) for k, v in module.named_parameters())


def test_a_step_that_hides_nothing_teaches_nothing(problem):
    module = problem.module(mask_edge=0.0, mask_feature=1e-12)
    before = {k: v.clone() for k, v in module.named_parameters()}
    loss = one_step(problem, module, mask_edge=0.0, mask_feature=1e-12)
    assert float(loss.total) == 0
    assert loss.counts == {"N": 120, "E": 0, "F": 0, "B": 0}
    assert all(torch.equal(v, before[k]) for k, v in module.named_parameters())
