"""The graph that a command line names: a dataset, a file, a folder, or the demo."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gigamae.errors import InputError

if TYPE_CHECKING:
    from gigamae.graph.graph import Graph


@dataclass
class Opened:
    """A graph, and its name if it is a known one."""

    graph: Graph
    dataset: str | None


def open_source(source: str, data_root: Path | None = None, **reading: Any) -> Opened:
    """Read what ``source`` names.

    A file or folder that exists is read as such, unless ``data_root`` says that a dataset is meant.

    Args:
        source: a dataset's name or a path.
        data_root: where a dataset's raw files lie.
        reading: options of :func:`gigamae.read_graph`; those that are None are left to it.

    Raises:
        InputError: no such file, or options that do not go with a dataset.
        DatasetError: no such dataset.
    """
    from gigamae.graph.catalogue import canonical_name
    from gigamae.graph.datasets import load_dataset

    if not source:
        raise InputError("SOURCE is empty; give a dataset's name, a file or a folder.")
    asked = {name: value for name, value in reading.items() if value is not None}
    path = Path(source).expanduser()
    looks_like_a_path = path.exists() or bool(path.suffix) or len(path.parts) > 1
    if canonical_name(source) is None and looks_like_a_path:
        known = False
    else:
        known = data_root is not None or not path.exists()
    if not known:
        if data_root is not None:
            raise InputError(f"--data-root is for datasets, and {source} is not one; leave it out.")
        from gigamae.graph.readers import read_graph

        return Opened(read_graph(path, **asked), None)
    graph = load_dataset(source, root=data_root)
    if asked:
        option = "--" + next(iter(asked)).replace("_", "-")
        raise InputError(f"{option} is for files; the dataset {graph.name} has its own.")
    return Opened(graph, canonical_name(source))
