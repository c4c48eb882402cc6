"""Places: whether files can be written there, found out before the work and not after it."""

from __future__ import annotations

import tempfile
from pathlib import Path


def try_writing(path: Path) -> None:
    """Find out whether a file could be written, and leave everything as it was.

    It is tried: permissions alone do not tell of file systems that are read-only or full.

    Args:
        path: a file, there or not, below folders that are there or not.

    Raises:
        OSError: it could not be; says why.
    """
    if path.exists():
        with path.open("ab"):
            return
    try_writing_into(path.parent)


def try_writing_into(folder: Path) -> None:
    """The same of files in a folder, which need not be there yet.

    Raises:
        OSError: they could not be; says why.
    """
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:  # which names the file that we tried with
        raise OSError(error.errno, error.strerror, str(folder)) from error
