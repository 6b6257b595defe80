"""Telling how far a long stage is: a log line now and then, with the time that is left."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from envfactory_resources.clients.language_model.bounded_map import map_bounded

LOGGER_NAME = __name__
_EVERY_SECONDS = 15.0
_SHARE_OF_TIME = 0.05

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_log = logging.getLogger(LOGGER_NAME)


@dataclass(slots=True)
class Progress:
    """Counts what is done and logs a line now and then; may be shared by threads.

    What is done soon is told nowhere, and what takes hours is told of less and less often.

    Attributes:
        what: What the line begins with, `candidates[travel]`.
        unit: What is counted, `attempts`.
        total: How many there are.
        every_seconds: The least time between two lines.
        clock: Gives seconds.
    """

    what: str
    unit: str
    total: int
    every_seconds: float = _EVERY_SECONDS
    clock: Callable[[], float] = time.monotonic
    _done: int = 0
    _began: float = field(init=False)
    _told: float = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Start the clock."""
        self._began = self._told = self.clock()

    def advance(self) -> None:
        """Count one more as done."""
        with self._lock:
            self._done += 1
            now = self.clock()
            pause_seconds = max(self.every_seconds, _SHARE_OF_TIME * (now - self._began))
            if now - self._told < pause_seconds or self._done == self.total:
                return
            self._told = now
            left_seconds = (now - self._began) / self._done * (self.total - self._done)
            line = f"{self.what}: {self._done} of {self.total} {self.unit}"
        _log.info("%s, about %s left", line, _rounded(left_seconds))


def map_telling(
    function: Callable[[ItemT], ResultT],
    items: Sequence[ItemT],
    *,
    max_concurrency: int,
    what: str,
    unit: str,
) -> list[ResultT]:
    """Apply a function to every item as `map_bounded` does, and tell how far it is.

    Args:
        function: Must be safe to call from several threads.
        items: What to apply it to.
        max_concurrency: How many calls may be under way at once.
        what: What lines begin with.
        unit: What the items are.
    """
    progress = Progress(what, unit, len(items))

    def apply(item: ItemT) -> ResultT:
        result = function(item)
        progress.advance()
        return result

    return map_bounded(apply, items, max_concurrency=max_concurrency)


def _rounded(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{round(minutes / 60)} h"
