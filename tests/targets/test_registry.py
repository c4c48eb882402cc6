"""From words, settings, matrices and files to targets; what is not understood is said with the nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.errors import SettingsError
from gigamae.targets import PCA, TARGETS, DeepWalk, Node2Vec, Precomputed, Target, make_target, make_targets
from gigamae.targets.registry import target_class

M = np.ones((3, 2), dtype=np.float32)


@pytest.mark.parametrize("name", TARGETS)
def test_every_name_is_that_of_its_class(name: str) -> None:
    kind = target_class(name)
    assert issubclass(kind, Target)
    assert kind.name == name
    assert kind.__doc__


@pytest.mark.parametrize("name", [n for n in TARGETS if n != "precomputed"])
def test_params_make_the_same_target_again(name: str) -> None:
    """What a preset or model.json holds is enough."""
    recipe = make_target(name)
    assert make_target({"name": name, **recipe.params()}) == recipe
    assert recipe.modality in ("structure", "attributes", "both")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("pca", PCA()), (PCA, PCA()), (PCA(k=3), PCA(k=3)), ({"name": "pca", "k": 3}, PCA(k=3)),
        ({"name": "node2vec", "p": 0.5}, Node2Vec(p=0.5)), ("deepwalk", DeepWalk()),
    ],
)  # fmt: skip
def test_one_target(spec: Any, expected: Target) -> None:
    assert make_target(spec) == expected


@pytest.mark.parametrize(
    "spec",
    [M, M.tolist(), "text.npy", Path("text.npy"), {"path": "text.npy", "modality": "attributes"},
     {"name": "precomputed", "source": M}, "folder/text", "pca.npy"],
    ids=str,
)  # fmt: skip
def test_matrices_and_paths_become_precomputed(spec: Any) -> None:
    recipe = make_target(spec, "text")
    assert isinstance(recipe, Precomputed)
    assert recipe.label == "text"
    assert recipe.modality == ("attributes" if isinstance(spec, dict) and "path" in spec else "both")


def test_several_targets_keep_their_order_and_names() -> None:
    assert list(make_targets(["pca", "node2vec"])) == ["pca", "node2vec"]
    assert list(make_targets("pca")) == ["pca"]
    assert make_targets({"name": "pca", "k": 2}) == {"pca": PCA(k=2)}
    told = make_targets({"text": M, "structure": Node2Vec(), "attributes": PCA(ratio=0.5)})
    assert list(told) == ["text", "structure", "attributes"]
    assert told["text"].label == "text"  # type: ignore[attr-defined]


@given(st.permutations(["pca", "node2vec", "deepwalk"]))
def test_property_order_is_the_callers(names: list[str]) -> None:
    assert list(make_targets(names)) == names


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("node2vek", r"no target 'node2vek' \(did you mean 'node2vec'\?\).*matrix of your own"),
        ({"name": "pca", "ration": 0.3}, r"pca: there is no setting 'ration' \(did you mean 'ratio'\?\)"),
        ({"name": "pca", "ratio": 3}, "ratio must be above 0"),
        ({"name": "pca", "ratio": "half"}, "pca: a setting is missing or of the wrong type"),
        ({"ratio": 3}, "need its name"),
        ({"name": "precomputed"}, "missing"),
        (None, "A target is a name"),
        (3, "got 3"),
        (True, "got True"),
    ],
)
def test_what_is_not_understood(spec: Any, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        make_target(spec)


@pytest.mark.parametrize("spec", [[], {}, ()])
def test_no_target(spec: Any) -> None:
    with pytest.raises(SettingsError, match="At least one target"):
        make_targets(spec)


def test_two_targets_of_one_name() -> None:
    with pytest.raises(SettingsError, match="two targets named 'pca'"):
        make_targets(["pca", PCA(k=2)])
