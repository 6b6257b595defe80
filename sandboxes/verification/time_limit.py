"""A limit on how long a piece of pure Python may run."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class TimeLimitExceededError(BaseException):
    """The time is up. No `Exception`, so that the code under test cannot swallow it."""


def can_interrupt() -> bool:
    """Return whether `time_limit` works here: on the main thread of a POSIX process."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def time_limit(seconds: float) -> Generator[None, None, None]:
    """Raise `TimeLimitExceededError` in the block when it runs longer than this.

    It uses the process's interval timer, so it interrupts Python code only, and does nothing
    where `can_interrupt` says no.
    """
    if not can_interrupt():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeLimitExceededError(f"ran longer than {seconds} s")

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
