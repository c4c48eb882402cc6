"""Independent repeats on all cores: one thread each, one BLAS thread inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def run_each(work: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
    """``[work(item) for item in items]``, on as many threads as BLAS would have used.

    Many small products spread over the threads of one BLAS call wait for each other most of the
    time; whole repeats side by side do not, and the answers do not depend on the number of cores.
    Torch's own threads are left as they are.
    """
    from threadpoolctl import ThreadpoolController

    blas = ThreadpoolController().select(user_api="blas")
    cores = max((library.num_threads for library in blas.lib_controllers), default=1)
    with blas.limit(limits=1):
        if min(cores, len(items)) <= 1:
            return [work(item) for item in items]
        with ThreadPoolExecutor(max_workers=min(cores, len(items))) as pool:
            return list(pool.map(work, items))
