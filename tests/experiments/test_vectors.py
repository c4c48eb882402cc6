"""Embeddings on disk: the ids come back exactly as they went in, whatever the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv, parquet

from gigamae.errors import InputError
from gigamae.experiments.vectors import check_output, write_vectors

Z = np.array([[1.5, -2.0], [0.1, 3.0], [0.0, 1e-8]], dtype=np.float32)
IDS = [
    np.array([7, -1, 10**15]),
    np.array(["007", "ä b", "x,\"y\""], dtype=object),
    np.array(["a", "b", ""]),
]


@pytest.mark.parametrize("ids", IDS, ids=["numbers", "objects", "text"])
def test_parquet(ids: np.ndarray, tmp_path: Path) -> None:
    table = parquet.read_table(write_vectors(tmp_path / "new" / "z.parquet", Z, ids))
    assert table.column_names == ["id", "z0", "z1"]
    assert table["id"].to_pylist() == ids.tolist()
    np.testing.assert_array_equal(np.stack([table["z0"], table["z1"]], axis=1), Z)
    assert str(table["z0"].type) == "float"


@pytest.mark.parametrize("ids", IDS, ids=["numbers", "objects", "text"])
def test_csv(ids: np.ndarray, tmp_path: Path) -> None:
    path = write_vectors(tmp_path / "z.csv", Z, ids)
    kinds = {"id": "int64" if ids.dtype.kind == "i" else "string"}
    table = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=kinds))
    assert table["id"].to_pylist() == ids.tolist()
    np.testing.assert_array_equal(np.stack([table["z0"], table["z1"]], axis=1).astype("float32"), Z)


@pytest.mark.parametrize("ids", IDS, ids=["numbers", "objects", "text"])
def test_npz_holds_no_pickle(ids: np.ndarray, tmp_path: Path) -> None:
    with np.load(write_vectors(tmp_path / "z.npz", Z, ids), allow_pickle=False) as file:
        assert file["ids"].tolist() == ids.tolist()
        np.testing.assert_array_equal(file["z"], Z)


def test_npy_is_the_matrix(tmp_path: Path) -> None:
    np.testing.assert_array_equal(np.load(write_vectors(tmp_path / "z.npy", Z, IDS[0])), Z)


@pytest.mark.parametrize("name", ["z.xlsx", "z", "z.pkl"])
def test_other_endings_are_refused_before_work(name: str) -> None:
    with pytest.raises(InputError, match=r"\.parquet, \.csv, \.npy, \.npz"):
        check_output(name)


def test_a_place_that_cannot_be_written_is_refused_before_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "z.csv").mkdir()
    for path, said in (
        (tmp_path / "file" / "z.csv", "cannot be written"),
        (tmp_path / "file" / "below" / "z.csv", "cannot be written"),
        (tmp_path / "z.csv", "is a folder"),
    ):
        with pytest.raises(InputError, match=f"{said}.*; give another"):
            check_output(path)


def test_asking_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("mine")
    for name in ("old.csv", "new.csv", "a/b/new.csv"):
        check_output(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert (tmp_path / "old.csv").read_text() == "mine"


def test_ids_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 ids for 3 embeddings"):
        write_vectors(tmp_path / "z.csv", Z, np.array([1, 2]))
