"""One confined process, from the side that asks it."""

import select
import signal
import socket
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from sandboxes.confinement import wire
from sandboxes.confinement.limits import Limits
from sandboxes.confinement.server_process import Ending, ServerProcess
from sandboxes.confinement.wire import Message
from sandboxes.core.errors import (
    ConfinementError,
    WorkerFaultError,
    WorkerLostError,
    WorkerOutputError,
    WorkerTimeoutError,
)

Serve = Callable[[Message], Message]
# Between a worker's last sign and its end.
_DYING_SECONDS = 0.5
_LONGEST_TEXT = 1000


class Worker:
    """A confined process. It is asked one thing at a time; other threads wait their turn.

    Whatever it writes is the word of unreviewed code: bounded, parsed as JSON, and not believed.
    """

    def __init__(
        self,
        link: socket.socket,
        server: ServerProcess,
        number: int,
        limits: Limits,
        source: object = None,
    ) -> None:
        """Hold our end of the link to a worker that a server forked.

        Args:
            link: Our end.
            server: Who forked it, and ends it.
            number: The server's number for it.
            limits: What it may use.
            source: Where it comes from, which stays open as long as the worker is held.
        """
        self._source = source
        self._link = link
        self._server = server
        self._number = number
        self._limits = limits
        self._lock = threading.Lock()
        self._forget = weakref.finalize(self, _abandon, link, server, number)

    @property
    def is_alive(self) -> bool:
        """Whether the worker can still be asked."""
        if self._link.fileno() < 0:
            return False
        poll = select.poll()
        poll.register(self._link, 0)
        return not poll.poll(0)

    def wait_until_ready(self) -> None:
        """Wait until the worker says that it is confined.

        Raises:
            ConfinementError: If it does not say so.
        """
        deadline = _Deadline(self._limits.start_seconds)
        with self._lock, self._ended_on_error():
            kind, said = self._receive(deadline, self._limits.output_bytes)
            if kind != wire.READY:
                reason = said.decode(errors="replace")[:_LONGEST_TEXT]
                raise ConfinementError(f"The worker did not come up: {reason}")

    def ask(
        self,
        request: Message,
        *,
        timeout_seconds: float | None = None,
        serve: Serve | None = None,
    ) -> Message:
        """Ask the worker, and return its reply.

        Args:
            request: What is asked.
            timeout_seconds: How long all of it may take, `serve` included; the limits' wall
                seconds unless given.
            serve: Answers what the worker asks back meanwhile. Where it raises, the worker is
                killed and the exception passes.

        Raises:
            WorkerTimeoutError: If it took too long; the worker is dead.
            WorkerLostError: If the worker died, or is closed.
            WorkerOutputError: If it wrote too much or what is no message; the worker is dead.
            WorkerFaultError: If the host module let an exception through; the worker lives on.
        """
        payload = wire.frame(wire.REQUEST, wire.encode(request))
        seconds = self._limits.wall_seconds if timeout_seconds is None else timeout_seconds
        with self._lock:
            if self._link.fileno() < 0:
                raise WorkerLostError("The worker is closed; start another", "closed")
            with self._ended_on_error():
                kind, message = self._exchange(payload, _Deadline(seconds), serve)
        if kind == wire.FAULT:
            name, text = (str(message.get(key))[:_LONGEST_TEXT] for key in ("type", "message"))
            raise WorkerFaultError(f"The worker's host raised {name}: {text}")
        return message

    def close(self) -> None:
        """Kill the worker, unless it is dead, and forget it."""
        with self._lock:
            self._end()

    def __enter__(self) -> Self:
        """Return the worker."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    @contextmanager
    def _ended_on_error(self) -> Generator[None, None, None]:
        """Whatever goes wrong leaves the worker in a state that nobody knows."""
        try:
            yield
        except BaseException:
            self._end()
            raise

    def _exchange(
        self, request: bytes, deadline: "_Deadline", serve: Serve | None
    ) -> tuple[bytes, Message]:
        self._send(request, deadline)
        left = self._limits.output_bytes
        while True:
            kind, payload = self._receive(deadline, left)
            left -= len(payload)
            if kind == wire.NO_MEMORY:
                allowed = self._limits.memory_bytes
                raise WorkerLostError(f"The worker ran out of its {allowed} bytes", "memory")
            message = _decoded(payload)
            if kind in {wire.REPLY, wire.FAULT}:
                return kind, message
            if kind != wire.QUESTION or serve is None:
                raise WorkerOutputError(f"The worker sent {kind!r} where a reply was expected")
            self._send(wire.frame(wire.ANSWER, wire.encode(serve(message))), deadline)

    def _send(self, data: bytes, deadline: "_Deadline") -> None:
        rest = memoryview(data)
        with self._told_apart(deadline):
            while rest:
                self._link.settimeout(deadline.left())
                rest = rest[self._link.send(rest) :]

    def _receive(self, deadline: "_Deadline", most: int) -> tuple[bytes, bytearray]:
        header = self._receive_exactly(wire.HEADER.size, deadline)
        kind, size = wire.HEADER.unpack(header)
        if size > most:
            raise WorkerOutputError(
                f"The worker's output of {size} bytes is more than the {most} it may still write"
            )
        return kind, self._receive_exactly(size, deadline)

    def _receive_exactly(self, size: int, deadline: "_Deadline") -> bytearray:
        data = bytearray(size)
        rest = memoryview(data)
        with self._told_apart(deadline):
            while rest:
                self._link.settimeout(deadline.left())
                count = self._link.recv_into(rest)
                if count == 0:
                    raise ConnectionError("end of the line")
                rest = rest[count:]
        return data

    @contextmanager
    def _told_apart(self, deadline: "_Deadline") -> Generator[None, None, None]:
        """Say in our words why the line to the worker failed."""
        try:
            yield
        except TimeoutError as error:
            raise WorkerTimeoutError(
                f"The worker took longer than {deadline.seconds} s and was killed; start another"
            ) from error
        except ConnectionError as error:
            raise self._loss(self._end(_DYING_SECONDS)) from error

    def _end(self, patience_seconds: float = 0.0) -> Ending:
        if self._link.fileno() < 0:
            return Ending(None, 0.0, was_killed=False)
        self._forget.detach()
        ending = self._server.end(self._number, patience_seconds)
        self._link.close()
        return ending

    def _loss(self, ending: Ending) -> WorkerLostError:
        limits, status = self._limits, ending.status
        if status is not None and status > 128:  # how bubblewrap passes a signal on
            status = 128 - status
        if status == -signal.SIGXCPU or ending.cpu_seconds >= limits.cpu_seconds:
            return WorkerLostError(
                f"The worker used up its {limits.cpu_seconds} s of processor time", "cpu_time"
            )
        if status is None:
            return WorkerLostError("The worker died together with its fork server", "signal")
        if ending.was_killed:
            return WorkerLostError("The worker closed its line, and was killed", "exit")
        if status < 0:
            name = signal.Signals(-status).name
            guess = ", as the kernel does when the machine's memory is short"
            reason = f"{name}{guess if status == -signal.SIGKILL else ''}"
            return WorkerLostError(f"The worker was killed by {reason}", "signal")
        return WorkerLostError(f"The worker ended by itself, exit status {status}", "exit")


def _abandon(link: socket.socket, server: ServerProcess, number: int) -> None:
    link.close()
    server.abandon(number)


def _decoded(payload: bytearray) -> Message:
    try:
        return wire.decode(payload)
    except ValueError as error:
        raise WorkerOutputError(f"The worker wrote no JSON object: {error}") from error


class _Deadline:
    """The end of some seconds from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left.

        Raises:
            TimeoutError: If there are none.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left
