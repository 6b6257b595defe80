import threading

import pytest

from envfactory_resources.clients.language_model.bounded_map import map_bounded


def test_results_keep_the_order_of_the_items():
    first_may_end = threading.Event()

    def double(item):
        if item == 1:
            assert first_may_end.wait(10)
        else:
            first_may_end.set()
        return item * 2

    assert map_bounded(double, [1, 2, 3], max_concurrency=2) == [2, 4, 6]


def test_as_many_calls_as_allowed_are_under_way_and_no_more():
    three_at_once = threading.Barrier(3, timeout=10)
    lock, running, peak = threading.Lock(), 0, 0

    def meet(_item):
        nonlocal running, peak
        with lock:
            running += 1
            peak = max(peak, running)
        three_at_once.wait()
        with lock:
            running -= 1

    map_bounded(meet, range(9), max_concurrency=3)

    assert peak == 3


def test_a_failure_is_raised_and_calls_that_wait_never_start():
    started = []
    never = threading.Event()

    def fail_first(item):
        started.append(item)
        if item == 0:
            raise LookupError("item 0")
        never.wait(0.005)

    with pytest.raises(LookupError, match="item 0"):
        map_bounded(fail_first, range(2_000), max_concurrency=1)

    assert len(started) < 2_000
