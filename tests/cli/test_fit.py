"""``gigamae fit``: whatever a graph lies in, a run folder comes out, with the ids as they went in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from pyarrow import parquet

FILES = {"embeddings.parquet", "graph.npz", "model.json", "model.safetensors", "run.json"}


def ids_of(run: Path) -> list[Any]:
    found: list[Any] = parquet.read_table(run / "embeddings.parquet")["id"].to_pylist()
    return found


def vectors_of(run: Path) -> np.ndarray:
    table = parquet.read_table(run / "embeddings.parquet").drop_columns("id")
    return np.stack([c.to_numpy() for c in table.columns], axis=1)


def test_as_a_user_runs_it(files: Any, tmp_path: Path) -> None:
    """In a process of its own: the result alone on stdout, the rest on stderr."""
    call = [
        sys.executable, "-m", "gigamae", "fit", str(files.path), "--features", str(files.features),
        "-o", str(tmp_path / "run"), "--epochs", "2", "--out-dim", "8", "--json",
    ]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["embedding"] == {"nodes": 70, "dimensions": 8}
    assert {p.name for p in (tmp_path / "run").iterdir()} == FILES
    for words in ("pca ratio 0.9: 6 feature columns", "target node2vec", "Next: gigamae evaluate"):
        assert words in done.stderr


def test_ids_and_rows_come_back_as_they_went_in(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.path, tmp_path / "run", *files.all, "--json")
    assert told.json["graph"]["classes"] == 2
    assert ids_of(tmp_path / "run") == files.ids
    assert vectors_of(tmp_path / "run").shape == (70, 8)


def test_a_dataset_by_name(call: Any, data_root: Path, tmp_path: Path) -> None:
    before = sorted(data_root.rglob("*"))
    told = call(
        "fit", "cora", "--data-root", data_root, "-o", tmp_path / "run", "--json", "--epochs", "1",
        "--hidden-dim", "16", "--out-dim", "8", "--target-setting", "node2vec.epochs=1",
        "--target-setting", "pca.ratio=0.1",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert told.json["preset"] == "cora"
    about = told.json["graph"]
    assert (about["nodes"], about["edges"], about["features"], about["classes"]) == (2708, 5278, 1433, 7)
    assert "Settings of the preset cora" in told.err
    assert ids_of(tmp_path / "run") == list(range(2708))
    assert sorted(data_root.rglob("*")) == before, "nothing is written beside the raw files"
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["targets"]["node2vec"]["walks_per_node"] == 5, "the rest of the preset stays"
    assert run["expected"]["classification"]["accuracy"]["mean"] > 0.8


NUMBERED = [(10, 205), (205, 3), (3, 10), (3, 44), (44, 7), (7, 10)]


@pytest.mark.parametrize(
    ("name", "header", "separator"),
    [("e.csv", None, ","), ("e.csv", ["a", "b"], ","), ("e.tsv", None, "\t"), ("e.tsv", ["a", "b"], "\t"),
     ("e.txt", None, " ")],
)  # fmt: skip
def test_edge_lists_with_gaps_in_their_ids(
    name: str, header: Any, separator: str, fit: Any, tmp_path: Path
) -> None:
    lines = [*([header] if header else []), *NUMBERED]
    (tmp_path / name).write_text("\n".join(separator.join(map(str, line)) for line in lines))
    told = fit(tmp_path / name, tmp_path / "run", "--json")
    assert told.code == 0, told.err
    assert told.json["graph"]["edges"] == 6
    assert ids_of(tmp_path / "run") == [3, 7, 10, 44, 205]


def test_a_parquet_edge_list_with_weights(fit: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame(NUMBERED, columns=["dst", "src"]).assign(weight=[1.0, 2, 3, 4, 5, 6])
    frame.to_parquet(tmp_path / "e.parquet")
    assert fit(tmp_path / "e.parquet", tmp_path / "run").code == 0
    with np.load(tmp_path / "run" / "graph.npz") as kept:
        assert sorted(set(kept["weights"].tolist())) == [1, 2, 3, 4, 5, 6]
    told = fit(tmp_path / "e.parquet", tmp_path / "no", "--source-column", "src", "--target-column", "nope")
    assert "e.parquet has no column 'nope'" in told.refusal()


def test_columns_header_and_direction_can_be_told(fit: Any, tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("when,who,whom,times\n1,a,b,2\n2,b,a,1\n3,b,c,5\n")
    told = fit(tmp_path / "e.csv", tmp_path / "run", "--source-column", "who", "--target-column", "2",
               "--weight-column", "times", "--directed", "--header", "--json")  # fmt: skip
    assert told.code == 0, told.err
    assert ids_of(tmp_path / "run") == ["a", "b", "c"]
    assert "Directed edges were read as undirected." in told.json["notes"]
    assert "Directed edges were read as undirected." in told.err


def rows_in_order(files: Any) -> np.ndarray:
    return files.x.astype(np.float32)


@pytest.mark.parametrize("name", ["f.parquet", "f.csv", "f.npz"])
def test_features_with_ids_in_every_format(name: str, files: Any, fit: Any, tmp_path: Path) -> None:
    path = files.folder / name
    frame = pd.read_csv(files.features, dtype={"id": str})
    if name == "f.npz":
        np.savez(path, x=frame.drop(columns="id").to_numpy(), ids=frame["id"].to_numpy().astype(str))
    else:
        frame.to_parquet(path) if name == "f.parquet" else frame.to_csv(path, index=False)
    assert fit(files.path, tmp_path / "run", "--features", path, "-q").code == 0
    assert fit(files.path, tmp_path / "csv", "--features", files.features, "-q").code == 0
    np.testing.assert_array_equal(vectors_of(tmp_path / "run"), vectors_of(tmp_path / "csv"))


@pytest.mark.parametrize("name", ["x.npy", "dense.npz", "sparse.npz"])
def test_arrays_of_features_for_nodes_numbered_from_0(
    name: str, files: Any, fit: Any, tmp_path: Path
) -> None:
    place = {key: i for i, key in enumerate(files.ids)}
    edges = tmp_path / "numbered.csv"
    edges.write_text("".join(f"{place[a]},{place[b]}\n" for a, b in files.edges))
    path = tmp_path / name
    if name == "sparse.npz":
        sp.save_npz(path, sp.csr_matrix(files.x))
    else:
        np.save(path, files.x) if name == "x.npy" else np.savez(path, x=files.x)
    told = fit(edges, tmp_path / "run", "--features", path, "--json")
    assert told.code == 0, told.err
    assert told.json["graph"]["features"] == 6
    assert ids_of(tmp_path / "run") == list(range(70))


def test_graphml(fit: Any, tmp_path: Path) -> None:
    import networkx as nx

    graph = nx.karate_club_graph()
    nx.set_node_attributes(graph, {v: float(v % 5) for v in graph}, "age")
    nx.write_graphml(graph, tmp_path / "club.graphml")
    told = fit(tmp_path / "club.graphml", tmp_path / "run", "--label-column", "club", "--json")
    assert told.code == 0, told.err
    about = told.json["graph"]
    assert (about["nodes"], about["edges"], about["features"], about["classes"]) == (34, 78, 1, 2)
    assert ids_of(tmp_path / "run") == list(range(34)), "plain numbers in a text file are numbers"


def test_a_folder_of_files(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.folder, tmp_path / "run", "--json")
    assert told.code == 0, told.err
    about = told.json["graph"]
    assert (about["nodes"], about["features"], about["classes"]) == (70, 6, 2)


def test_without_features_the_user_is_told(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.path, tmp_path / "run", "--json")
    assert told.code == 0, told.err
    assert any("features" in note for note in told.json["notes"])
    assert "target node2vec alone: there are no features" in told.err
    assert list(json.loads((tmp_path / "run" / "run.json").read_text())["targets"]) == ["node2vec"]


def test_preset_none_starts_from_the_defaults(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.path, tmp_path / "run", *files.all, "--preset", "none", "--json")
    assert told.json["preset"] == "none"
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["settings"]["tau"] == 0.7
    assert run["targets"]["pca"] == {"name": "pca"}


def test_a_preset_of_ones_own_and_what_is_given_wins(files: Any, call: Any, tmp_path: Path) -> None:
    preset = tmp_path / "mine.toml"
    preset.write_text(
        "[settings]\nepochs = 1\nhidden_dim = 8\nheads = 2\nout_dim = 4\ntau = 0.5\n"
        "[targets.attributes]\nname = 'pca'\nk = 2\n"
    )
    told = call("fit", files.path, *files.all, "-o", tmp_path / "run", "--preset", preset, "--tau", "0.9")
    assert told.code == 0, told.err
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["settings"]["tau"] == 0.9
    assert run["targets"] == {"attributes": {"name": "pca", "k": 2}}
    assert vectors_of(tmp_path / "run").shape == (70, 4)


def test_a_matrix_of_ones_own_as_target(files: Any, call: Any, tmp_path: Path) -> None:
    text = tmp_path / "sentences.parquet"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(70, 3)), columns=list("abc")).assign(id=files.ids[::-1])
    frame.to_parquet(text)
    small = ("--epochs", "1", "--hidden-dim", "16", "--out-dim", "8")
    told = call("fit", files.path, *files.all, "-o", tmp_path / "run", *small,
                "--targets", f"pca,text={text}", "--target-setting", "pca.k=2")  # fmt: skip
    assert told.code == 0, told.err
    with np.load(tmp_path / "run" / "targets.npz") as kept:
        np.testing.assert_allclose(kept["text"], frame[list("abc")].to_numpy()[::-1], rtol=1e-6)
    short = call("fit", files.path, "-o", tmp_path / "no", *small, "--targets", f"text={files.features}",
                 "--target-setting", "text.id_column=key")  # fmt: skip
    assert "target 'text'" in short.refusal()
    assert "no column 'key'" in short.refusal()


def test_the_same_seed_gives_the_same_vectors(files: Any, fit: Any, tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        assert fit(files.path, tmp_path / name, *files.all, "--seed", seed, "-q").code == 0
    np.testing.assert_array_equal(vectors_of(tmp_path / "a"), vectors_of(tmp_path / "b"))
    assert (vectors_of(tmp_path / "a") != vectors_of(tmp_path / "c")).any()


def test_for_links_the_model_learns_from_85_percent(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.path, tmp_path / "run", *files.all, "--task", "links", "--split-seed", "2", "--json")
    assert told.code == 0, told.err
    assert told.json["task"] == "links"
    assert told.json["best_epoch"] in (1, 2), "validation AUC picked it"
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["split_seed"] == 2


def test_profile_and_quiet(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.path, tmp_path / "run", *files.all, "--profile", "--quiet")
    assert told.err == ""
    assert "where the time went" in told.out
    for part in ("targets", "node2vec", "pca", "masks", "encoder", "objective", "evaluation", "total"):
        assert re.search(rf"^ *{part} +[\d.]+ s ", told.out, re.MULTILINE), part


def test_the_parts_of_training_are_most_of_it(files: Any, fit: Any, tmp_path: Path) -> None:
    told = fit(files.path, tmp_path / "run", *files.all, "--task", "links", "--json", "--quiet")
    seconds = json.loads(told.out.splitlines()[-1])["seconds"]
    parts = {name: s for name, s in seconds.items() if name.startswith("training, ")}
    assert "training, validation" in parts
    assert 0.5 * seconds["training"] < sum(parts.values()) <= 1.01 * seconds["training"] + 0.01


def test_targets_are_kept_where_asked(
    files: Any, fit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIGAMAE_CACHE", str(tmp_path / "cache"))
    assert fit(files.path, tmp_path / "a", *files.all, "-q").code == 0
    assert not (tmp_path / "cache").exists()
    assert fit(files.path, tmp_path / "b", *files.all, "-q", "--cache").code == 0
    kept = sorted(p.name.split("-")[0] for p in (tmp_path / "cache").glob("*.npy"))
    assert kept == ["node2vec", "pca"]


def test_a_folder_that_is_no_run_is_left_alone(files: Any, fit: Any, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("mine")
    assert "not from a run; give another folder" in fit(files.path, tmp_path).refusal()
    assert (tmp_path / "model.json").read_text() == "mine"
    assert "is a file" in fit(files.path, files.path).refusal()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--tau", "hot"), "--tau hot: 'hot' is not a number"),
        (("--encoder", "gta"), "Did you mean 'gat'?"),
        (("--targets", "node2vek"), "did you mean 'node2vec'"),
        (("--target-setting", "pca.ration=1"), "did you mean 'ratio'"),
        (("--preset", "nope"), "There is no preset 'nope'"),
        (("--preset", "nope.toml"), "nope.toml: the preset cannot be read"),
        (("--method", "gigamea"), "Did you mean 'gigamae'?"),
        (("--method", "grace", "--targets", "pca"), "grace reconstructs no targets; leave --targets"),
        (("--task", "sing"), "task='sing' is not one of all, links"),
        (("--device", "tpu9"), "device='tpu9' is not a device"),
        (("--data-root", "."), "--data-root is for datasets"),
        (("--term-weights", "E=1,1"), "E"),
        (("--knowledge-weights", "E=5,2,3;F=2,5,6;B=1,1,3"), "E"),
        (("--mask-edge", "0", "--mask-feature", "0"), "nothing to learn"),
    ],
)
def test_wrong_settings(more: tuple[str, ...], said: str, files: Any, call: Any, tmp_path: Path) -> None:
    told = call("fit", files.path, *files.all, "-o", tmp_path / "run", *more)
    assert said in told.refusal()
    assert not (tmp_path / "run" / "run.json").exists()


def test_options_of_files_do_not_go_with_a_dataset(call: Any, tmp_path: Path) -> None:
    told = call("fit", "demo", "-o", tmp_path / "run", "--id-column", "who")
    assert "--id-column is for files" in told.refusal()
    told = call("fit", "coral", "-o", tmp_path / "run")
    assert "Did you mean 'cora'?" in told.refusal()
