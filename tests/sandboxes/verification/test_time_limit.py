import signal
import threading

import pytest

from sandboxes.verification.time_limit import (
    TimeLimitExceededError,
    can_interrupt,
    time_limit,
)


def test_a_loop_without_end_is_stopped_and_cannot_swallow_that() -> None:
    def loop() -> None:
        while True:
            try:
                pass
            except Exception:
                continue

    with pytest.raises(TimeLimitExceededError, match=r"longer than 0\.05 s"), time_limit(0.05):
        loop()


def test_the_timer_and_its_handler_are_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(60):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is before


def test_off_the_main_thread_there_is_no_limit_and_it_says_so() -> None:
    answers: list[bool] = []

    def work() -> None:
        with time_limit(60):
            answers.append(can_interrupt())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [False]
