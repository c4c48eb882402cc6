import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from gigamae.errors import InputError
from gigamae.evaluate import average_ranks

TABLES = Path(__file__).resolve().parents[3] / "shared" / "paper" / "tables"


def rows(name):
    if not TABLES.is_dir():
        pytest.skip(f"the paper's tables are not here (looked in {TABLES})")
    with (TABLES / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("task", "key", "measures"),
    [
        ("node_classification", ("dataset",), ("accuracy_mean",)),
        ("node_clustering", ("dataset",), ("nmi", "ari")),  # each measure is a column of its own
        ("link_prediction", ("dataset", "metric"), ("mean",)),
    ],
)
def test_the_papers_own_average_ranks(task, key, measures):
    table = {}
    for row in rows(f"{task}.csv"):
        for measure in measures:
            column = "/".join([*(row[k] for k in key), measure])
            table.setdefault(row["method"], {})[column] = float(row[measure])
    expected = {r["method"]: float(r["average_rank"]) for r in rows("average_rank.csv") if r["task"] == task}
    assert len(expected) == 9
    assert {m: round(rank, 2) for m, rank in average_ranks(table).items()} == expected


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6))
def test_scipy_ranks_the_same_ties_and_all(values):
    table = {f"m{i}": dict(enumerate(row)) for i, row in enumerate(values)}
    expected = rankdata(-np.array(values), axis=0).mean(axis=1)
    assert list(average_ranks(table).values()) == pytest.approx(list(expected))
    lower = rankdata(values, axis=0).mean(axis=1)
    assert list(average_ranks(table, higher_is_better=False).values()) == pytest.approx(list(lower))


def test_a_hole_in_the_table_is_told():
    with pytest.raises(InputError, match="'b' has no number for 'y'"):
        average_ranks({"a": {"x": 1, "y": 2}, "b": {"x": 1}})
    with pytest.raises(InputError, match="'a' has no number for 'x'"):
        average_ranks({"a": {"x": np.nan}})
    with pytest.raises(InputError, match="at least one"):
        average_ranks({})
