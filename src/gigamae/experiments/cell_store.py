"""The cells on disk: one small JSON file each, which appears whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gigamae.experiments.cells import Cell

FORMAT = 1
FAILED = ".failed"


class CellStore:
    """A folder of judged cells.

    Args:
        folder: ``results/cells``; made when something is first written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def get(self, cell: Cell) -> dict[str, Any] | None:
        """What was found for a cell; None where it was not run, or with other settings.

        A default that the library changed since makes the settings others: the cell is then run anew.
        """
        told = self._read(self.folder / cell.path)
        if told is None or told.get("format") != FORMAT:
            return None
        if _disagree(told["settings"], cell.settings):
            return None
        if any(_disagree(told["targets"].get(n, {}), t) for n, t in cell.targets.items()):
            return None
        return told

    def knows(self, dataset: str, method: str) -> bool:
        """Whether anything was ever tried of a method on a dataset."""
        return (self.folder / dataset / method).is_dir()

    def failure(self, cell: Cell) -> str | None:
        """What went wrong when the cell was last tried; None where nothing did."""
        told = self._read(self._failed(cell))
        return None if told is None else str(told["error"])

    def put(self, cell: Cell, record: dict[str, Any]) -> Path:
        """Write what was found, and forget a failure before it."""
        path = _write(self.folder / cell.path, {"format": FORMAT, **record})
        self._failed(cell).unlink(missing_ok=True)
        return path

    def put_failure(self, cell: Cell, error: str) -> Path:
        """Note that a cell could not be run; it will be tried again."""
        return _write(self._failed(cell), {"format": FORMAT, "cell": str(cell), "error": error})

    def records(self) -> Iterator[dict[str, Any]]:
        """Every cell there is, whatever its settings."""
        for path in sorted(self.folder.glob("*/*/*.json")):
            if not path.stem.endswith(FAILED) and (told := self._read(path)) is not None:
                yield told

    def _failed(self, cell: Cell) -> Path:
        return self.folder / cell.path.with_suffix(f"{FAILED}.json")

    def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # not there, or not ours: it is run again
            return None
        return told if isinstance(told, dict) else None


def _disagree(told: dict[str, Any], wanted: Any) -> bool:
    """Whether a setting that both know has two values."""
    both = set(told) & set(wanted)
    return json.dumps({k: told[k] for k in sorted(both)}, default=str) != json.dumps(
        {k: wanted[k] for k in sorted(both)}, default=str
    )


def _lines(record: dict[str, Any]) -> str:
    """JSON with a line for each thing that is said: short, and a change is seen at once."""
    told = (f"{json.dumps(name)}: {json.dumps(value, default=str)}" for name, value in record.items())
    return "{\n" + ",\n".join(told) + "\n}\n"


def _write(path: Path, record: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_lines(record))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path
