"""Table: the columns of a text file, a Parquet file or a data frame behind one face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.ids import from_numbers
from gigamae.graph.parts import Ids, Locate, by_row
from gigamae.graph.text import is_number

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class Table:
    """Columns of one length, with or without names.

    Attributes:
        where: the file or object, for messages.
        names: the columns' names; "column 1", ... where the file has no header.
        header: whether the names are the file's own.
        is_text: cells come from a text file, so that numbers and text look the same.
        index: a pandas index that is more than row numbers, as a table of one column.
        index_column: where that index stands among the columns too, if it does.
    """

    where: str
    columns: list[pa.ChunkedArray]
    names: tuple[str, ...]
    header: bool
    is_text: bool = False
    locate: Locate = by_row
    index: Table | None = None
    index_column: int | None = None

    @property
    def num_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def find(self, column: str | int, what: str) -> int:
        """The place of a column that the caller named, by its name or number from 0."""
        if isinstance(column, str) and column in self.names and self.header:
            return self.names.index(column)
        if isinstance(column, str) and column.isdecimal():
            column = int(column)  # as the command line gives a number
        if isinstance(column, int) and -len(self.names) <= column < len(self.names):
            return column % len(self.names)
        shown = ", ".join(self.names[:12]) + (", ..." if len(self.names) > 12 else "")
        told = f"it has: {shown}" if self.header else f"it has no header and {shown}"
        raise InputError(
            f"{self.where} has no column {column!r} ({what}); {told}. "
            "Give one of its names, or a number from 0."
        )

    def named(self, wanted: Sequence[str]) -> int | None:
        """The place of the first column called like one of ``wanted``, in any case."""
        if self.header:
            plain = [name.strip().lower() for name in self.names]
            for name in wanted:
                if name in plain:
                    return plain.index(name)
        return None

    def ids(self, column: int) -> Ids:
        """A column as ids; every cell must hold one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = _plain(self.columns[column])
        self._refuse_null(values, column, "an id")
        if is_string(values.type):
            if self.is_text:
                values = pc.utf8_trim_whitespace(values)
                empty = pc.equal(values, "")
                if pc.any(empty).as_py():
                    row = pc.index(empty, True).as_py()
                    raise InputError(
                        f"{self.where}, {self.locate(row)}, column {self.names[column]!r}: "
                        "the id is missing; fill it in or drop the line."
                    )
            ids = values.to_numpy().astype(object)
            return Ids(ids, "text" if self.is_text else "str")
        # pandas makes whole numbers real where some miss
        if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
            found = from_numbers(values.to_numpy())
            if found is not None:
                return found
        raise InputError(
            f"{self.where}, column {self.names[column]!r}: ids must be whole numbers or text; "
            f"these are {values.type}."
        )

    def numbers(self, column: int, what: str, *, dtype: Any = np.float32) -> np.ndarray:
        """A column as finite real numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values, name = _plain(self.columns[column]), self.names[column]
        if is_string(values.type) and self.is_text:
            values = self._parsed(values, column, what)
        kinds = pa.types
        if kinds.is_decimal(values.type):
            values = pc.cast(values, pa.float64())
        if not (
            kinds.is_integer(values.type)
            or kinds.is_floating(values.type)
            or kinds.is_boolean(values.type)
        ):
            raise InputError(
                f"{self.where}, column {name!r}: {what} must be numbers; these are "
                f"{values.type}. {_advice(what)}"
            )
        self._refuse_null(values, column, "a number")
        array = pc.cast(values, pa.float64()).to_numpy()
        with np.errstate(over="ignore"):
            array = array.astype(dtype)
        if not np.isfinite(array).all():
            row = int(np.argmax(~np.isfinite(array)))
            raise InputError(
                f"{self.where}, {self.locate(row)}, column {name!r}: {values[row]}; {what} must "
                f"be finite {np.dtype(dtype).name} numbers. Fill or drop such values first."
            )
        return array

    def values(self, column: int) -> np.ndarray:
        """A column as it is: numbers, or objects with None where nothing is."""
        import pyarrow.compute as pc

        values = _plain(self.columns[column])
        if is_string(values.type) and self.is_text:
            values = pc.utf8_trim_whitespace(values)
        return np.asarray(values.to_numpy())

    def _parsed(self, values: Any, column: int, what: str) -> Any:
        """Text cells as numbers; a cell that is none is told with its line."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = pc.utf8_trim_whitespace(values)
        cells = pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)
        try:
            return pc.cast(cells, pa.float64())
        except pa.ArrowInvalid:
            pass
        odd = ((i, c) for i, c in enumerate(cells.to_pylist()) if c is not None)
        row, cell = next(((i, c) for i, c in odd if not is_number(c)), (0, "?"))
        raise InputError(
            f"{self.where}, {self.locate(row)}, column {self.names[column]!r}: {cell!r} is not a "
            f"number; {what} must be numbers. {_advice(what)}"
        )

    def _refuse_null(self, values: Any, column: int, what: str) -> None:
        import pyarrow.compute as pc

        if values.null_count:
            row = pc.index(pc.is_null(values), True).as_py()
            raise InputError(
                f"{self.where}, {self.locate(row)}, column {self.names[column]!r}: empty or NaN "
                f"where {what} is needed. Fill or drop such values first."
            )


def _advice(what: str) -> str:
    if what == "weights":
        return "Write them like 0.5, with a point, or leave the column out."
    return "Encode text as 0/1 columns (one-hot), or drop the column."


def is_string(kind: Any) -> bool:
    """Whether a column's type is text."""
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _plain(values: Any) -> Any:
    """A column in one piece, out of dictionaries and views."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        values = pc.cast(values, kind.value_type)
    if pa.types.is_string_view(values.type):
        values = pc.cast(values, pa.large_string())
    return values
