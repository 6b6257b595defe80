"""The line from a confined environment's class to the workers that hold its code."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from sandboxes.confinement.messages import (
    CallRequest,
    DescribeRequest,
    Description,
    ScenarioRequest,
    StateReply,
    StateRequest,
)
from sandboxes.confinement.replies import ReplyT, read_reply
from sandboxes.confinement.worker_pool import WorkerPool
from sandboxes.core.errors import (
    ConfinementError,
    ConfinementUnavailableError,
    EnvironmentFaultError,
    EnvironmentSourceError,
    WorkerLostError,
)
from sandboxes.verification.subject import Subject

_KNOWN_STATES = 256
REQUEST_SECONDS = 10.0

Asked = DescribeRequest | ScenarioRequest | StateRequest | CallRequest


class EnvironmentWorkers:
    """Asks the workers of one environment, from any thread of any process.

    A fault of the environment, its worker's death included, is an `EnvironmentFaultError`, and the
    next request goes to another worker.
    """

    def __init__(
        self,
        subject: Subject,
        pool_of: Callable[[], WorkerPool],
        seconds: float = REQUEST_SECONDS,
    ) -> None:
        """Ask about one environment.

        Args:
            subject: Its text.
            pool_of: Gives the pool of the process that asks.
            seconds: How long a worker may take for a request.
        """
        self._seconds = seconds
        self._subject = subject
        self._pool_of = pool_of
        self._known: OrderedDict[bytes, str | None] = OrderedDict()
        self._lock = Lock()

    def ask(self, what: str, request: Asked, kind: type[ReplyT]) -> ReplyT:
        """Ask a worker and return its reply.

        A worker that dies may have died of what earlier requests left behind, so the request goes
        to a fresh one before the environment is blamed.

        Args:
            what: What a fault is told of, a tool's wire name or the like.
            request: The request.
            kind: The reply to expect.

        Raises:
            EnvironmentFaultError: If the environment or its worker failed.
            ConfinementUnavailableError: If nothing on this machine can confine it.
        """
        try:
            try:
                return self._ask(request, kind)
            except WorkerLostError:
                return self._ask(request, kind)
        except ConfinementUnavailableError:
            raise
        except (ConfinementError, EnvironmentSourceError) as error:
            raise EnvironmentFaultError(f"{what} failed in its confinement: {error}") from error

    def description(self) -> Description:
        """Return what the environment declares.

        Raises:
            EnvironmentSourceError: If it does not load.
            EnvironmentFaultError: If its worker failed.
            ConfinementError: If it describes itself in a form that nothing here can read.
        """
        return self._ask(DescribeRequest(), Description)

    def normal_text(self, text: str) -> str | StateReply:
        """Return the text that the environment writes for a state, or why the state does not fit.

        Raises:
            EnvironmentFaultError: If the environment or its worker failed.
        """
        key = hashlib.sha256(text.encode()).digest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                known = self._known[key]
                return text if known is None else known
        reply = self.ask("Reading a state", StateRequest(state=text), StateReply)
        if reply.state is None:
            return reply
        self._remember(key, None if reply.state == text else reply.state)
        return reply.state

    def note_normal(self, text: str) -> None:
        """Remember that the environment wrote this text, so that it need not read it again."""
        self._remember(hashlib.sha256(text.encode()).digest(), None)

    def _remember(self, key: bytes, normal: str | None) -> None:
        with self._lock:
            self._known[key] = normal
            if len(self._known) > _KNOWN_STATES:
                self._known.popitem(last=False)

    def _ask(self, request: Asked, kind: type[ReplyT]) -> ReplyT:
        message = request.as_message()
        with self._pool_of().lend(self._subject) as worker:
            reply = worker.ask(message, timeout_seconds=self._seconds)
            return read_reply(reply, kind)
