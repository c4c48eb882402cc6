"""How this room compiles its kernels and runs them on several cores.

Kernels release the interpreter's lock and run in plain threads: no threading layer of numba's,
which may not be entered from two threads at once and does not survive a fork.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable)


def kernel(function: Function) -> Function:
    """Compile at the first call and keep the machine code on disk, where a folder can be written.

    The arithmetic is numpy's: division by zero is not an exception. (A check for it would also
    stop the compiler from vectorising every loop with a division in it.)
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": True, "error_model": "numpy"}
    try:
        compiled: Function = njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        compiled = njit(**options)(function)
    return compiled


def usable_cores() -> int:
    """How many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def single_threaded_blas() -> AbstractContextManager[object]:
    """While it holds, a matrix product runs in the thread that asks for it.

    For kernels that make many small products in every thread of a :class:`Team`.
    """
    from threadpoolctl import ThreadpoolController

    limit: AbstractContextManager[object] = ThreadpoolController().limit(limits=1, user_api="blas")
    return limit


class Team:
    """Threads that share out ``work(member, members)``; one member needs no thread at all.

    Example:
        >>> with Team(2) as team:
        ...     team.run(lambda member, members: None)
    """

    def __init__(self, members: int | None = None) -> None:
        self.members = usable_cores() if members is None else max(1, members)
        self._pool = ThreadPoolExecutor(self.members - 1) if self.members > 1 else None

    def run(self, work: Callable[[int, int], None]) -> None:
        """Call ``work`` once for each member, the first in this thread; return when all are done."""
        if self._pool is None:
            work(0, 1)
            return
        others = [self._pool.submit(work, i, self.members) for i in range(1, self.members)]
        try:
            work(0, self.members)
        finally:
            errors = [other.exception() for other in others]  # waits for each
        for error in errors:
            if error is not None:
                raise error

    def __enter__(self) -> Team:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def share(total: int, member: int, members: int) -> tuple[int, int]:
    """The run of ``range(total)`` that falls to one member: ``(first, one past the last)``.

    Example:
        >>> [share(10, i, 3) for i in range(3)]
        [(0, 3), (3, 6), (6, 10)]
    """
    return total * member // members, total * (member + 1) // members
