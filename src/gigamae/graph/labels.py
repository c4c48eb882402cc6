"""Labels: any values in, class numbers and class names out."""

from __future__ import annotations

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.ids import as_numbers
from gigamae.graph.text import is_number


def encode_labels(values: np.ndarray, where: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Class numbers (-1 where unknown) and the classes' names, in sorted order.

    Unknown are None, NaN, the empty text, and -1 among whole numbers. Rows of a one-hot matrix
    are understood.

    Example:
        >>> encode_labels(np.array(["b", "a", "", "b"], dtype=object), "labels")
        (array([ 1,  0, -1,  1]), ('a', 'b'))
    """
    values = np.asarray(values)
    if values.ndim == 2:
        values = _one_column(values, where)
    if values.ndim != 1:
        raise InputError(f"{where}: labels must be one value a node; got shape {values.shape}.")
    if values.dtype.kind in "OUS":
        known = np.array([not _missing(v) for v in values], dtype=bool)
        if all(map(is_number, map(str, values[known]))):  # then nan is none too, as a text file has it
            known &= np.array([str(v).lower() != "nan" for v in values])
        text = np.array([str(v) for v in values[known]], dtype=object)
        numbers = as_numbers(text)
        if numbers is not None and len(numbers):
            values = np.full(len(values), -1, dtype=np.int64)
            values[known] = numbers
        elif all(isinstance(v, (float, np.floating)) for v in values[known]):
            values = np.array([np.nan if _missing(v) else float(v) for v in values])
        else:
            return _numbered(values, known, text)
    if values.dtype.kind == "f":
        known = ~np.isnan(values)
        if (values[known] != np.round(values[known])).any():
            odd = values[known][values[known] != np.round(values[known])][0]
            raise InputError(
                f"{where}: the label {odd} is not a class; labels are whole numbers or text."
            )
        values = np.where(known, values, -1).astype(np.int64)
    if values.dtype.kind not in "iub":
        raise InputError(f"{where}: labels must be whole numbers or text; got {values.dtype}.")
    if values.dtype.kind == "b":
        return _numbered(values, np.ones(len(values), bool), values)
    return _numbered(values, values != -1, values[values != -1])


def check_class_count(num_classes: int, num_nodes: int, where: str) -> None:
    """Refuse what are most likely ids."""
    if num_classes > num_nodes:
        raise InputError(
            f"{where}: more classes than nodes ({num_classes:,} different labels, {num_nodes:,} "
            "nodes). Is this the column of ids? Name the right one with label_column."
        )


def _numbered(
    values: np.ndarray, known: np.ndarray, told: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    classes, codes = np.unique(told, return_inverse=True)
    y = np.full(len(values), -1, dtype=np.int64)
    y[known] = codes
    return y, tuple(str(c) for c in classes)


def _missing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and np.isnan(value))


def _one_column(values: np.ndarray, where: str) -> np.ndarray:
    if values.shape[1] == 1:
        return values[:, 0]
    if values.dtype.kind in "iufb" and np.isin(values, (0, 1)).all():
        ones = values.sum(axis=1)
        if (ones <= 1).all():
            return np.where(ones == 1, values.argmax(axis=1), -1)
    raise InputError(
        f"{where}: labels of shape {values.shape}: nodes with several labels are not "
        "supported; give one label a node."
    )
