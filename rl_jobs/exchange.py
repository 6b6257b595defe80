"""What happens between two messages of a policy: its calls run, its question is answered.

Every trainer goes through here, whatever it generates with. An adapter gives what its policy's
message says, and gets what the policy is told; tokens are the adapter's business.
"""

from dataclasses import dataclass

from envfactory_assets.records.record import JsonObject
from rl_jobs.task_session import TaskSession

NO_READABLE_CALL = '{"error":"No readable call."}'


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call that the assistant's message asks for."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """What an assistant's message says and asks for.

    Attributes:
        text: What it says to the user, without thinking and calls.
        calls: The calls, in order.
        format_errors: How many calls could not be read.
    """

    text: str
    calls: tuple[ReadCall, ...]
    format_errors: int


@dataclass(slots=True)
class Exchange:
    """One attempt, message by message.

    Attributes:
        session: The live task.
        messages: How many messages the policy has written.
        is_done: Whether the attempt is over.
        is_cut: Whether a limit on tokens ended it.
    """

    session: TaskSession
    messages: int = 0
    is_done: bool = False
    is_cut: bool = False

    def take(self, message: ReadMessage, *, is_whole: bool) -> list[JsonObject]:
        """Act on the policy's next message and return what it is told; nothing ends the attempt.

        Args:
            message: What it says and asks for.
            is_whole: Whether the policy ended it; one that was cut off has no effect.
        """
        self.messages += 1
        for _ in range(message.format_errors):
            self.session.note_format_error()
        if not is_whole:
            self.cut()
            return []
        replies = self._replies(message)
        is_last = self.session.is_over or self.messages >= self.session.limits.max_messages
        if not replies or is_last:
            self.is_done = True
            return []
        return replies

    def cut(self) -> None:
        """End the attempt because there is no room for more tokens."""
        self.is_done = self.is_cut = True

    def _replies(self, message: ReadMessage) -> list[JsonObject]:
        replies: list[JsonObject] = []
        for call in message.calls:
            reply = self.session.execute(call.tool, call.arguments)
            replies.append({"role": "tool", "name": call.tool, "content": reply})
        if not message.calls and message.format_errors:
            replies.append({"role": "tool", "name": "error", "content": NO_READABLE_CALL})
        if not replies and message.text.endswith("?"):
            replies.append({"role": "user", "content": self.session.answer(message.text)})
        return replies
