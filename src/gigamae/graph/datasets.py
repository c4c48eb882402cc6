"""Known graphs by name: read straight from their raw files, and checked."""

from __future__ import annotations

import difflib
import logging
from dataclasses import replace
from pathlib import Path

from gigamae.errors import DatasetError, InputError
from gigamae.graph.catalogue import DATASETS, DatasetInfo, canonical_name
from gigamae.graph.download import cache_folder, download, is_known
from gigamae.graph.graph import Graph
from gigamae.graph.planetoid import read_planetoid
from gigamae.graph.rawfiles import normalized_rows, read_gnn_benchmark, read_wikics

log = logging.getLogger(__name__)


def dataset_names() -> list[str]:
    """Every name :func:`load_dataset` knows."""
    return [*DATASETS, "demo"]


def load_dataset(
    name: str,
    root: str | Path | None = None,
    *,
    download: bool = True,
    normalize: bool | None = None,
) -> Graph:
    """A known graph by name, its features sparse wherever the file has them sparse.

    The raw files are read as they are; nothing is written beside them. What was read is
    checked against the published numbers of nodes, edges, features and classes.

    Args:
        name: ``cora``, ``citeseer``, ``pubmed``, ``wikics``, ``computers``, ``photo``, ``cs``,
            ``physics``, ``corafull``, ``dblp`` or ``demo`` (generated), in any case;
            ``Amazon-Computers`` and the like are understood.
        root: where the raw files lie, in the layout of PyTorch Geometric's dataset classes:
            their root, a folder of such roots, the dataset's own folder or its ``raw``.
            Without it they are looked for in ``$GIGAMAE_DATA`` (or the user's cache folder)
            and fetched there.
        download: whether they may be fetched.
        normalize: divide each row of features by its sum (``NormalizeFeatures`` in PyTorch
            Geometric). None does as the authors' release does: yes for all but WikiCS.

    Raises:
        DatasetError: unknown name, files missing or not what is published, no network.

    Example:
        >>> load_dataset("demo").num_nodes
        3000
    """
    key = canonical_name(name)
    if key is None:
        near = difflib.get_close_matches(name.lower(), dataset_names(), n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise DatasetError(
            f"There is no dataset {name!r}. {hint}Known: {', '.join(dataset_names())}. "
            "A graph of your own is read with read_graph (on the command line: give its path)."
        )
    if key == "demo":
        from gigamae.graph.demo import demo_graph

        return demo_graph()
    info = DATASETS[key]
    folder = _raw_folder(key, info, root, may_download=download)
    _tell_unknown_files(info, folder)
    try:
        graph = _read(info, folder)
    except InputError as error:
        raise DatasetError(str(error)) from error
    _check_statistics(info, graph, folder)
    if info.normalize if normalize is None else normalize:
        graph = replace(graph, x=normalized_rows(graph.x))
    return replace(graph, name=key)


def _raw_folder(
    key: str, info: DatasetInfo, root: str | Path | None, *, may_download: bool
) -> Path:
    if root is not None:
        root = Path(root).expanduser()
        if not root.is_dir():
            raise DatasetError(f"{root}: there is no such folder to read {info.title} from.")
        if (found := find_raw(info, root)) is None:
            raise DatasetError(
                f"{info.title} is not in {root} (looked for {', '.join(info.files)} there and "
                f"in {info.pyg[2]} at most two folders down). Put its raw files there, or leave "
                "out --data-root (root= in Python) to have them fetched."
            )
        return found
    cache = cache_folder()
    own = cache / key / "raw"
    for place in (own, cache):
        if place.is_dir() and (found := find_raw(info, place)) is not None:
            return found
    if not may_download:
        raise DatasetError(
            f"{info.title} is not in {cache} and may not be fetched (download=False). Give the "
            "folder of its raw files as root=, or allow the download."
        )
    return _download(info, own)


_download = download  # load_dataset has a parameter of that name


def find_raw(info: DatasetInfo, root: Path) -> Path | None:
    """The folder at or below ``root`` that holds all raw files of a dataset, None without one."""
    for pattern in ("", "raw", "*/raw", "*/*/raw"):
        for place in sorted(root.glob(pattern)) if pattern else [root]:
            # data.json is a common name: below the root it counts in a folder of WikiCS alone
            if "*" in pattern and info.kind == "wikics":
                below = str(place.relative_to(root)).lower()
                if "wiki" not in below:
                    continue
            if all((place / name).is_file() for name in info.files):
                return place
    return None


def _read(info: DatasetInfo, folder: Path) -> Graph:
    first = next(iter(info.files))
    if info.kind == "planetoid":
        return read_planetoid(folder, first.split(".")[1])
    if info.kind == "wikics":
        return read_wikics(folder / first)
    return read_gnn_benchmark(folder / first)


def _tell_unknown_files(info: DatasetInfo, folder: Path) -> None:
    for name, hashes in info.files.items():
        if is_known(folder / name, hashes) is False:
            log.info("%s: %s is not a copy known by its hash", info.title, folder / name)


def _check_statistics(info: DatasetInfo, graph: Graph, folder: Path) -> None:
    found = {
        "nodes": (graph.num_nodes, info.nodes),
        "edges": (graph.num_edges, info.edges),
        "features": (graph.num_features, info.features),
        "classes": (graph.num_classes, info.classes),
    }
    wrong = [f"{a:,} {k} where {b:,} are published" for k, (a, b) in found.items() if a != b]
    if wrong:
        raise DatasetError(
            f"The files in {folder} are not {info.title}: {'; '.join(wrong)}. Fetch them again."
        )
