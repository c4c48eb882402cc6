"""Threads that share out work: all of it, once, and an error in one is an error of all."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigamae.targets.compiled import Team, kernel, share, usable_cores


@given(total=st.integers(0, 10**9), members=st.integers(1, 64))
def test_property_shares_are_even_and_cover_all(total: int, members: int) -> None:
    parts = [share(total, i, members) for i in range(members)]
    assert parts[0][0] == 0
    assert parts[-1][1] == total
    assert all(a[1] == b[0] for a, b in itertools.pairwise(parts))
    sizes = [high - low for low, high in parts]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("members", [1, 2, 5])
def test_every_member_works_once(members: int) -> None:
    seen: list[tuple[int, int]] = []
    with Team(members) as team:
        team.run(lambda member, of: seen.append((member, of)))
        assert sorted(seen) == [(i, members) for i in range(members)]
        team.run(lambda member, of: seen.append((member, of)))
    assert len(seen) == 2 * members


def test_the_first_member_is_this_thread_and_the_others_are_not() -> None:
    names: dict[int, str] = {}
    with Team(2) as team:
        team.run(lambda member, of: names.update({member: threading.current_thread().name}))
    assert names[0] == threading.current_thread().name
    assert names[1] != names[0]


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_an_error_is_raised_when_all_are_done(broken: int) -> None:
    done: list[int] = []

    def work(member: int, of: int) -> None:
        if member == broken:
            raise ValueError(f"member {member}")
        time.sleep(0.02)
        done.append(member)

    with Team(3) as team:
        with pytest.raises(ValueError, match=f"member {broken}"):
            team.run(work)
        assert sorted(done) == [i for i in range(3) if i != broken]
        team.run(lambda member, of: done.append(member))  # the team goes on
    assert len(done) == 5


def test_by_default_one_for_each_usable_core() -> None:
    with Team() as team:
        assert team.members == usable_cores() >= 1


def test_a_kernel_computes_as_numpy_does() -> None:
    @kernel
    def ratio(a, b):  # type: ignore[no-untyped-def]
        return a / b

    assert ratio(1.0, 4.0) == 0.25
    assert ratio(1.0, 0.0) == np.inf, "division by zero is no exception"


def test_a_kernel_compiles_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    import gigamae.targets.compiled as room

    def refusing(**options):  # type: ignore[no-untyped-def]
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(room, "njit", refusing)
    assert room.kernel(max)(1, 2) == 2
