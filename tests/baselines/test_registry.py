"""The registry is whole: each method has an oracle test, a preset for Cora and a page in the docs."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from pathlib import Path

import pytest

from gigamae import baselines
from gigamae.baselines import CONTROLS, METHODS
from gigamae.experiments.methods import make_model, method_class, method_names
from gigamae.presets import FOLDER, ORIGINS, load_preset, preset_names

HERE = Path(__file__).resolve()
PAGES = HERE.parents[2] / "docs" / "methods"
LEARNED = [name for name in METHODS if name not in CONTROLS]
#: Where a method's objective is compared with slow loops, if not in its own test file under this name.
ORACLE = "test_the_loss_is_the_equation"
ELSEWHERE = {
    "deepwalk": ("targets/test_skipgram.py", "test_gradients_equal_slow_loops"),
    "gae": ("baselines/test_vgae.py", ORACLE),
    "gca": ("baselines/test_gca.py", "test_the_loss_is_graces_on_those_views"),
    "mvgrl": ("baselines/test_mvgrl.py", "test_loss_and_embedding_are_the_dense_equations"),
}


def oracle(name: str) -> tuple[Path, str]:
    file, test = ELSEWHERE.get(name, (f"baselines/test_{name.replace('-', '_')}.py", ORACLE))
    return HERE.parents[1] / file, test


def test_names_and_classes() -> None:
    assert set(method_names()) == {"gigamae", *METHODS}
    assert set(CONTROLS) <= set(METHODS)
    for name in METHODS:
        kind = method_class(name)
        assert getattr(baselines, METHODS[name].split(":")[1]) is kind
    assert {METHODS[name].split(":")[1] for name in METHODS} <= set(dir(baselines))


@pytest.mark.parametrize("name", LEARNED)
def test_each_method_has_an_oracle_test_and_learns(name: str) -> None:
    path, test = oracle(name)
    assert path.is_file(), f"{name} has no test file {path.name}"
    assert f"def {test}(" in path.read_text(encoding="utf-8"), f"{path.name} has no {test}"
    own = HERE.parent / ("test_vgae.py" if name == "gae" else f"test_{name.replace('-', '_')}.py")
    text = own.read_text(encoding="utf-8")
    assert method_class(name).__name__ in text
    assert "def test_it_learns(" in text, f"{own.name} does not show that {name} learns"


@pytest.mark.parametrize("name", CONTROLS)
def test_each_control_has_a_test_and_a_line_in_the_docs(name: str) -> None:
    kind = method_class(name).__name__
    assert kind in (HERE.parent / "test_controls.py").read_text(encoding="utf-8"), f"{kind} has no test"
    assert f"| `{name}` | `{kind}` |" in (PAGES / "controls.md").read_text(encoding="utf-8")


def test_every_class_that_learns_is_in_the_registry() -> None:
    """A method whose author forgot the registry would be seen by no other test here."""
    homes = [f"gigamae.baselines.{m.name}" for m in pkgutil.iter_modules(baselines.__path__)]
    found = {
        kind for home in homes for kind in vars(importlib.import_module(home)).values()
        if isinstance(kind, type) and issubclass(kind, baselines.Baseline) and kind is not baselines.Baseline
    }  # fmt: skip
    assert found == {method_class(name) for name in LEARNED}


@pytest.mark.parametrize("name", LEARNED)
def test_each_method_says_what_was_decided(name: str) -> None:
    """The file's docstring has the paper, the objective and the unclear points."""
    home = METHODS[name].split(":")[0]
    told = __import__(home, fromlist=["__doc__"]).__doc__
    assert "unclear" in told, f"{home}: its docstring does not tell what was unclear"
    assert len(told.splitlines()) > 10


@pytest.mark.parametrize("name", LEARNED)
def test_each_method_has_a_page(name: str) -> None:
    page = PAGES / f"{name}.md"
    assert page.is_file(), f"{name} has no page docs/methods/{name}.md"
    text = page.read_text(encoding="utf-8")
    assert f"--method {name}" in text
    for field in dataclasses.fields(method_class(name)):
        own = field.name not in {f.name for f in dataclasses.fields(baselines.Baseline)}
        assert not own or f"`{field.name}`" in text, f"{page.name} does not tell of {field.name}"


@pytest.mark.parametrize("name", LEARNED)
def test_each_method_has_a_preset_for_cora(name: str) -> None:
    assert "cora" in preset_names(name), f"{name} has no preset {name}/cora.toml"
    assert not preset_names(name) or (FOLDER / name / "cora.toml").is_file()


@pytest.mark.parametrize("which", [(n, p) for n in LEARNED for p in preset_names(n)], ids="/".join)
def test_a_preset_is_whole(which: tuple[str, str]) -> None:
    """Settings that the method takes, each with its origin; expected numbers of the three tasks, or of
    none where neither the paper nor anybody here has any."""
    name, dataset = which
    for task in (None, "links"):
        preset = load_preset(dataset, task, name)
        make_model(name, preset.settings, {}).check()
    preset = load_preset(dataset, method=name)
    assert set(preset.origin) == set(preset.settings) | {f"links.{k}" for k in preset.links_settings}
    assert set(preset.origin.values()) <= set(ORIGINS)
    assert {t: set(m) for t, m in preset.expected.items()} in (
        {}, {"classification": {"accuracy"}, "clustering": {"nmi", "ari"}, "links": {"auc", "ap"}},
    )  # fmt: skip
    for measures in preset.expected.values():
        for number in measures.values():
            assert 0 < number["mean"] < 1
            assert 0 <= number["std"] < 0.2
            assert number["seeds"] >= 0
