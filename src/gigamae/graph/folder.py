"""A folder of files: edges.*, features.*, labels.* found by their names."""

from __future__ import annotations

from pathlib import Path

from gigamae.errors import InputError

READABLE = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".npz", ".npy", ".gz")
EDGE_STEMS = ("edges", "edge_list", "edgelist", "edge_index", "links", "adjacency", "adj", "graph")
FEATURE_STEMS = ("features", "feature", "nodes", "x", "attributes", "attr")
LABEL_STEMS = ("labels", "label", "y", "classes", "target")


def files_in(folder: Path) -> tuple[Path, Path | None, Path | None]:
    """The files of edges, features and labels in a folder; the last two may be missing.

    A folder with a single graph file (.npz, .graphml) is read as that file.

    Raises:
        InputError: no file of edges, or two that could be it.
    """
    files = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    edges = _one(folder, [p for p in files if p.suffix in (*READABLE, ".graphml")], EDGE_STEMS)
    tables = [p for p in files if p.suffix in READABLE]
    features = _one(folder, tables, FEATURE_STEMS)
    labels = _one(folder, tables, LABEL_STEMS)
    if edges is None:
        alone = [p for p in files if p.suffix in (".npz", ".graphml")]
        if len(alone) == 1:
            return alone[0], None, None
        found = ", ".join(p.name for p in files[:8]) or "nothing"
        hint = ""
        if (folder / "raw").is_dir() or any(p.name.startswith("ind.") for p in files):
            hint = " If these are the raw files of a known dataset, give its name and --data-root."
        raise InputError(
            f"{folder} has no file of edges; it holds {found}. Name it edges.csv (.tsv, .parquet, "
            f".npz, .npy), and features.* and labels.* beside it.{hint}"
        )
    return edges, features, labels


def _one(folder: Path, files: list[Path], stems: tuple[str, ...]) -> Path | None:
    """The file called like the first of ``stems`` that any is called like."""
    for stem in stems:
        found = [p for p in files if p.name.lower().split(".")[0] == stem]
        if len(found) > 1:
            raise InputError(
                f"{folder} has {' and '.join(p.name for p in found)}; keep one, or give the "
                "files one by one."
            )
        if found:
            return found[0]
    return None
