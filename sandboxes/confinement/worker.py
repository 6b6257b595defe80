"""One confined process, from the side that asks it."""

import select
import signal
import socket
import threading
import time
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

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
Result = TypeVar("Result")
# Between a worker's last sign and its end.
_DYING_SECONDS = 0.5


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
        seconds = self._limits.start_seconds
        with self._lock:
            kind, said = self._guarded(seconds, lambda deadline: self._receive(deadline, 1 << 16))
            if kind != wire.READY:
                self._end()
                raise ConfinementError(f"The worker did not come up: {said.decode()}")

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
            return self._guarded(seconds, lambda until: self._exchange(payload, until, serve))

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

    def _guarded(self, seconds: float, act: Callable[[float], Result]) -> Result:
        """Do something with the worker until a deadline; kill it when that goes wrong."""
        try:
            return act(time.monotonic() + seconds)
        except WorkerFaultError:
            raise
        except TimeoutError as error:
            self._end()
            raise WorkerTimeoutError(
                f"The worker took longer than {seconds} s and was killed; start another"
            ) from error
        except (EOFError, ConnectionError) as error:
            raise self._loss(self._end(_DYING_SECONDS)) from error
        except BaseException:
            self._end()
            raise

    def _exchange(self, request: bytes, deadline: float, serve: Serve | None) -> Message:
        self._send(request, deadline)
        left = self._limits.output_bytes
        while True:
            kind, payload = self._receive(deadline, left)
            left -= len(payload)
            if kind == wire.NO_MEMORY:
                self._end()
                raise WorkerLostError(
                    f"The worker ran out of its {self._limits.memory_bytes} bytes", "memory"
                )
            message = _decoded(payload)
            if kind == wire.REPLY:
                return message
            if kind == wire.FAULT:
                name, text = message.get("type"), message.get("message")
                raise WorkerFaultError(f"The worker's host raised {name}: {text}")
            if kind != wire.QUESTION or serve is None:
                raise WorkerOutputError(f"The worker sent {kind!r} where a reply was expected")
            self._send(wire.frame(wire.ANSWER, wire.encode(serve(message))), deadline)

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            self._link.settimeout(_left(deadline))
            rest = rest[self._link.send(rest) :]

    def _receive(self, deadline: float, most: int) -> tuple[bytes, bytearray]:
        header = self._receive_exactly(wire.HEADER.size, deadline)
        kind, size = wire.HEADER.unpack(header)
        if size > most:
            raise WorkerOutputError(
                f"The worker's output of {size} bytes is more than the {most} it may still write"
            )
        return kind, self._receive_exactly(size, deadline)

    def _receive_exactly(self, size: int, deadline: float) -> bytearray:
        data = bytearray(size)
        rest = memoryview(data)
        while rest:
            self._link.settimeout(_left(deadline))
            count = self._link.recv_into(rest)
            if count == 0:
                raise EOFError
            rest = rest[count:]
        return data

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
            return WorkerLostError(f"The worker was killed by {name}", "signal")
        return WorkerLostError(f"The worker ended by itself, exit status {status}", "exit")


def _abandon(link: socket.socket, server: ServerProcess, number: int) -> None:
    link.close()
    server.abandon(number)


def _decoded(payload: bytearray) -> Message:
    try:
        return wire.decode(payload)
    except ValueError as error:
        raise WorkerOutputError(f"The worker wrote no JSON object: {error}") from error


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
