"""The client's side of a fork server: start it, have it fork and end workers, close it."""

import os
import socket
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sandboxes.confinement import wire
from sandboxes.confinement.fork_server import ORDER_BYTES
from sandboxes.confinement.mechanism import ServerSettings
from sandboxes.core.errors import ConfinementError, ConfinementUnavailableError

PACKAGE_PARENT = Path(__file__).parent.parent.parent
_START_SECONDS = 60.0
_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a worker ended.

    Attributes:
        status: Its exit status, negative for the signal that killed it; None where nobody knows.
        cpu_seconds: Processor time it used.
        was_killed: Whether it still ran, and the server killed it.
    """

    status: int | None
    cpu_seconds: float
    was_killed: bool


class ServerProcess:
    """A running fork server. Orders are given one at a time, from any thread."""

    def __init__(self, settings: ServerSettings) -> None:
        """Start it and wait until it is ready.

        Raises:
            ConfinementUnavailableError: If it cannot confine a process here.
            ConfinementError: If it does not start for another reason.
        """
        if sys.platform != "linux":
            raise ConfinementUnavailableError(f"this is {sys.platform}, not Linux")
        self.mechanism = settings.mechanism
        self._lock = threading.Lock()
        self._abandoned: deque[int] = deque()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        with theirs:
            self._process = _spawn(theirs.fileno(), settings)
        try:
            said = self._first_word()
            if "error" in said:
                missing = said["error"] == "mechanism"
                problem = ConfinementUnavailableError if missing else ConfinementError
                raise problem(str(said["message"]))
        except BaseException:
            self.close()
            raise

    def start(self, link: socket.socket) -> int:
        """Have a worker started that holds this end of a link; return its number.

        Raises:
            ConfinementError: If the server is gone, or no process can be had.
        """
        with suppress(IndexError):
            while True:
                self.end(self._abandoned.popleft())
        said = self._ordered({"order": "start"}, link)
        if "error" in said:
            raise ConfinementError(f"The fork server cannot fork: {said['error']}")
        return cast("int", said["worker"])

    def end(self, worker: int, patience_seconds: float = 0.0) -> Ending:
        """Have a worker reaped, and killed where it does not end by itself; say how it ended."""
        order: wire.Message = {
            "order": "end",
            "worker": worker,
            "patience_seconds": patience_seconds,
        }
        try:
            said = self._ordered(order)
        except ConfinementError:  # its workers died with the server
            return Ending(None, 0.0, was_killed=False)
        return Ending(
            cast("int", said["status"]),
            cast("float", said["cpu_seconds"]),
            was_killed=bool(said["was_killed"]),
        )

    def abandon(self, worker: int) -> None:
        """Have a worker ended with the next order. Takes no lock: a garbage collection calls it."""
        self._abandoned.append(worker)

    def is_alive(self) -> bool:
        """Return whether the server still runs."""
        return self._control.fileno() >= 0 and self._process.poll() is None

    def close(self) -> None:
        """End the server and its workers, and wait for that."""
        with self._lock:
            self._control.close()
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _first_word(self) -> wire.Message:
        assert self._process.stderr is not None
        with self._process.stderr as errors:
            try:
                return self._hear()
            except ConnectionError as error:
                said = " ".join(errors.read().decode(errors="replace").split())
                raise ConfinementError(f"The fork server does not start: {said[-500:]}") from error
            except OSError as error:
                raise ConfinementError(f"The fork server does not start: {error}") from error

    def _ordered(self, order: wire.Message, link: socket.socket | None = None) -> wire.Message:
        """Give an order and return the answer; an interruption ends the server.

        For an answer that nobody waited for would be taken for that of the next order.
        """
        descriptors = [] if link is None else [link.fileno()]
        with self._lock:
            try:
                socket.send_fds(self._control, [wire.encode(order)], descriptors)
                return self._hear()
            except OSError as error:
                self._control.close()
                raise ConfinementError(f"The fork server takes no orders: {error}") from error
            except BaseException:
                self._control.close()
                raise

    def _hear(self) -> wire.Message:
        said = self._control.recv(ORDER_BYTES)
        if not said:
            raise ConnectionError("it has ended")
        return wire.decode(said)


def _spawn(control: int, settings: ServerSettings) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", "-s", "-B", "-m", "sandboxes.confinement.fork_server"]
    return subprocess.Popen(
        [*command, str(control), settings.model_dump_json()],
        env={
            "PYTHONPATH": os.pathsep.join(map(str, settings.search_path)),
            "PYTHONHASHSEED": str(settings.hash_seed),
        },
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(control,),
        start_new_session=True,
    )
