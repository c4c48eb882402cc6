"""The compiled passes take as many threads as torch was given, and leave torch its own."""

from __future__ import annotations

import os
import subprocess
import sys

CODE = (
    "import torch; before = torch.get_num_threads();"
    "from gigamae.model import attention_cpu;"
    "import numba; print(before, torch.get_num_threads(), numba.get_num_threads())"
)


def test_the_number_of_threads_that_was_asked_for_stays() -> None:
    """numba's own start would set it to the number of cores for the whole process."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.stdout.split() == ["1", "1", "1"], done.stderr
