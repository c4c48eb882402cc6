"""Where ours stands: against slow counts."""

from __future__ import annotations

import pytest

from gigamae.experiments.experiment import Row
from gigamae.experiments.numbers import Number
from gigamae.experiments.paper import METHODS, printed
from gigamae.experiments.standing import rank_in_paper, rank_text, ranks_in_ours


def number(row: str, ours: float, metric: str = "accuracy", table: str = "table-1") -> Number:
    return Number(table, Row(row, row), "cora", metric, None, values=(ours,))


@pytest.mark.parametrize("ours", [10.0, 82.35, 84.405, 84.41, 84.42, 99.0])
def test_the_papers_own_number_gives_way(ours: float) -> None:
    theirs = [printed()["table-1", m, "cora", "accuracy"].mean for m in METHODS if m != "gigamae"]
    better = [v for v in theirs if v > round(ours, 2)]
    assert rank_in_paper(number("gigamae", ours)) == (len(better) + 1, 9)


def test_a_method_that_the_paper_lacks_is_one_more() -> None:
    assert rank_in_paper(number("sgc", 99.0)) == (1, 10)


def test_no_rank_of_what_has_none() -> None:
    assert rank_in_paper(number("gigamae", 3.0, "total_s", "table-6")) is None
    assert rank_in_paper(number("gigamae", 3.0, table="figure-4")) is None
    assert rank_in_paper(Number("table-1", Row("gigamae", ""), "cora", "accuracy", None)) is None
    assert rank_text(None) == ""


def test_ranks_among_ours_share_what_reads_the_same() -> None:
    numbers = [number("a", 84.401), number("b", 84.399), number("c", 85.0), number("d", 10.0, "nmi")]
    found = {key[0]: rank_text(rank) for key, rank in ranks_in_ours(numbers).items()}
    assert found == {"a": "2 of 3", "b": "2 of 3", "c": "1 of 3"}
