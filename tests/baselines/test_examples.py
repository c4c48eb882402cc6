"""The examples in the docstrings and on the methods' pages say what really comes out."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import gigamae.baselines as package
from gigamae.baselines import METHODS
from gigamae.experiments.methods import method_class
from gigamae.graph import datasets
from gigamae.graph.graph import Graph

NAME = package.__name__
MODULES = [NAME, *(module.name for module in pkgutil.iter_modules(package.__path__, f"{NAME}."))]
PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "methods").glob("*.md"))


@pytest.mark.parametrize("name", MODULES)
def test_docstring(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"np": np})
    assert failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tiny: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of Python runs as it stands, but for fewer epochs and a smaller graph."""
    monkeypatch.setattr(datasets, "load_dataset", lambda name: tiny)
    monkeypatch.setattr("gigamae.load_dataset", lambda name: tiny, raising=False)
    found = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"{page.name} has no example"
    for code in found:
        told: dict[str, object] = {}
        exec(compile(re.sub(r"epochs=\d+", "epochs=1", code), page.name, "exec"), told)
        assert np.isfinite(told["z"]).all()


@pytest.mark.parametrize("name", METHODS)
def test_fit_transform_is_fit_then_transform(name: str, tiny: Graph) -> None:
    kind = method_class(name)
    few = {"epochs": 2} if "epochs" in getattr(kind, "__dataclass_fields__", {}) else {}
    both = kind(**few).fit_transform(tiny)
    np.testing.assert_array_equal(both, kind(**few).fit(tiny).transform(tiny))
