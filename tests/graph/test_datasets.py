import shutil
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from gigamae.errors import DatasetError
from gigamae.graph.catalogue import DATASETS, canonical_name
from gigamae.graph.datasets import dataset_names, load_dataset
from gigamae.graph.download import cache_folder, is_known

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch_geometric.datasets as pyg
    from torch_geometric.transforms import NormalizeFeatures


def dense(x):
    return x.toarray() if sp.issparse(x) else x


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("cora", lambda root: pyg.Planetoid(root / "planetoid", "Cora")),
        ("citeseer", lambda root: pyg.Planetoid(root / "planetoid", "CiteSeer")),
        ("photo", lambda root: pyg.Amazon(root / "amazon", "Photo")),
    ],
)
def test_the_same_graph_as_pytorch_geometric(name, load, data_root):
    data = load(data_root)[0]
    raw = load_dataset(name, data_root, normalize=False)
    edge_index = data.edge_index.numpy()
    order = np.lexsort((edge_index[1], edge_index[0]))
    np.testing.assert_array_equal(raw.edge_index, edge_index[:, order])
    np.testing.assert_array_equal(raw.y, data.y.numpy())
    np.testing.assert_array_equal(dense(raw.x), data.x.numpy())
    as_released = NormalizeFeatures()(data).x.numpy()
    np.testing.assert_allclose(dense(load_dataset(name, data_root).x), as_released, atol=1e-7)


@pytest.mark.parametrize("name", ["pubmed", "computers", "cs", "physics"])
def test_counts_are_the_published_ones_and_features_stay_sparse(name, data_root):
    graph, info = load_dataset(name, data_root), DATASETS[name]
    found = (graph.num_nodes, graph.num_edges, graph.num_features, graph.num_classes)
    assert found == (info.nodes, info.edges, info.features, info.classes)
    assert sp.issparse(graph.x)
    assert np.isfinite(graph.x.data).all()
    assert abs(graph.x.sum(axis=1).max() - 1) < 1e-5


def test_every_level_of_the_root_is_understood_and_nothing_is_written(data_root):
    files = set(data_root.rglob("*"))
    graphs = [
        load_dataset("CORA", data_root / below)
        for below in ("", "planetoid", "planetoid/Cora", "planetoid/Cora/raw")
    ]
    assert len({g.fingerprint() for g in graphs}) == 1
    assert set(data_root.rglob("*")) == files


def test_known_hashes_are_those_of_the_files(data_root):
    for name in ("cora", "citeseer", "pubmed", "computers", "photo", "cs", "physics"):
        for file, hashes in DATASETS[name].files.items():
            assert is_known(next(data_root.rglob(file)), hashes), file


def test_git_hash(tmp_path):
    (tmp_path / "f").write_bytes(b"hello\n")  # git hash-object gives this id
    assert is_known(tmp_path / "f", ["git:ce013625030ba8dba906f756967f9e9ca394464a"])
    assert is_known(tmp_path / "f", ["git:00"]) is False
    assert is_known(tmp_path / "f", []) is None


def test_names():
    assert canonical_name("Coauthor_CS") == "cs"
    assert canonical_name("Amazon-Photo") == "photo"
    assert set(dataset_names()) >= {"cora", "wikics", "physics", "corafull", "dblp", "demo"}
    with pytest.raises(DatasetError, match="Did you mean 'citeseer'"):
        load_dataset("citesear")


def test_missing_and_wrong_files(data_root, tmp_path):
    with pytest.raises(DatasetError, match="no such folder"):
        load_dataset("cora", tmp_path / "nowhere")
    with pytest.raises(DatasetError, match="Cora is not in"):
        load_dataset("cora", tmp_path)
    raw = tmp_path / "CS" / "raw"
    raw.mkdir(parents=True)
    shutil.copyfile(next(data_root.rglob("amazon*photo.npz")), raw / "ms_academic_cs.npz")
    with pytest.raises(DatasetError, match="7,650 nodes where 18,333 are published"):
        load_dataset("cs", tmp_path)
    half = (raw / "ms_academic_cs.npz").read_bytes()[:10_000]
    (raw / "ms_academic_cs.npz").write_bytes(half)
    with pytest.raises(DatasetError, match="truncated"):
        load_dataset("cs", tmp_path)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GIGAMAE_DATA", str(tmp_path / "cache"))
    assert cache_folder() == tmp_path / "cache"
    return tmp_path / "cache"


def test_fetching_by_the_class_of_pytorch_geometric(cache, data_root, monkeypatch):
    calls = []

    def fetch(self):
        calls.append(self.name)
        shutil.copy(data_root / "amazon/Photo/raw" / self.raw_file_names, self.raw_dir)

    monkeypatch.setattr(pyg.Amazon, "download", fetch)
    with pytest.raises(DatasetError, match="may not be fetched"):
        load_dataset("photo", download=False)
    first, second = load_dataset("photo"), load_dataset("photo", download=False)
    assert calls == ["photo"]
    assert first.fingerprint() == second.fingerprint()
    assert [p.name for p in cache.rglob("*") if p.is_file()] == ["amazon_electronics_photo.npz"]


def test_a_damaged_download_is_refused_and_forgotten(cache, monkeypatch):
    def fetch(self):
        with open(f"{self.raw_dir}/{self.raw_file_names}", "wb") as file:
            file.write(b"not what was asked for")

    monkeypatch.setattr(pyg.Amazon, "download", fetch)
    with pytest.raises(DatasetError, match="is not the known file"):
        load_dataset("photo")
    assert not [p for p in cache.rglob("*") if p.is_file()]


def test_no_network(cache, monkeypatch):
    def fetch(self):
        raise OSError("Name or service not known")

    monkeypatch.setattr(pyg.Planetoid, "download", fetch)
    with pytest.raises(DatasetError, match=r"Name or service not known.*--data-root"):
        load_dataset("cora")


def test_wikics_layout(tmp_path, monkeypatch):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "data.json").write_text(
        '{"features": [[0.5, -1], [0, 2], [1, 1]], "labels": [1, 0, 1], '
        '"links": [[1, 1, 0], [0, 2], []], "train_masks": [[true, false, false]], '
        '"val_masks": [[false, true, false]], "stopping_masks": [[false, true, false]], '
        '"test_mask": [false, false, true]}'
    )
    with pytest.raises(DatasetError, match="3 nodes where 11,701"):
        load_dataset("wikics", tmp_path)
    info = replace(DATASETS["wikics"], nodes=3, edges=2, features=2, classes=2)
    monkeypatch.setitem(DATASETS, "wikics", info)
    graph = load_dataset("WikiCS", tmp_path)
    data = pyg.WikiCS(str(tmp_path), is_undirected=True)[0]
    expected = {tuple(e) for e in data.edge_index.T.tolist() if e[0] < e[1]}
    assert {tuple(e) for e in graph.edges.tolist()} == expected
    np.testing.assert_array_equal(graph.x, data.x.numpy())  # as released: not normalised
    np.testing.assert_array_equal(graph.y, data.y.numpy())
    scaled = NormalizeFeatures()(data).x.numpy()
    np.testing.assert_allclose(load_dataset("wikics", tmp_path, normalize=True).x, scaled)
    (raw / "data.json").write_text('{"features": [[1]], "labels": [1]')
    with pytest.raises(DatasetError, match=r"not the data\.json of WikiCS"):
        load_dataset("wikics", tmp_path)
