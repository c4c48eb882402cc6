"""The pages tell the truth: their Python runs, their commands run, their options and links exist.

Every page is run as it stands, in a folder that holds the files its examples name. Only the number of
epochs is lowered, and the demo graph is a small one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from gigamae.cli import main

ROOT = Path(__file__).resolve().parents[1]
OWN = ("own-graph", "targets", "evaluation", "new-nodes", "command-line", "memory", "gpu", "determinism",
       "method", "reproduce")  # fmt: skip
PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in OWN)]
EVERY_PAGE = sorted({*PAGES, *(ROOT / "docs").rglob("*.md")})
#: Commands whose examples are run here; what the others do is tested with them.
RUN = {"fit", "evaluate", "embed", "datasets", "presets", "demo"}
FEW = ["--epochs", "1"]


def blocks(page: Path, *languages: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language in languages]


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each line of a block that calls gigamae."""
    for block in blocks(page, "sh", ""):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["gigamae"]:
                yield words[1:]


def write_graph(folder: Path, name: str, n: int) -> None:
    """Two blocks, with features that tell them apart, under names that begin with ``name``."""
    rng = np.random.default_rng(n)
    ids, y = [f"{name}{7 * i}" for i in range(n)], np.arange(n) % 2
    share = np.where(y[:, None] == y[None, :], 0.25, 0.02)
    pairs = np.argwhere(np.triu(rng.random((n, n)) < share, 1)).tolist() + [[i, i + 1] for i in range(n - 1)]
    edges = pd.DataFrame([(ids[i], ids[j]) for i, j in pairs], columns=["source", "target"])
    edges.to_csv(folder / f"{name}_edges.csv", index=False)
    x = pd.DataFrame(rng.random((n, 5)) + y[:, None], columns=list("abcde"))
    x.assign(id=ids).to_parquet(folder / f"{name}_features.parquet")
    x[["a", "c"]].assign(id=ids).to_parquet(folder / f"{name}_text.parquet")
    pd.DataFrame({"id": ids, "label": y}).to_csv(folder / f"{name}_labels.csv", index=False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the examples name, and a small demo graph."""
    for name, n in (("my", 80), ("other", 30)):
        write_graph(tmp_path, name, n)
    (tmp_path / "my_folder").mkdir()
    (tmp_path / "my_folder" / "edges.csv").write_text((tmp_path / "my_edges.csv").read_text())
    (tmp_path / "mine.toml").write_text("[settings]\nepochs = 1\n[targets.pca]\nname = 'pca'\n")

    import networkx as nx

    nx.write_graphml(nx.karate_club_graph(), tmp_path / "my_graph.graphml")
    from gigamae.graph import datasets, demo

    small = demo.demo_graph(300)
    monkeypatch.setattr(demo, "demo_graph", lambda: small)
    assert datasets.load_dataset("demo") is small
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.stem)
def test_python(page: Path) -> None:
    """The blocks of a page, one after the other in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}  # where dataclasses look for their module
    for block in blocks(page, "python"):
        code = re.sub(r"\bepochs=100\b", "epochs=2", block)
        exec(compile(code, f"{page.name}: {block.strip().splitlines()[0]}", "exec"), names)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "sh")], ids=lambda p: p.stem)
def test_commands(page: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands of a page, in order; those on real graphs are run with them, not here."""
    for words in commands(page):
        if words[0] not in RUN or words[:2] == ["fit", "cora"]:
            continue
        few = FEW if words[0] in ("fit", "demo") else []
        few += ["--splits", "1"] if words[0] == "evaluate" else []
        assert main.run([*words, *few]) == 0, (words, capsys.readouterr().err)


def options(command: str) -> set[str]:
    """Every option of a command."""
    group: Any = typer.main.get_command(main.app)
    params = group.get_command(None, command).params
    return {name for param in params for name in (*param.opts, *param.secondary_opts)} | {"--help", "-h"}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda p: p.stem)
def test_every_command_and_option_named_exists(page: Path) -> None:
    for words in commands(page):
        assert words[0] in main.COMMANDS, words
        told = {word.split("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
        assert told <= options(words[0]), words
    everything = set().union(*(options(name) for name in main.COMMANDS))
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for span in re.findall(r"`([^`]+)`", text):
        if not re.match(r"(pip|git|make|python)", span):
            assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", span)) <= everything, span


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda p: p.stem)
def test_every_relative_link_resolves(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.is_relative_to(ROOT), target
        assert there.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(title) for title in titles}, target


def slug(title: str) -> str:
    """What a heading's link is called."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def test_every_page_is_linked_from_the_front_door() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in OWN:
        assert f"(docs/{name}.md)" in text
