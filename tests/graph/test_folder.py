import numpy as np
import pandas as pd
import pytest

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph


def test_files_are_found_by_their_names(tmp_path):
    (tmp_path / "edges.tsv").write_text("source\ttarget\na\tb\nb\tc\n")
    pd.DataFrame({"id": list("abc"), "f": [1.0, 2, 3]}).to_parquet(tmp_path / "features.parquet")
    (tmp_path / "labels.csv").write_text("id,label\nc,x\na,y\n")
    (tmp_path / "README.txt").write_text("about these files")
    graph = read_graph(tmp_path)
    assert graph.name == tmp_path.name
    assert graph.x[:, 0].tolist() == [1, 2, 3]
    assert graph.y.tolist() == [1, -1, 0]
    other = read_graph(tmp_path, features=pd.DataFrame(
        {"id": list("cba"), "g": [1.0, 2, 3]}))  # fmt: skip
    assert other.feature_names == ("g",)


def test_a_single_graph_file(tmp_path):
    np.savez(tmp_path / "blog.npz", edge_index=[[0, 1], [1, 2]], x=np.eye(3))
    assert read_graph(tmp_path).num_edges == 2


def test_unclear_folders(tmp_path):
    with pytest.raises(InputError, match="has no file of edges; it holds nothing"):
        read_graph(tmp_path)
    (tmp_path / "raw").mkdir()
    with pytest.raises(InputError, match="--data-root"):
        read_graph(tmp_path)
    for name in ("edges.csv", "edges.tsv"):
        (tmp_path / name).write_text("a\tb\n")
    with pytest.raises(InputError, match=r"edges\.csv and edges\.tsv; keep one"):
        read_graph(tmp_path)
