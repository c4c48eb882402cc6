"""``gigamae embed``: nodes that were not there at training, with their columns checked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest


def vectors(path: Path) -> pd.DataFrame:
    table = pd.read_parquet(path)
    return table.set_index("id")


def test_as_a_user_runs_it(trained: Path, small_files: Any, tmp_path: Path) -> None:
    call = [
        sys.executable, "-m", "gigamae", "embed", str(trained), str(small_files.path), "--json",
        "--features", str(small_files.features), "-o", str(tmp_path / "out.parquet"),
    ]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["nodes"] == 70


def test_the_same_graph_gives_the_same_vectors(
    trained: Path, small_files: Any, call: Any, tmp_path: Path
) -> None:
    told = call("embed", trained, small_files.path, "--features", small_files.features,
                "-o", tmp_path / "out.parquet", "--json")  # fmt: skip
    assert told.json["dimensions"] == 8
    pd.testing.assert_frame_equal(
        vectors(tmp_path / "out.parquet"), vectors(trained / "embeddings.parquet"), check_exact=True
    )


def test_a_graph_that_was_not_there(
    trained: Path, files_in: Callable[..., Any], call: Any, tmp_path: Path
) -> None:
    """Other nodes, other ids, their columns in another order; what is embedded is by name."""
    other = files_in(tmp_path / "other", 30, seed=9)
    frame = pd.read_csv(other.features, dtype={"id": str})
    for name, columns in (("a", list(frame)), ("b", ["id", *sorted(set(frame) - {"id"}, reverse=True)])):
        frame[columns].to_parquet(tmp_path / f"{name}.parquet")
        told = call("embed", trained, other.path, "--features", tmp_path / f"{name}.parquet",
                    "-o", tmp_path / f"{name}.out.parquet")  # fmt: skip
        assert told.code == 0, told.err
        assert "30 embeddings of 8 dimensions" in told.out
    first = vectors(tmp_path / "a.out.parquet")
    assert first.index.tolist() == other.ids
    pd.testing.assert_frame_equal(first, vectors(tmp_path / "b.out.parquet"))
    assert np.isfinite(first.to_numpy()).all()


@pytest.mark.parametrize("name", ["z.csv", "z.npy", "z.npz"])
def test_other_files(name: str, trained: Path, small_files: Any, call: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    assert call("embed", trained, small_files.path, "--features", small_files.features, "-o", path).code == 0
    expected = vectors(trained / "embeddings.parquet")
    if name == "z.csv":
        frame = pd.read_csv(path, dtype={"id": str}).set_index("id")
        np.testing.assert_allclose(frame.to_numpy(), expected.to_numpy(), rtol=1e-6)
        assert frame.index.tolist() == small_files.ids
    else:
        read = np.load(path)
        z = read if name == "z.npy" else read["z"]
        np.testing.assert_array_equal(z, expected.to_numpy())


def drop(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="w3")


def rename(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename(columns={"w3": "q"})


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (drop, ["missing: w3", "same columns as at training"]),
        (rename, ["missing: w3", "unknown to the model: q"]),
        (lambda frame: frame.assign(extra=1.0), ["unknown to the model: extra"]),
    ],
)
def test_columns_that_are_not_the_models(
    change: Callable[[pd.DataFrame], pd.DataFrame], parts: list[str], trained: Path, small_files: Any,
    call: Any, tmp_path: Path,
) -> None:  # fmt: skip
    change(pd.read_csv(small_files.features, dtype={"id": str})).to_csv(tmp_path / "f.csv", index=False)
    said = call("embed", trained, small_files.path, "--features", tmp_path / "f.csv",
                "-o", tmp_path / "z.parquet").refusal()  # fmt: skip
    for part in parts:
        assert part in said, said
    assert not (tmp_path / "z.parquet").exists()


def test_a_graph_without_the_features_that_the_model_knows(
    trained: Path, small_files: Any, call: Any, tmp_path: Path
) -> None:
    said = call("embed", trained, small_files.path, "-o", tmp_path / "z.parquet").refusal()
    assert "came without features" in said
    assert "give it the features the model knows" in said


def test_an_ending_that_is_not_written(trained: Path, small_files: Any, call: Any, tmp_path: Path) -> None:
    said = call("embed", trained, small_files.path, "-o", tmp_path / "z.xlsx").refusal()
    assert ".parquet, .csv, .npy, .npz" in said


def test_a_place_that_cannot_be_written_is_told_before_the_work(
    trained: Path, small_files: Any, call: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    told = call("embed", trained, small_files.path, "-o", tmp_path / "file" / "z.csv")
    assert "z.csv cannot be written" in told.refusal()
    assert "70 nodes" not in told.err, "nothing was read yet"


def flip(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no run.json": (lambda run: (run / "run.json").unlink(), "lacks run.json"),
    "no weights": (lambda run: (run / "model.safetensors").unlink(), "lacks model.safetensors"),
    "no model.json": (lambda run: (run / "model.json").unlink(), "lacks model.json"),
    "altered weights": (lambda run: flip(run / "model.safetensors"), "model.safetensors was altered"),
    "broken run.json": (lambda run: (run / "run.json").write_text("{"), "is not readable JSON"),
    "empty run.json": (lambda run: (run / "run.json").write_text("{}"), "lacks"),
    "no folder": (shutil.rmtree, "is not a folder; give the one that fit wrote"),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_a_model_folder_that_is_not_whole(
    case: str, trained: Path, small_files: Any, call: Any, tmp_path: Path
) -> None:
    damage, said = DAMAGES[case]
    run = tmp_path / "run"
    shutil.copytree(trained, run)
    damage(run)
    told = call("embed", run, small_files.path, "--features", small_files.features, "-o", tmp_path / "z.npy")
    assert said in told.refusal()
    assert said in call("evaluate", run).refusal()
    assert not (tmp_path / "z.npy").exists()


@pytest.mark.parametrize("name", ["graph.npz"])
def test_a_run_whose_graph_is_not_whole(name: str, trained: Path, call: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(trained, run)
    flip(run / name)
    assert f"{name} was altered or cut off" in call("evaluate", run).refusal()
    (run / name).unlink()
    assert f"lacks {name}" in call("evaluate", run).refusal()
