"""What a word on the command line means: a dataset, a file, or neither with the nearest of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gigamae.cli.sources import open_source
from gigamae.errors import GigamaeError, InputError


def test_a_dataset_and_its_other_spellings(data_root: Path) -> None:
    for word in ("cora", "Cora"):
        opened = open_source(word, data_root)
        assert opened.dataset == "cora"
        assert opened.graph.num_nodes == 2708


def test_a_file_that_is_called_like_a_dataset_is_read(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless --data-root says that the dataset is meant."""
    files.path.rename(files.folder / "demo.csv")
    monkeypatch.chdir(files.folder)
    assert open_source("demo.csv").dataset is None
    assert open_source("demo").dataset == "demo"
    (files.folder / "demo").mkdir()
    (files.folder / "demo.csv").rename(files.folder / "demo" / "edges.csv")
    opened = open_source("demo")
    assert opened.dataset is None
    assert opened.graph.num_nodes == 70


def test_options_that_were_not_given_are_left_to_the_reader(files: Any) -> None:
    opened = open_source(str(files.path), features=files.features, labels=None, header=None)
    assert opened.graph.num_features == 6
    assert opened.graph.y is None


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("", "SOURCE is empty"),
        ("coral", "Did you mean 'cora'"),
        ("edge.csv", "no such file"),
        ("nowhere/e.csv", "nor the folder"),
    ],
)
def test_neither(word: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GigamaeError, match=said) as error:
        open_source(word)
    assert error.value.exit_code == 2


def test_options_that_do_not_go_together(files: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data-root is for datasets"):
        open_source(str(files.path), tmp_path)
    with pytest.raises(InputError, match="--label-column is for files; the dataset demo"):
        open_source("demo", label_column="y")
