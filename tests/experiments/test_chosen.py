"""What can be asked for, and what a slip is told."""

from __future__ import annotations

import pytest

from gigamae.errors import SettingsError
from gigamae.experiments.chosen import choose, experiments, narrowing


def test_all_is_everything_once() -> None:
    chosen, remarks = choose(["table-1", "all", "table-1"])
    assert [e.name for e in chosen] == ["table-1", *(n for n in experiments() if n != "table-1")]
    assert remarks == []
    names = {*(f"table-{i}" for i in range(1, 7)), *(f"figure-{i}" for i in (1, 3, 4, 5, 6, 7)), "weights"}
    assert set(experiments()) == names


def test_the_diagram_has_nothing_to_run() -> None:
    chosen, (remark,) = choose(["figure-2"])
    assert chosen == []
    assert remark == "figure-2 is the diagram of the framework: there is nothing to run."


def test_names_with_commas_and_in_any_case() -> None:
    found = narrowing(["Cora,Amazon-Photo", "cs"], ["gigamae,only-pca"], 2)
    assert found.datasets == ("cora", "photo", "cs")
    assert found.methods == ("gigamae", "only-pca")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: choose(["table-7"]), "nothing called 'table-7'.*Did you mean 'table-"),
        (lambda: narrowing(datasets=["coar"]), "no dataset 'coar'. Did you mean 'cora'"),
        (lambda: narrowing(methods=["graphmea"]), "no method 'graphmea'. Did you mean 'graphmae'"),
    ],
)
def test_slips(call: object, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        call()  # type: ignore[operator]
