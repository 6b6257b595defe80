"""Workers that hold an environment each, lent out and kept for the next request."""

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager

from sandboxes.confinement.confinement import Confinement
from sandboxes.confinement.messages import LoadReply, LoadRequest, SubjectText
from sandboxes.confinement.replies import read_reply
from sandboxes.confinement.worker import Worker
from sandboxes.core.errors import ConfinementError, EnvironmentSourceError
from sandboxes.verification.subject import Subject

WORKERS_PER_ENVIRONMENT = 4
IDLE_WORKERS = 16
_USES = 20_000
_LOAD_SECONDS = 30.0


class _Kept:
    def __init__(self, key: tuple[str, str], worker: Worker) -> None:
        self.key = key
        self.worker = worker
        self.uses = 0


class WorkerPool:
    """The workers of one process; every method may be called from any thread.

    A worker holds one environment and serves one request at a time. Of each environment at most
    four are lent out at once; whoever comes fifth waits. Up to sixteen idle ones are kept, whatever
    they hold; the one unused longest goes first. What happened while a worker was lent out decides:
    after an exception it is killed, since what it would do next is not known.
    """

    def __init__(self, confinement_for: Callable[[int], Confinement] | None = None) -> None:
        """Start with no worker.

        Args:
            confinement_for: Gives the confinement of a hash seed.
        """
        self._confinement_for = confinement_for or _confinement
        self._confinements: dict[int, Confinement] = {}
        self._places: dict[tuple[str, str], threading.BoundedSemaphore] = {}
        self._idle: deque[_Kept] = deque()
        self._lock = threading.Lock()

    def confinement(self, hash_seed: int = 0) -> Confinement:
        """Return where workers with a hash seed come from."""
        with self._lock:
            if hash_seed not in self._confinements:
                self._confinements[hash_seed] = self._confinement_for(hash_seed)
            return self._confinements[hash_seed]

    @contextmanager
    def lend(self, subject: Subject) -> Generator[Worker, None, None]:
        """Lend a worker that holds an environment for the duration of the block.

        Raises:
            ConfinementError: If none can be started.
            EnvironmentSourceError: If the environment does not load.
        """
        key = (subject.environment_id, subject.source_hash)
        with self._lock:
            place = self._places.setdefault(
                key, threading.BoundedSemaphore(WORKERS_PER_ENVIRONMENT)
            )
        with place:
            kept = self._take(key) or _Kept(key, self._load(subject))
            try:
                yield kept.worker
            except BaseException:
                kept.worker.close()
                raise
            self._keep(kept)

    def start_loaded(self, subject: Subject, hash_seed: int) -> Worker:
        """Start a worker of the caller's own that holds an environment.

        Raises:
            ConfinementError: If it does not start.
            EnvironmentSourceError: If the environment does not load.
        """
        worker = self.confinement(hash_seed).start()
        try:
            load(worker, subject)
        except BaseException:
            worker.close()
            raise
        return worker

    def close(self) -> None:
        """End every idle worker and every confinement; a later request begins anew."""
        with self._lock:
            idle, self._idle = list(self._idle), deque()
            confinements, self._confinements = list(self._confinements.values()), {}
        for kept in idle:
            kept.worker.close()
        for confinement in confinements:
            confinement.close()

    def _load(self, subject: Subject) -> Worker:
        return self.start_loaded(subject, hash_seed=0)

    def _take(self, key: tuple[str, str]) -> _Kept | None:
        with self._lock:
            for kept in reversed(self._idle):
                if kept.key == key:
                    self._idle.remove(kept)
                    break
            else:
                return None
        if kept.worker.is_alive:
            return kept
        kept.worker.close()
        return None

    def _keep(self, kept: _Kept) -> None:
        kept.uses += 1
        if kept.uses >= _USES:
            kept.worker.close()
            return
        with self._lock:
            self._idle.append(kept)
            oldest = self._idle.popleft() if len(self._idle) > IDLE_WORKERS else None
        if oldest is not None:
            oldest.worker.close()


def _confinement(hash_seed: int) -> Confinement:
    return Confinement(hash_seed=hash_seed)


def load(worker: Worker, subject: Subject) -> None:
    """Make a fresh worker run the text of an environment.

    Raises:
        EnvironmentSourceError: If it does not run, or is no environment.
    """
    name = subject.environment_id
    try:
        request = LoadRequest(subject=SubjectText.of(subject))
        reply = worker.ask(request.as_message(), timeout_seconds=_LOAD_SECONDS)
        error = read_reply(reply, LoadReply).error
    except UnicodeDecodeError as wrong:
        raise EnvironmentSourceError(f"{name} is not a UTF-8 text; mend its file.") from wrong
    except ConfinementError as fault:
        raise EnvironmentSourceError(
            f"{name} does not load in its confinement: {fault}; an environment file defines things "
            "and does nothing else."
        ) from fault
    if error is not None:
        raise EnvironmentSourceError(error)


_POOLS: dict[int, WorkerPool] = {}


def shared_pool() -> WorkerPool:
    """Return the pool of this process; a forked process gets its own, whatever it inherited."""
    pid = os.getpid()
    pool = _POOLS.get(pid)
    if pool is None:
        pool = _POOLS.setdefault(pid, WorkerPool())
        atexit.register(pool.close)
        for other in [key for key in _POOLS if key != pid]:
            _POOLS.pop(other, None)
    return pool
