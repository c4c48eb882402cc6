"""Fixtures that every room of the tests shares."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", max_examples=25, deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private copy of the real graphs; tests that need them skip plainly where they are absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"real graphs are not here (looked in {SHARED_DATA})")
    root = tmp_path_factory.mktemp("data")
    for folder in ("planetoid", "amazon", "coauthor", "citation_full"):
        shutil.copytree(SHARED_DATA / folder, root / folder, copy_function=shutil.copyfile)
    for folder in root.rglob("*"):
        folder.chmod(0o755)
    return root


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
