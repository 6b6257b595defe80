"""Confined worker processes: started in milliseconds, asked over a socket, killed when they hang.

A fork server (`sandboxes.confinement.fork_server`) imports the host module once and forks a worker
for each `start`. Before it reads a request, a worker is under resource limits, without privileges,
in a session of its own, under Landlock (it may read the libraries and nothing else) and under a
seccomp filter (no socket, no process or thread, no other program, no signal to others, nothing
that writes to a file). Where Landlock or seccomp is missing, bubblewrap gives each worker
namespaces of its own; where neither works, nothing runs.

What this does not protect:

- from faults in the kernel or the processor, and from what can be measured of a shared machine
  (caches, load, timing);
- the machine's processors: a worker may use one of them wholly until its time is up, and as many
  workers as are started do so at once;
- what a worker is told: the code in it reads and forges everything of that worker, its host
  module's answers included. A reply is the word of unreviewed code, and to be checked as such. So
  do not put two pieces of unreviewed code into one worker unless they may know each other;
- the memory a fork server holds: workers are copies of it, so it may never hold a secret;
- that a file exists, its size and times (`stat` of a name that can be guessed), whose content
  stays closed; the libraries themselves can be read (this project too, where it is installed among
  them), and under bubblewrap the package `sandboxes`;
- under bubblewrap on a kernel without seccomp: from whatever system calls can do inside of
  namespaces, such as shared memory segments, which no limit counts.
"""

import os
import socket
import threading
import weakref
from pathlib import Path
from types import TracebackType
from typing import Self

from sandboxes.confinement.limits import Limits
from sandboxes.confinement.mechanism import Mechanism, ServerSettings
from sandboxes.confinement.server_process import PACKAGE_PARENT, ServerProcess
from sandboxes.confinement.worker import Worker
from sandboxes.core.errors import ConfinementUnavailableError


class Confinement:
    """A source of confined workers that run one host module. Any thread may start and ask them."""

    def __init__(
        self,
        host: str | None = "sandboxes.confinement.host",
        limits: Limits | None = None,
        hash_seed: int = 0,
        *,
        mechanisms: tuple[Mechanism, ...] = tuple(Mechanism),
        search_path: tuple[Path, ...] = (),
    ) -> None:
        """Describe the workers; nothing starts before the first of them is asked for.

        Args:
            host: The module that defines `answer(request, ask_parent)`, and where it likes a
                `warm_up()` that imports what is otherwise imported late. None only tries.
            limits: What each worker may use.
            hash_seed: Seed of the hashes of texts in the workers.
            mechanisms: The ways to confine a process, in the order to try them.
            search_path: Where the host module is found besides the installed packages.
        """
        self._host = host
        self._limits = limits or Limits()
        self._hash_seed = hash_seed
        self._mechanisms = mechanisms
        self._search_path = (PACKAGE_PARENT, *search_path)
        self._lock = threading.Lock()
        self._server: ServerProcess | None = None
        self._owner = 0
        self._workers: weakref.WeakSet[Worker] = weakref.WeakSet()

    @property
    def limits(self) -> Limits:
        """What each worker may use."""
        return self._limits

    def mechanism(self) -> Mechanism:
        """Return the way workers are confined here, found by trying.

        Raises:
            ConfinementUnavailableError: If there is none.
        """
        return self._running_server().mechanism

    def start(self) -> Worker:
        """Start a fresh worker and wait until it is confined.

        Raises:
            ConfinementUnavailableError: If nothing on this machine can confine it.
            ConfinementError: If the host module does not import, or the worker does not come up.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                server = self._running_server()
                number = server.start(theirs)
        except BaseException:
            ours.close()
            raise
        worker = Worker(ours, server, number, self._limits, self)
        with self._lock:
            self._workers.add(worker)
        worker.wait_until_ready()
        return worker

    def close(self) -> None:
        """End the server and every worker. A later `start` begins anew."""
        with self._lock:
            if self._server is not None and self._owner == os.getpid():
                self._server.close()
            self._server = None
            workers = list(self._workers)
            self._workers.clear()
        for worker in workers:
            worker.close()

    def __enter__(self) -> Self:
        """Return the confinement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _running_server(self) -> ServerProcess:
        with self._lock:
            if self._server is not None and self._owner == os.getpid():
                if self._server.is_alive():
                    return self._server
                self._server.close()
            self._server = self._new_server()
            self._owner = os.getpid()
            weakref.finalize(self, _close_if_owned, self._server, self._owner)
            return self._server

    def _new_server(self) -> ServerProcess:
        found: list[str] = []
        for mechanism in self._mechanisms:
            settings = ServerSettings(
                mechanism=mechanism,
                host=self._host,
                limits=self._limits,
                search_path=self._search_path,
                hash_seed=self._hash_seed,
            )
            try:
                return ServerProcess(settings)
            except ConfinementUnavailableError as error:
                found.append(f"{mechanism}: {error}")
        raise ConfinementUnavailableError(_advice(found))


def usable_mechanism() -> Mechanism:
    """Return the way a process would be confined on this machine, found by trying.

    Raises:
        ConfinementUnavailableError: If there is none.
    """
    with Confinement(host=None) as confinement:
        return confinement.mechanism()


def _close_if_owned(server: ServerProcess, owner: int) -> None:
    if os.getpid() == owner:
        server.close()


def _advice(found: list[str]) -> str:
    tried = "; ".join(found) or "no way to confine was allowed"
    return (
        f"Unreviewed code is not run: no way to confine it works here ({tried}). Needed is Linux "
        "5.13 or later on x86_64 or aarch64 with Landlock and seccomp switched on, or bubblewrap "
        "('bwrap') with the right to make namespaces. Install bubblewrap, or run on such a kernel; "
        "in a container, allow the Landlock system calls in its seccomp profile."
    )
