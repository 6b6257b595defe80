"""A script: lines that say to which request they answer what."""

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envfactory_resources.clients.fake_messages.errors import UnscriptedRequestError
from envfactory_resources.clients.fake_messages.replies import FakeReply
from envfactory_resources.clients.fake_messages.requests import ReceivedRequest


@dataclass(frozen=True)
class ScriptLine:
    """One line: a reply, and the conditions under which it is given; all given ones must hold."""

    reply: FakeReply | Callable[[ReceivedRequest], FakeReply]
    """The reply, or a function that makes it from the request."""
    role: str | None = None
    """The asking role."""
    system: str | None = None
    """A part of the system text."""
    last_user: str | None = None
    """A part of the last user message, tool results included."""
    pattern: str | None = None
    """A regular expression to be found in the last user message."""
    sequence: int | None = None
    """The number of the request, counting from 1."""
    times: int | None = 1
    """How often the line answers before it is used up; None for ever."""

    def answers(self, request: ReceivedRequest) -> bool:
        """Return whether all conditions hold."""
        return (
            (self.role is None or self.role == request.role)
            and (self.system is None or self.system in request.system)
            and (self.last_user is None or self.last_user in request.last_user)
            and (self.pattern is None or re.search(self.pattern, request.last_user) is not None)
            and (self.sequence is None or self.sequence == request.number)
        )


class Script:
    """Lines in order and how often each has answered; may be shared by threads."""

    def __init__(self, lines: Sequence[ScriptLine]) -> None:
        """Start before the first request.

        Args:
            lines: The first line that answers a request and is not used up is played.
        """
        self._lines = tuple(lines)
        self._played = [0] * len(self._lines)
        self._lock = threading.Lock()

    def play(self, request: ReceivedRequest) -> FakeReply:
        """Return the reply to a request.

        Raises:
            UnscriptedRequestError: If no line answers it.
        """
        line = self._next_line(request)
        if not callable(line.reply):
            return line.reply
        try:
            return line.reply(request)
        # The function is the test author's: whatever it raises must reach the asking client.
        except Exception as error:
            raise UnscriptedRequestError(
                f"The reply function for request {request.number} of role {request.role!r} raised "
                f"{type(error).__name__}: {error}. Correct the script."
            ) from error

    def unplayed(self) -> list[ScriptLine]:
        """Return the lines that have not answered as often as they must."""
        with self._lock:
            counted = zip(self._lines, self._played, strict=True)
            return [line for line, played in counted if played < (line.times or 0)]

    def _next_line(self, request: ReceivedRequest) -> ScriptLine:
        with self._lock:
            for index, line in enumerate(self._lines):
                used_up = line.times is not None and self._played[index] >= line.times
                if not used_up and line.answers(request):
                    self._played[index] += 1
                    return line
        raise UnscriptedRequestError(
            f"No line of the script answers request {request.number} of role {request.role!r}, "
            f"last user text {request.last_user[:100]!r}. Add a line, or give one more times."
        )
