"""A small graph on disk and a way to call the command line, as fast as a test can be."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gigamae.cli import main

#: Settings under which a fit takes a fraction of a second. What is learned is not looked at.
SMALL = (
    "--epochs", "2", "--hidden-dim", "16", "--out-dim", "8", "--heads", "2", "--check-every", "1",
)  # fmt: skip
SMALL_TARGETS = (
    "--target-setting", "node2vec.dim=8", "--target-setting", "node2vec.epochs=1",
    "--target-setting", "node2vec.walk_length=5", "--target-setting", "node2vec.walks_per_node=2",
)  # fmt: skip


@dataclass
class Told:
    """What a call gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object, which must be the last line of stdout and the only one."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self
        found: dict[str, Any] = json.loads(lines[0])
        return found

    def refusal(self) -> str:
        """The one plain line of an error in the call or the input."""
        assert self.code == 2, self
        last = self.err.splitlines()[-1]
        assert last.startswith("gigamae: "), self
        assert "Traceback" not in self.err
        assert self.out == ""
        return last.removeprefix("gigamae: ")


Call = Callable[..., Told]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command in this process."""

    def run(*args: object) -> Told:
        capsys.readouterr()
        code = main.run([str(a) for a in args])
        told = capsys.readouterr()
        return Told(code, told.out, told.err)

    return run


@pytest.fixture
def fit(call: Call) -> Call:
    """``gigamae fit`` with settings that take no time."""

    def run(source: object, output: object, *more: object) -> Told:
        return call("fit", source, "-o", output, *SMALL, *SMALL_TARGETS, *more)

    return run


@dataclass
class Files:
    """A graph of two blocks as files: ids with gaps, features, labels.

    Attributes:
        ids: of the nodes that edges name, sorted.
        x: (N, D) the features in that order.
    """

    folder: Path
    ids: list[str]
    edges: list[tuple[str, str]]
    x: np.ndarray

    @property
    def path(self) -> Path:
        return self.folder / "edges.csv"

    @property
    def features(self) -> Path:
        return self.folder / "features.csv"

    @property
    def labels(self) -> Path:
        return self.folder / "labels.csv"

    @property
    def all(self) -> tuple[object, ...]:
        """Features and labels as options."""
        return ("--features", self.features, "--labels", self.labels)


def make_files(folder: Path, num_nodes: int = 70, seed: int = 0) -> Files:
    """``edges.csv`` (with a header), ``features.csv`` and ``labels.csv``, rows in no order."""
    rng = np.random.default_rng(seed)
    y = np.arange(num_nodes) % 2
    share = np.where(y[:, None] == y[None, :], 0.25, 0.02)
    pairs = np.argwhere(np.triu(rng.random((num_nodes, num_nodes)) < share, 1))
    ring = [(i, (i + 1) % num_nodes) for i in range(num_nodes)]  # nobody is isolated
    pairs = np.unique(np.sort(np.concatenate([pairs, ring]), axis=1), axis=0)
    ids = [f"0{7 * i + 3}" for i in range(num_nodes)]  # not numbers: the zero must come back
    x = np.round(rng.random((num_nodes, 6)) + (y[:, None] == np.arange(6) % 2), 3)
    edges = [(ids[i], ids[j]) for i, j in rng.permutation(pairs)]
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "edges.csv", ["from", "to"], edges)
    names = [f"w{k}" for k in range(6)]
    order = rng.permutation(num_nodes)
    write(folder / "features.csv", ["id", *names], [(ids[i], *x[i]) for i in order])
    classes = ["even", "odd"]
    write(folder / "labels.csv", ["id", "label"], [(ids[i], classes[y[i]]) for i in order])
    inorder = np.argsort(ids)
    return Files(folder, [ids[i] for i in inorder], edges, x[inorder])


def write(path: Path, header: list[str] | None, rows: list[Any], separator: str = ",") -> Path:
    """Rows as a text file."""
    lines = [*([header] if header else []), *rows]
    path.write_text("".join(separator.join(map(str, line)) + "\n" for line in lines))
    return path


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return make_files(tmp_path / "mine")


@pytest.fixture
def files_in() -> Callable[..., Files]:
    """Make such files in a folder: (folder, num_nodes, seed)."""
    return make_files


@pytest.fixture(scope="session")
def small_files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Files that are read and never changed."""
    return make_files(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, small_files: Files) -> Path:
    """A run with labels that is read and never changed."""
    run = tmp_path_factory.mktemp("trained") / "run"
    call = ("fit", small_files.path, *small_files.all, "-o", run, *SMALL, *SMALL_TARGETS, "-q")
    assert main.run([str(a) for a in call]) == 0
    return run
