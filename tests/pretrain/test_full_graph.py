"""The whole graph as one batch."""

import numpy as np
import torch

from gigamae.pretrain.full_graph import FullGraph, targets_by_subset


def test_an_epoch_is_one_step_on_everything(problem):
    batches = FullGraph(problem.graph, problem.matrices, [(0,), (0, 1)])
    (batch,) = batches.epoch(problem.generator())
    (again,) = batches.epoch(problem.generator(1))
    assert batch is again  # laid out once
    assert torch.equal(batch.topology.cols, torch.from_numpy(problem.graph.indices))
    assert batch.features.shape == (120, 400)
    assert set(batch.targets) == {(0,), (0, 1)}


def test_a_joint_target_is_its_parts_side_by_side(problem):
    a, b = problem.matrices
    found = targets_by_subset([a, b, a], [(1,), (0, 1), (0, 1, 2)], "cpu")
    assert np.array_equal(found[(1,)], b)
    assert np.array_equal(found[(0, 1)], np.hstack([a, b]))
    assert np.array_equal(found[(0, 1, 2)], np.hstack([a, b, a]))
    assert all(t.dtype == torch.float32 for t in found.values())
