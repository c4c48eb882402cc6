"""``gigamae compare``: one table of the methods, from the cells that reproduce has too."""

from __future__ import annotations

from pathlib import Path

import pytest

from gigamae.experiments import schedule


@pytest.fixture
def compared(call, tmp_path: Path):
    return call("compare", "demo", "--methods", "sgc,random-encoder", "--tasks", "links", "--seeds", "2",
                "--out", tmp_path / "r", "--json")  # fmt: skip


def test_a_table_with_ranks_and_files(compared, tmp_path: Path) -> None:
    assert compared.code == 0, compared.err
    cells = compared.json["cells"]
    assert {c["method"] for c in cells} == {"sgc", "random-encoder"}
    assert {c["metric"] for c in cells} == {"auc", "ap"}
    assert all(c["seeds"] == 2 and c["std"] is not None for c in cells)
    assert "Average ranks over the 2 scores that all ranked methods have." in compared.err
    for ending in ("md", "csv", "png", "svg"):
        assert (tmp_path / "r" / f"compare-demo.{ending}").is_file()


def test_what_is_on_disk_is_not_run_again(
    compared, call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "attempt", None)
    args = ("compare", "demo", "--methods", "sgc,random-encoder", "--tasks", "links", "--out", tmp_path / "r")
    for more in (("--seeds", "2"), ("--seeds", "2", "--render-only")):
        again = call(*args, *more, "--json", "-q")
        assert again.json == compared.json


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["my.csv"], "no dataset 'my.csv'"),
        (["cora", "--methods", "sgcc"], "no method 'sgcc'. Did you mean 'sgc'"),
        (["cora", "--tasks", "singing"], "no task 'singing'"),
    ],
)
def test_slips(call, args: list[str], said: str, tmp_path: Path) -> None:
    assert said in call("compare", *args, "--out", tmp_path / "r").refusal()
