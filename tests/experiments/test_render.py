"""From cells to pages: nothing is trained, nothing is made up, the same cells give the same bytes."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gigamae.errors import MissingExtraError
from gigamae.experiments import schedule
from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.cells import Variant, make_cell
from gigamae.experiments.chosen import experiments
from gigamae.experiments.experiment import first_cell
from gigamae.experiments.render import Rendered, all_numbers, render
from gigamae.experiments.tables import tables


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory, told: Callable) -> Rendered:
    """GiGaMAE, SGC and GraphMAE on Cora with scores that were never measured, in a folder of their own."""
    folder = tmp_path_factory.mktemp("results")
    store = CellStore(folder / "cells")
    rows = {row.key: row for row in tables()["table-1"].rows}
    for name, value in {"gigamae": 0.85, "sgc": 0.8, "graphmae": 0.82}.items():
        for task in ("labels", "links"):
            first = first_cell(rows[name], "cora", task)
            for place in range(3):
                cell = replace(first, **({"seed": place} if task == "labels" else {"split": place}))
                store.put(cell, told(cell, value + place / 100))
    for row in [r for r in experiments()["figure-5"].rows if r.group == "edge mask ratio"][:2]:
        cell = first_cell(row, "cora", "labels")
        store.put(cell, told(cell, 0.7))
    stray = make_cell("gigamae", "cora", "labels", variant=Variant({"mask_edge": 0.77}))
    store.put(stray, told(stray, 0.99))
    store.put_failure(make_cell("gca", "cora", "labels"), "gca broke")
    return render(store, folder)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_table_has_the_papers_number_ours_and_the_difference(rendered: Rendered) -> None:
    text = (rendered.readme.parent / "table-1.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith("| GiGaMAE |"))
    cora = line.split("|")[2].strip()
    assert cora == "**86.00 ± 0.82 (3 of 5)**<br>paper 84.72 ± 0.47, +1.28"
    line = next(line for line in text.splitlines() if line.startswith("| GCA |"))
    assert line.split("|")[2].strip() == "failed<br>paper 83.86 ± 0.45"
    assert "gca on cora failed: gca broke" in text
    assert "not run here" in text


def test_csv_holds_every_place_and_no_number_that_was_not_run(rendered: Rendered) -> None:
    found = rows_of(rendered.readme.parent / "table-3.csv")
    assert len(found) == len(list(tables()["table-3"].entries()))
    ran = {r["row"] for r in found if r["ours"]}
    assert ran == {"gigamae", "sgc", "graphmae"}
    assert all(r["dataset"] == "cora" and r["seeds"] == "3" for r in found if r["ours"])
    assert {r["state"] for r in found if r["dataset"] == "wikics"} == {"not run here"}
    (auc,) = [r for r in found if (r["row"], r["dataset"], r["metric"]) == ("gigamae", "cora", "auc")]
    assert float(auc["ours"]) == pytest.approx(86)
    assert [float(v) for v in auc["values"].split()] == pytest.approx([85, 86, 87])
    assert float(auc["difference"]) == pytest.approx(86 - 95.13)


def test_the_page_shows_everything(rendered: Rendered) -> None:
    text = rendered.readme.read_text()
    for name in experiments():
        assert f"## {name}: " in text
        assert f"`gigamae reproduce {name}`" in text
        for ending in ("md", "csv"):
            assert (rendered.readme.parent / f"{name}.{ending}").is_file()
    assert "## figure-2" in text
    assert "a processor (2 cores" in text
    assert "gigamae 0" in text
    assert "2026-01-02" in text
    assert "1 cells stand in no table above" in text
    for link in ("table-1.png", "figure-1.png", "figure-5.png", "figure-7.png"):
        assert f"({link})" in text
        assert (rendered.readme.parent / link).stat().st_size > 1000
    assert "(figure-6.png)" not in text  # nothing of it was run


def test_what_lies_beside_is_linked(tmp_path: Path, rendered: Rendered) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "README.md").write_text("found")
    (tmp_path / "compare-photo.md").write_text("compared")
    text = render(CellStore(tmp_path / "cells"), tmp_path).readme.read_text()
    assert "[How the presets were found](search/README.md)" in text
    assert "[`gigamae compare photo`](compare-photo.md)" in text
    assert "Beside these" not in rendered.readme.read_text()


def test_the_same_cells_give_the_same_bytes(rendered: Rendered) -> None:
    folder = rendered.readme.parent

    def hashes() -> dict[str, str]:
        files = [path for path in folder.iterdir() if path.is_file()]
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    before = hashes()
    render(CellStore(folder / "cells"), folder)
    assert hashes() == before


def test_the_page_has_no_rows_of_nothing(rendered: Rendered) -> None:
    text = rendered.readme.read_text()
    section = text.partition("## table-1: ")[2].partition("## table-2: ")[0]
    assert "| **accuracy, %** | Cora |" in section
    rows = [line.split(" | ")[0][2:] for line in section.splitlines() if line.startswith("| ")]
    assert rows[:6] == ["**accuracy, %**", "---", "GiGaMAE", "GCA", "GraphMAE", "SGC features"]
    assert "| GiGaMAE | **86.00** ± 0.82 (+1.28), 3 of 5 |" in section
    assert "| GCA | failed |" in section
    assert "Not run: DeepWalk, MVGRL, BGRL" in section
    assert "Not run on any method: CiteSeer, Computers" in section
    assert "WikiCS: not run here" in section
    assert "not run<br>" not in section
    assert "Nothing of it has been run yet" in text.partition("## weights: ")[2]
    assert "paper 48.24 ± 1.35" in (rendered.readme.parent / "table-1.md").read_text()


def test_the_page_says_how_much_was_run(rendered: Rendered) -> None:
    text = rendered.readme.read_text()
    assert "| [table-1](table-1.md) | Node classification (accuracy, %) | 3 of 126 |" in text
    goals = text.partition("## GiGaMAE against")[2].partition("## table-1")[0]
    assert "30 not run" in goals
    assert "| Cora | 86.00 ± 0.82 (3 of 5)<br>paper 84.72 ± 0.47, +1.28<br>rank 1 of 9 |" in goals


def test_average_ranks_wait_for_all_nine_methods(
    rendered: Rendered, tmp_path: Path, told: Callable
) -> None:
    found = {r["row"]: r for r in rows_of(rendered.readme.parent / "figure-3.csv")}
    assert {r["ours"] for r in found.values()} == {""}  # a rank of three is none of nine
    assert float(found["gigamae"]["paper"]) == pytest.approx((1.43 + 1.50 + 1.57) / 3, abs=0.01)
    store = CellStore(tmp_path / "cells")
    for place, row in enumerate(experiments()["figure-3"].rows):
        for task in ("labels", "links"):
            cell = first_cell(row, "cora", task)
            store.put(cell, told(cell, 0.9 - place / 100))
    ((figure, numbers),) = [s for s in all_numbers(store) if s[0].name == "figure-3"]
    assert [n.ours for n in numbers] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert "over the 1, 2, 2 columns" in figure.notes[-1]
    # Accuracy on Cora, and so on: GiGaMAE is the paper's first in all five columns.
    assert "would be GiGaMAE 1.00" in figure.notes[-1]


def test_nothing_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "attempt", None)
    page = render(CellStore(tmp_path / "cells"), tmp_path)
    assert all(n.ours is None for n in page.numbers)
    assert "none run yet" in page.readme.read_text()
    assert not list(tmp_path.glob("*.png"))


def test_without_matplotlib_the_tables_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gigamae.report import plots

    def missing(*args: object) -> str:
        raise MissingExtraError('Drawings need matplotlib: pip install "gigamae[plots]".')

    monkeypatch.setattr(plots, "draw", missing)
    lines: list[str] = []
    page = render(CellStore(tmp_path / "cells"), tmp_path, tell=lines.append)
    assert page.readme.is_file()
    assert any("gigamae[plots]" in line for line in lines)
