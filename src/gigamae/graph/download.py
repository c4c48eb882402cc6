"""Fetching raw dataset files, by PyTorch Geometric's own classes, into a cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gigamae.errors import DatasetError
from gigamae.graph.catalogue import DatasetInfo

log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """``$GIGAMAE_DATA``, or ``gigamae/data`` in the user's cache folder."""
    if told := os.environ.get("GIGAMAE_DATA"):
        return Path(told).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    return Path(base).expanduser() / "gigamae" / "data"


def download(info: DatasetInfo, folder: Path) -> Path:
    """Fetch the raw files into ``folder`` (nothing appears there unless all of them are right).

    Raises:
        DatasetError: no network, or files that are not those known by their hash.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as scratch:
        log.info("Fetching %s into %s", info.title, folder)
        try:
            _raw_files_only(info, scratch)
        except Exception as error:  # whatever a URL library raises without a network
            raise DatasetError(
                f"{info.title} could not be fetched ({type(error).__name__}: {error}). "
                "Check the network, or put its raw files in a folder and give that folder as "
                "--data-root (root= in Python)."
            ) from error
        raw = Path(scratch) / info.pyg[2]
        for name in info.files:
            if not (raw / name).is_file():
                raise DatasetError(f"{info.title}: the file {name} was not fetched; try again.")
            if is_known(raw / name, info.files[name]) is False:
                raise DatasetError(
                    f"{info.title}: the fetched {name} is not the known file (its hash differs). "
                    "Try again; to use the file as it is, save it yourself and give its folder "
                    "as --data-root (root= in Python)."
                )
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(raw, folder)
    return folder


def _raw_files_only(info: DatasetInfo, root: str) -> None:
    """Run the download of the dataset's class and stop before it makes dense tensors of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch_geometric.datasets

    base: Any = getattr(torch_geometric.datasets, info.pyg[0])

    class _Fetched(Exception):
        pass

    class RawOnly(base):
        def process(self) -> None:
            raise _Fetched

    with contextlib.suppress(_Fetched):
        RawOnly(root, **info.pyg[1])


def is_known(path: Path, hashes: Iterable[str]) -> bool | None:
    """Whether the file is one of those known by ``hashes``; None where none is known."""
    hashes = tuple(hashes)
    if not hashes:
        return None
    content = path.read_bytes()
    blob = b"blob %d\0" % len(content) + content  # what git hashes
    found = {
        hashlib.sha256(content).hexdigest(),
        "git:" + hashlib.sha1(blob, usedforsecurity=False).hexdigest(),
    }
    return bool(found & set(hashes))
