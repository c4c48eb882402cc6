"""Methods by name: GiGaMAE, and whatever the baselines' register lists."""

from __future__ import annotations

import pytest

from gigamae import baselines
from gigamae.errors import SettingsError
from gigamae.experiments.methods import make_model, method_class, method_names


class Toy:
    """A baseline with one setting and a seed."""

    def __init__(self, width: int = 3, random_state: int = 0) -> None:
        self.width, self.random_state = width, random_state


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "METHODS", {"toy": "toybox:Toy"}, raising=False)
    monkeypatch.setattr("gigamae.experiments.methods.import_module", lambda name: {"toybox": _Box}[name])


class _Box:
    Toy = Toy


def test_gigamae() -> None:
    model = make_model("gigamae", {"epochs": 3}, {"pca": {"name": "pca"}}, seed=4, device="cpu")
    assert type(model) is method_class("gigamae")
    assert (model.epochs, model.random_state, model.device) == (3, 4, "cpu")


@pytest.mark.usefixtures("register")
def test_a_baseline_is_found_and_seeded() -> None:
    assert method_names() == ["gigamae", "toy"]
    model = make_model("toy", {"width": 5}, {}, seed=4, device="cpu")
    assert (model.width, model.random_state) == (5, 4)


@pytest.mark.usefixtures("register")
def test_what_is_not_there() -> None:
    with pytest.raises(SettingsError, match=r"no method 'toyy'\. Did you mean 'toy'"):
        method_class("toyy")
    with pytest.raises(SettingsError, match=r"toy has no setting 'epochs'\. It has: width, random_state"):
        make_model("toy", {"epochs": 3}, {})
