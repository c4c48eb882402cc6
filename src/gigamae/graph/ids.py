"""Ids: whole numbers or text, with gaps or without, matched between files and given back unchanged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.parts import Ids

_EXACT = 2**53  # up to here real numbers hold every whole one
_LARGEST = np.iinfo(np.int64).max


def encode(*columns: Ids) -> tuple[Ids, list[np.ndarray]]:
    """The different ids of some columns, sorted, and each column as positions in them."""
    values = np.concatenate([c.values for c in columns])
    kind = columns[0].kind
    if kind == "int":
        unique, codes = np.unique(values, return_inverse=True)
    else:
        unique, codes = _unique_text(values)
    ends = np.cumsum([len(c) for c in columns])[:-1]
    return Ids(unique, kind), np.split(codes.astype(np.int64), ends)


def _unique_text(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As ``np.unique`` with inverse, by hashing: NumPy would sort every Python string."""
    import pyarrow as pa

    if not len(values):
        return values, np.empty(0, np.int64)
    encoded = pa.array(values, pa.large_string()).dictionary_encode()
    unique = encoded.dictionary.to_numpy(zero_copy_only=False)
    order = np.argsort(unique, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return unique[order], rank[encoded.indices.to_numpy()]


def as_numbers(values: np.ndarray) -> np.ndarray | None:
    """Text ids as int64 if every one is written as a plain whole number, else None.

    Example:
        >>> as_numbers(np.array(["12", "-3"], dtype=object))
        array([12, -3])
        >>> as_numbers(np.array(["12", "007"], dtype=object)) is None
        True
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.array(values, pa.large_string())
    try:
        numbers = pc.cast(text, pa.int64())
    except pa.ArrowInvalid:
        return None
    if not pc.all(pc.equal(pc.cast(numbers, pa.large_string()), text)).as_py():
        return None if len(values) else np.empty(0, np.int64)
    return numbers.to_numpy(zero_copy_only=False).astype(np.int64)


def settle(edge_ids: Ids, *others: Ids) -> list[Ids]:
    """The same ids, all as numbers or all as text, so that they can be compared.

    The edges decide: typed numbers stay numbers where the others can be read as such, typed
    text stays text, and text of a text file becomes numbers if all of it is plain numbers and
    no other source says that its ids are text.
    """
    told = [edge_ids, *others]
    text_is_told = any(ids.kind == "str" for ids in told)
    if edge_ids.kind == "int" or not text_is_told:
        numbers = [ids.values if ids.kind == "int" else as_numbers(ids.values) for ids in told]
        settled = [Ids(n, "int") for n in numbers if n is not None]
        if len(settled) == len(told):
            return settled
    return [Ids(_as_text(ids), "str") for ids in told]


def _as_text(ids: Ids) -> np.ndarray:
    return ids.values.astype(str).astype(object) if ids.kind == "int" else ids.values


def positions(wanted: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Where each wanted id stands in ``among`` (different ids of the same kind), -1 if nowhere."""
    if not len(among) or not len(wanted):
        return np.full(len(wanted), -1, dtype=np.int64)
    if among.dtype == object:
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(
            pa.array(wanted, pa.large_string()), value_set=pa.array(among, pa.large_string())
        )
        return pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    order = np.argsort(among, kind="stable")
    place = np.minimum(np.searchsorted(among, wanted, sorter=order), len(among) - 1)
    hit = order[place]
    return np.where(among[hit] == wanted, hit, -1)


def from_objects(values: Iterable[Any], where: str, notes: list[str]) -> Ids:
    """Ids from Python objects: all whole numbers stay numbers, anything else becomes its text.

    Raises:
        InputError: two different objects have the same text, or an id is missing.
    """
    values = list(values)
    for i, value in enumerate(values):
        if value is None or (isinstance(value, float) and value != value):
            raise InputError(
                f"{where}: {value} stands where an id is needed (the {i + 1:,}. of its ids); fill it in, "
                "or drop the edge."
            )
    whole = all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in values)
    if whole and all(-_LARGEST <= v <= _LARGEST for v in values):
        return Ids(np.array(values, dtype=np.int64), "int")
    if all(isinstance(v, str) for v in values):
        return Ids(np.array(values, dtype=object), "str")
    text = [str(v) for v in values]
    if len(set(text)) < len(set(values)):
        raise InputError(
            f"{where}: its ids are of several types and some have the same text (1 and '1'); "
            "make them all numbers or all text."
        )
    notes.append("Ids that are neither all whole numbers (of 64 bits) nor all text were turned into text.")
    return Ids(np.array(text, dtype=object), "str")


def from_numbers(values: np.ndarray) -> Ids | None:
    """Ids from an array of numbers; None if some are no whole numbers, or may have been rounded.

    Whole numbers that need the 64th bit become their text, digit by digit what they were.

    Example:
        >>> from_numbers(np.array([1.0, 3.0])).values, from_numbers(np.array([0.5])) is None
        (array([1, 3]), True)
    """
    if values.dtype.kind == "f":
        exact = np.abs(values) <= _EXACT  # False for NaN too
        if not (exact & (values == np.round(values))).all():
            return None
    elif values.dtype.kind == "u" and values.size and values.max() > _LARGEST:
        return Ids(values.astype(str).astype(object), "str")
    return Ids(values.astype(np.int64), "int")


def some(ids: np.ndarray, limit: int = 5) -> str:
    """The first few ids for a message, and how many there are.

    Example:
        >>> some(np.arange(100), 3)
        '0, 1, 2, ... (100 in all)'
    """
    listed = ", ".join(str(i) for i in ids[:limit])
    return listed if len(ids) <= limit else f"{listed}, ... ({len(ids):,} in all)"
