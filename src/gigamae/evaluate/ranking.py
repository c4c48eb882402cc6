"""Average ranks: which method is best over many columns at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gigamae.errors import InputError


def average_ranks(
    table: Mapping[str, Mapping[str, float]], higher_is_better: bool = True
) -> dict[str, float]:
    """The mean over columns of each method's rank, 1 for the best; equal values share a rank.

    A column is one dataset, or one dataset and measure (NMI on Cora and ARI on Cora are two).
    Methods with the same value get the mean of the ranks they take up together.

    Args:
        table: method -> column -> value; every method must have every column.

    Raises:
        InputError: a column that one method lacks, or a value that is not a number.

    Example:
        >>> average_ranks({"a": {"x": 3, "y": 1}, "b": {"x": 2, "y": 1}, "c": {"x": 1, "y": 0}})
        {'a': 1.25, 'b': 1.75, 'c': 3.0}
    """
    columns = sorted({column for row in table.values() for column in row})
    if not columns:
        raise InputError("Average ranks need at least one method and one column.")
    for method, row in table.items():
        missing = [c for c in columns if c not in row or not np.isfinite(row[c])]
        if missing:
            raise InputError(
                f"Average ranks: {method!r} has no number for {missing[0]!r}; rank only over the "
                "columns that every method has."
            )
    values = np.array([[row[column] for column in columns] for row in table.values()], float)
    better = values[:, None] < values[None, :] if higher_is_better else values[:, None] > values
    equal = values[:, None] == values[None, :]
    # Rank 1, plus one for each that is better, plus half for each other that is equal.
    ranks = 1 + better.sum(axis=1) + (equal.sum(axis=1) - 1) / 2  # (methods, columns)
    return dict(zip(table, ranks.mean(axis=1).tolist(), strict=True))
