"""Sparse matrices for torch: silent, and what was put in."""

import subprocess
import sys

import torch

from gigamae.model.csr import csr


def test_a_matrix_in_compressed_rows():
    matrix = csr(torch.tensor([0, 1, 3]), torch.tensor([2, 0, 1]), torch.tensor([5.0, 6.0, 7.0]), (2, 3))
    assert matrix.to_dense().tolist() == [[0, 0, 5], [6, 7, 0]]


def test_nobody_is_told_of_betas():
    code = (
        "import warnings; warnings.simplefilter('error'); import torch; from gigamae.model.csr import csr;"
        "csr(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1), (1, 1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
