"""The programs in benchmarks/ as modules."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def benchmarks() -> Path:
    """The folder; its programs find one another there."""
    sys.path.insert(0, str(FOLDER))
    return FOLDER


@pytest.fixture(scope="session")
def load(benchmarks: Path) -> Callable[[str], ModuleType]:
    """A program by its name."""

    def loaded(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, benchmarks / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return loaded
