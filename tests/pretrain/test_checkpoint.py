"""Checkpoints: two plain files, whole or refused."""

import json
import shutil
import struct

import numpy as np
import pytest

from gigamae import GiGaMAE
from gigamae.errors import ModelFolderError, NotFittedError
from gigamae.graph.demo import demo_graph
from gigamae.pretrain.checkpoint import MODEL, WEIGHTS, read_about, sealed, versions

GRAPH = demo_graph(80, seed=1)
NARROW = {"hidden_dim": 16, "out_dim": 8, "heads": 2, "epochs": 2}


@pytest.fixture(scope="module")
def fitted():
    return GiGaMAE({"a": np.eye(80)[:, :6], "words": "pca"}, **NARROW, random_state=5).fit(GRAPH)


@pytest.fixture
def folder(fitted, tmp_path):
    return fitted.save(tmp_path / "new" / "model")


def rewrite(folder, **changes):
    about = json.loads((folder / MODEL).read_text())
    about.update(changes)
    (folder / MODEL).write_text(json.dumps(about))


def test_what_is_loaded_embeds_bit_for_bit_alike(fitted, folder):
    loaded = GiGaMAE.load(folder)
    assert np.array_equal(loaded.transform(GRAPH), fitted.transform(GRAPH))
    assert loaded.settings == fitted.settings
    assert loaded.random_state == 5
    assert loaded.graph_fingerprint_ == GRAPH.fingerprint()
    assert loaded.feature_names_ == GRAPH.feature_names
    assert loaded.history_.losses == pytest.approx(fitted.history_.losses, abs=1e-5)
    assert loaded.notes_ == fitted.notes_
    assert list(loaded.targets_) == ["words"]  # a matrix of the user's own is not kept
    assert np.array_equal(GiGaMAE.load(loaded.save(folder)).transform(GRAPH), fitted.transform(GRAPH))


def test_the_files_are_text_and_plain_numbers(folder):
    assert sorted(p.name for p in folder.iterdir()) == [MODEL, WEIGHTS]
    about = json.loads((folder / MODEL).read_text())
    assert about["versions"] == versions()
    raw = (folder / WEIGHTS).read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])  # safetensors: a JSON header, then numbers
    assert sum(np.prod(t["shape"], dtype=int) for t in header.values()) > 1000


def test_not_fitted_is_said(tmp_path):
    with pytest.raises(NotFittedError, match=r"fit\(graph\)"):
        GiGaMAE().save(tmp_path)


@pytest.mark.parametrize("name", [MODEL, WEIGHTS])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelFolderError, match=f"lacks {name}"):
        GiGaMAE.load(folder)


@pytest.mark.parametrize("cut", [0, 100, -1])
def test_altered_weights_are_refused(folder, cut):
    raw = bytearray((folder / WEIGHTS).read_bytes())
    if cut == 0:
        raw[-1] ^= 1
    (folder / WEIGHTS).write_bytes(raw[:cut] if cut else raw)
    with pytest.raises(ModelFolderError, match="altered or cut off"):
        GiGaMAE.load(folder)


def test_weights_of_another_model_are_refused(fitted, folder, tmp_path):
    other = GiGaMAE({"a": np.eye(80)[:, :4], "words": "pca"}, **NARROW).fit(GRAPH).save(tmp_path / "other")
    shutil.copy(other / WEIGHTS, folder / WEIGHTS)
    with pytest.raises(ModelFolderError, match="altered"):
        GiGaMAE.load(folder)
    about = json.loads((folder / MODEL).read_text())
    about["sha256"] = json.loads((other / MODEL).read_text())["sha256"]
    (folder / MODEL).write_text(json.dumps(sealed(about, MODEL)))
    with pytest.raises(ModelFolderError, match="mixes two models"):
        GiGaMAE.load(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99}, "newer gigamae"),
        ({"method": "vgae"}, "model of vgae, not of gigamae"),
    ],
)
def test_models_that_are_not_ours_are_refused(folder, change, message):
    rewrite(folder, **change)
    with pytest.raises(ModelFolderError, match=message):
        GiGaMAE.load(folder)


@pytest.mark.parametrize(
    "change", [{"features_made": True}, {"dims": "many"}, {"random_state": 1}, {"sha256": 3}, {"format": "1"}]
)
def test_an_altered_description_is_refused(folder, change):
    rewrite(folder, **change)
    with pytest.raises(ModelFolderError, match=r"model\.json was altered"):
        GiGaMAE.load(folder)


def test_a_description_may_be_written_in_another_way(fitted, folder):
    rewrite(folder)  # no more than other white space
    assert np.array_equal(GiGaMAE.load(folder).transform(GRAPH), fitted.transform(GRAPH))


def test_whoever_may_read_the_folder_may_read_its_files(folder):
    (folder / "other").write_text("")
    assert len({(folder / name).stat().st_mode for name in ("other", MODEL, WEIGHTS)}) == 1


def test_a_broken_description_is_refused(folder, tmp_path):
    with pytest.raises(ModelFolderError, match="not a folder"):
        GiGaMAE.load(tmp_path / "nowhere")
    with pytest.raises(ModelFolderError, match="lacks colour"):
        read_about(folder, "gigamae", ["colour"])
    (folder / MODEL).write_text("{")
    with pytest.raises(ModelFolderError, match="not readable JSON"):
        GiGaMAE.load(folder)
