"""Progress lines of stages that run in other processes, said by the process that started them."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener
from multiprocessing.context import SpawnContext
from multiprocessing.queues import Queue
from typing import TypeAlias

from envfactory_resources.clients.language_model.progress import LOGGER_NAME

ProgressQueue: TypeAlias = "Queue[logging.LogRecord]"


@contextmanager
def hearing_progress(
    processes: SpawnContext, say: Callable[[str], None]
) -> Generator[ProgressQueue]:
    """Say every line that is told into a queue, until the end.

    Args:
        processes: What the other processes are made by.
        say: Is given one line at a time, in a thread of its own.
    """
    queue: ProgressQueue = processes.Queue()
    listener = QueueListener(queue, _Saying(say))
    listener.start()
    try:
        yield queue
    finally:
        listener.stop()
        queue.close()


def tell_progress(queue: ProgressQueue) -> None:
    """Let the stages of this process tell their progress into a queue."""
    # What was not read by the end of a run is told to nobody; waiting for it could hang for ever.
    queue.cancel_join_thread()
    logger = logging.getLogger(LOGGER_NAME)
    logger.setLevel(logging.INFO)
    logger.addHandler(QueueHandler(queue))


class _Saying(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(record.getMessage())
