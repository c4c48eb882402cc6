"""The examples in the docstrings of this room run and give what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import gigamae.graph

MODULES = sorted(p.stem for p in Path(gigamae.graph.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", [m for m in MODULES if m != "__init__"])
def test_examples(name):
    module = import_module(f"gigamae.graph.{name}")
    numpy = {"np": import_module("numpy"), "Graph": gigamae.graph.Graph}
    failed, _ = doctest.testmod(module, extraglobs=numpy)
    assert failed == 0
