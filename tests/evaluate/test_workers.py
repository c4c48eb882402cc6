import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from gigamae.evaluate.workers import run_each


def blas_threads():
    return {lib["filepath"]: lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


def test_answers_come_in_order_and_blas_is_put_back():
    before = blas_threads()
    inside = []

    def work(item):
        inside.append(set(blas_threads().values()))
        return item * 2

    assert run_each(work, range(20)) == list(range(0, 40, 2))
    assert all(threads == {1} for threads in inside)
    assert blas_threads() == before


def test_one_allowed_thread_means_one_thread():
    with threadpool_limits(1, user_api="blas"):
        assert run_each(lambda _: threading.get_ident(), range(4)) == [threading.get_ident()] * 4


def test_a_failure_is_the_callers_to_see():
    with pytest.raises(ZeroDivisionError):
        run_each(lambda item: 1 // item, np.arange(2).tolist())
    assert run_each(str, []) == []
