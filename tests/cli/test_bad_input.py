"""Bad input from the command line: exit code 2 and one plain line that says what, where, what to do.

The messages themselves are tested with the readers (tests/graph/test_bad_input.py); here one of each
kind goes through the front door.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EDGES = "source,target,weight\n1,2,1\n2,3,2\n3,4,1\n"
FEATURES = "id,age,size\n1,0.5,1\n2,1.5,2\n3,2.5,3\n4,3.5,4\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "features.csv").write_text(FEATURES)
    return tmp_path


def text(name: str, content: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(content) and None  # type: ignore[func-returns-value]


def truncated(folder: Path) -> None:
    np.savez(folder / "features.npz", x=np.random.default_rng(0).random((500, 3)))
    whole = (folder / "features.npz").read_bytes()
    (folder / "features.npz").write_bytes(whole[: len(whole) // 2])


def pickled(folder: Path) -> None:
    np.save(folder / "features.npy", np.array([{"a": 1}] * 5), allow_pickle=True)


def pickle_file(folder: Path) -> None:
    (folder / "edges.pkl").write_bytes(pickle.dumps([(1, 2)]))


CASES: dict[str, tuple[Callable[[Path], None], str, tuple[str, ...], tuple[str, ...]]] = {
    "missing column": (
        text("edges.csv", EDGES), "edges.csv", ("--source-column", "from"),
        ("edges.csv has no column 'from'", "source, target"),
    ),
    "id in edges but not in features": (
        text("features.csv", "id,age\n1,2\n2,3\n"), "edges.csv", ("--features", "features.csv"),
        ("names 2 nodes without a row", "features.csv: 3, 4", "drop their edges"),
    ),
    "NaN in features": (
        text("features.csv", "id,age\n1,2\n2,nan\n3,4\n4,5\n"), "edges.csv", ("--features", "features.csv"),
        ("features.csv, line 3", "'age'", "NaN"),
    ),
    "infinity in features": (
        text("features.csv", "id,age\n1,2\n2,3\n3,inf\n4,5\n"), "edges.csv", ("--features", "features.csv"),
        ("features.csv, line 4", "'age'", "inf"),
    ),
    "ragged rows": (
        text("edges.csv", "source,target\n1,2\n2,3,9\n3,4\n"), "edges.csv", (),
        ("edges.csv, line 3: 3 cells where 2",),
    ),
    "negative weight": (
        text("edges.csv", "source,target,weight\n1,2,1\n2,3,-4\n"), "edges.csv", (),
        ("edges.csv, line 3", "weight -4"),
    ),
    "empty file": (text("edges.csv", ""), "edges.csv", (), ("edges.csv is empty",)),
    "wrong file type": (
        text("edges.json", "{}"), "edges.json", (), ("type .json are not read", ".csv, .tsv, .parquet"),
    ),
    "more classes than nodes": (
        text("labels.csv", "id,label\n" + "".join(f"{i},{i}\n" for i in range(1, 9))), "edges.csv",
        ("--features", "features.csv", "--labels", "labels.csv"), ("more classes than nodes",),
    ),
    "label of no node": (
        text("labels.csv", "id,label\n1,a\n9,b\n"), "edges.csv",
        ("--features", "features.csv", "--labels", "labels.csv"),
        ("labels.csv, line 3", "no nodes of the graph: 9"),
    ),
    "truncated .npz": (
        truncated, "edges.csv", ("--features", "features.npz"), ("features.npz", "truncated", "Copy or"),
    ),
    "pickled .npy": (
        pickled, "edges.csv", ("--features", "features.npy"), ("pickled Python objects, which are refused",),
    ),
    "pickle as graph": (pickle_file, "edges.pkl", (), ("edges.pkl", "refused")),
    "no such file": (lambda folder: None, "edge.csv", (), ("no such file", "Did you mean edges.csv")),
    "truncated target": (
        truncated, "edges.csv", ("--features", "features.csv", "--targets", "text=features.npz"),
        ("target 'text'", "cut off"),
    ),
    "rows of a target": (
        lambda folder: np.save(folder / "t.npy", np.ones((3, 2))), "edges.csv",
        ("--features", "features.csv", "--targets", "text=t.npy"), ("has 3 rows", "4 nodes"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_refused_in_one_line(
    case: str, folder: Path, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil, source, more, parts = CASES[case]
    spoil(folder)
    monkeypatch.chdir(folder)
    said = call("fit", source, "-o", "run", "--epochs", "1", *more).refusal()
    for part in parts:
        assert part in said, said
    assert not (folder / "run" / "run.json").exists()


def test_ids_in_features_alone_are_isolated_nodes_and_told(folder: Path, fit: Any) -> None:
    (folder / "features.csv").write_text(FEATURES + "77,9,9\n")
    told = fit(folder / "edges.csv", folder / "run", "--features", folder / "features.csv", "--json")
    assert told.json["embedding"]["nodes"] == 5
    assert "1 nodes have no edge (isolated): 77." in told.json["notes"]


def test_the_error_is_json_where_json_was_asked_for(folder: Path, call: Any) -> None:
    (folder / "edges.csv").write_text("")
    told = call("fit", folder / "edges.csv", "-o", folder / "run", "--json")
    assert told.code == 2
    assert told.json["error"]["exit_code"] == 2
    assert "edges.csv is empty" in told.json["error"]["message"]


def test_a_traceback_for_debug_alone(folder: Path, call: Any) -> None:
    (folder / "edges.csv").write_text("")
    assert "Traceback" not in call("fit", folder / "edges.csv", "-o", folder / "run").err
    assert "Traceback" in call("fit", folder / "edges.csv", "-o", folder / "run", "--debug").err


def test_training_that_breaks_down_says_what_to_lower(folder: Path, fit: Any) -> None:
    (folder / "features.csv").write_text("id,age\n1,3e38\n2,-3e38\n3,3e38\n4,0\n")  # finite, but not for long
    told = fit(folder / "edges.csv", folder / "run", "--features", folder / "features.csv")
    assert told.code == 1
    assert "Lower learning_rate=0.001" in told.err.splitlines()[-1]
    assert not (folder / "run" / "run.json").exists()


@pytest.mark.parametrize(
    "words",
    [("fit", "demo", "-o", ""), ("embed", "run", "demo", "-o", " "), ("demo", "-o", ""), ("bench", "-o", ""),
     ("compare", "cora", "--out", ""), ("reproduce", "all", "--out", ""), ("evaluate", ""),
     ("fit", "demo", "-o", "run", "--data-root", ""), ("fit", "e.csv", "-o", "run", "--features", "")],
    ids=" ".join,
)  # fmt: skip
def test_no_file_or_folder_has_an_empty_name(
    words: tuple[str, ...], call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that is not set must not mean the current folder."""
    monkeypatch.chdir(tmp_path)
    assert "the name is empty; give a file or a folder (. is the current one)" in call(*words).refusal()
    assert list(tmp_path.iterdir()) == []
