"""Runs: a folder holds all that is needed to go on, and says so when it does not."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from gigamae.errors import InputError, ModelFolderError
from gigamae.experiments.plan import Plan, make_plan, parse_targets
from gigamae.experiments.runs import check_folder, fit_run, load_model, load_run, write_run
from gigamae.graph.graph import Graph
from gigamae.graph.splits import split_links


def test_a_run_comes_back_to_the_bit(tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    run = fit_run(tiny, plan, seed=3, story={"source": "tiny.csv"})
    write_run(run, tmp_path / "run")
    back = load_run(tmp_path / "run")
    assert back.graph.fingerprint() == tiny.fingerprint()
    assert back.graph.ids.tolist() == tiny.ids.tolist()
    assert back.graph.y.tolist() == tiny.y.tolist()  # type: ignore[union-attr]
    np.testing.assert_array_equal(back.model.transform(back.graph), run.z)
    np.testing.assert_array_equal(load_model(tmp_path / "run").transform(tiny), run.z)
    assert back.about["seed"] == 3
    assert back.about["source"] == "tiny.csv"
    assert back.about["settings"] == plan.settings
    assert back.about["targets"] == plan.targets
    assert back.folder == tmp_path / "run"
    table = parquet.read_table(tmp_path / "run" / "embeddings.parquet")
    assert table["id"].to_pylist() == tiny.ids.tolist()


def test_what_run_json_says_of_the_machine_names_nobody(tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    write_run(fit_run(tiny, plan), tmp_path / "run")
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    assert about["machine"]["cores"] >= 1
    assert set(about["versions"]) >= {"gigamae", "python", "torch"}
    assert about["peak_memory"] > 0
    assert about["seconds"]["total"] >= about["seconds"]["training"] > 0
    assert str(Path.home()) not in json.dumps(about)


def test_an_unfitted_model_of_the_run_is_the_runs(tiny: Graph, plan: Plan) -> None:
    """Fitted anew with the same seed it gives the same vectors; for links it has links' settings."""
    run = fit_run(tiny, plan, seed=1)
    again = run.new_model("all", 1).fit(tiny)
    np.testing.assert_array_equal(again.transform(tiny), run.z)
    run.about["links_settings"] = {**run.about["links_settings"], "epochs": 7}
    assert run.new_model("links", 1).epochs == 7
    assert run.new_model("all", 1).epochs == 2


def test_for_links_the_model_sees_the_training_edges_alone(tiny: Graph, plan: Plan) -> None:
    run = fit_run(tiny, replace(plan, task="links"), split_seed=4)
    split = split_links(tiny, seed=4)
    assert run.model.graph_fingerprint_ == split.train.fingerprint() != tiny.fingerprint()
    np.testing.assert_array_equal(run.z, run.model.transform(split.train))
    assert run.about["split_seed"] == 4
    assert run.graph is tiny


def test_a_matrix_of_ones_own_goes_with_the_run(tiny: Graph, tmp_path: Path) -> None:
    """The file that it is from may be gone when the run is judged."""
    matrix = np.random.default_rng(0).normal(size=(70, 3)).astype(np.float32)
    np.save(tmp_path / "text.npy", matrix)
    settings = {"epochs": 1, "hidden_dim": 8, "out_dim": 4, "heads": 2}
    plan = make_plan(tiny, settings=settings, targets=parse_targets(f"text={tmp_path / 'text.npy'}"))
    write_run(fit_run(tiny, plan), tmp_path / "run")
    (tmp_path / "text.npy").unlink()
    back = load_run(tmp_path / "run")
    np.testing.assert_array_equal(back.matrices["text"], matrix)
    assert np.isfinite(back.new_model("all", 5).fit(tiny).transform(tiny)).all()
    with np.load(tmp_path / "run" / "targets.npz") as kept:
        altered = {"text": kept["text"] + 1}
    np.savez(tmp_path / "run" / "targets.npz", **altered)
    with pytest.raises(ModelFolderError, match=r"targets\.npz was altered"):
        load_run(tmp_path / "run")


def test_a_second_run_replaces_the_first(tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    write_run(fit_run(tiny, plan, seed=0), tmp_path / "run")
    second = fit_run(tiny, plan, seed=1)
    write_run(second, tmp_path / "run")
    np.testing.assert_array_equal(load_run(tmp_path / "run").model.transform(tiny), second.z)


def test_a_run_that_was_cut_short_is_no_run(
    tiny: Graph, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """run.json is written last, and an old one goes first."""
    write_run(fit_run(tiny, plan), tmp_path / "run")

    def stopped(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gigamae.experiments.runs.write_vectors", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_run(fit_run(tiny, plan, seed=1), tmp_path / "run")
    with pytest.raises(ModelFolderError, match=r"lacks run\.json"):
        load_run(tmp_path / "run")


def test_files_of_two_runs_do_not_mix(tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    for seed, name in enumerate("ab"):
        write_run(fit_run(tiny, plan, seed=seed), tmp_path / name)
    weights = (tmp_path / "a" / "model.safetensors").read_bytes()
    (tmp_path / "b" / "model.safetensors").write_bytes(weights)
    with pytest.raises(ModelFolderError, match=r"model\.safetensors was altered"):
        load_run(tmp_path / "b")


def test_a_whole_model_of_another_run_is_told_from_the_runs_own(
    tiny: Graph, plan: Plan, tmp_path: Path
) -> None:
    """Its two files agree with each other, but not with run.json."""
    for seed, name in enumerate("ab"):
        write_run(fit_run(tiny, plan, seed=seed), tmp_path / name)
    for name in ("model.json", "model.safetensors"):
        shutil.copy(tmp_path / "a" / name, tmp_path / "b" / name)
    for load in (load_run, load_model):
        with pytest.raises(ModelFolderError, match=r"model\.json was altered"):
            load(tmp_path / "b")


@pytest.mark.parametrize(
    "change",
    [{"seed": 5}, {"method": "vgae"}, {"settings": {}}, {"format": "1"}, {"format": None}, {"format": True},
     {"sha256": 3}, {"sha256": {}}],
    ids=str,
)  # fmt: skip
def test_an_altered_story_is_refused(change: dict, tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    path = write_run(fit_run(tiny, plan), tmp_path / "run") / "run.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about))  # other white space is no change
    load_run(path.parent)
    path.write_text(json.dumps({**about, **change}))
    for load in (load_run, load_model):
        with pytest.raises(ModelFolderError, match=r"run\.json was altered"):
            load(path.parent)


def test_nothing_of_the_first_run_is_left(tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    """Neither its verdicts nor its matrices, nor its model where the second keeps none; what is not a
    run's stays."""
    first = fit_run(tiny, plan)
    first.matrices = {"text": np.ones((70, 2), np.float32)}
    folder = write_run(first, tmp_path / "run")
    for name in ("evaluation.json", "demo.json", "notes.txt"):
        (folder / name).write_text("{}")
    second = fit_run(tiny, plan, seed=1)
    second.model = None
    write_run(second, folder)
    kept = {"embeddings.parquet", "graph.npz", "run.json", "notes.txt"}
    assert {path.name for path in folder.iterdir()} == kept


def test_a_newer_format(tiny: Graph, plan: Plan, tmp_path: Path) -> None:
    write_run(fit_run(tiny, plan), tmp_path / "run")
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps({**about, "format": 99}))
    with pytest.raises(ModelFolderError, match="upgrade gigamae"):
        load_run(tmp_path / "run")


@pytest.mark.parametrize("name", ["graph.npz", "embeddings.parquet", "model.json", "targets.npz"])
def test_a_folder_with_files_of_others_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"holds a {name} that is not from a run"):
        check_folder(tmp_path)


def test_folders_are_made_and_files_are_not_overwritten(tmp_path: Path) -> None:
    assert check_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        check_folder(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be made"):
        check_folder(tmp_path / "file" / "below")
    with pytest.raises(InputError, match="the folder's name is empty"):
        check_folder("")


def test_a_folder_that_cannot_be_written_into_is_refused_before_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"cannot be written into \(Permission denied\); give another"):
        check_folder(tmp_path)


def test_links_settings_of_the_preset_are_kept(tiny: Graph) -> None:
    plan = make_plan(tiny, dataset="cora", settings={"hidden_dim": 16, "out_dim": 8})
    plan.settings["epochs"] = 1
    plan.targets["node2vec"]["epochs"] = 1
    run = fit_run(tiny, plan)
    assert run.about["preset"] == "cora"
    assert run.about["links_settings"]["patience"] == plan.links_settings["patience"]
    assert run.new_model("links", 0).epochs == plan.links_settings["epochs"] != 1
