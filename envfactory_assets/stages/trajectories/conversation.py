"""A conversation as it happens: messages in the chat-completions form, calls in one session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from envfactory_assets.records.queries import Disclosure, UserAction
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.models import AttemptedCall
from envfactory_assets.stages.trajectories.replaying import ids_created
from envfactory_assets.stages.trajectories.simulated_user import SimulatedUser, UserReply
from envfactory_assets.stages.trajectories.user_actions import as_seen, carry_out
from sandboxes.core.canonical import canonical_json
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session

_SYSTEM_PROMPT = (
    "You act for {user} with the tools you are given. It is {now}. Look things up before you "
    "change them, ask when something you need was not said, and tell briefly what you did."
)


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call, the turn it belongs to, its outcome, and the ids that it created."""

    turn: int
    record: CallRecord
    produced: tuple[str, ...] = ()

    def attempted(self) -> AttemptedCall:
        """Return the call as the reward reads it."""
        return AttemptedCall.of(self.record)

    def as_json(self) -> JsonObject:
        """Return the call as it is stored."""
        return {
            "turn": self.turn,
            "tool": self.record.tool,
            "arguments": dict(self.record.arguments),
            "bound": self.record.bound,
            "effect": self.record.effect,
            "ok": self.record.ok,
            "error": self.record.error,
            "actor": self.record.actor,
        }


def system_prompt(user: str, now: str) -> str:
    """Return the system message of every task."""
    return _SYSTEM_PROMPT.format(user=user, now=now.replace("T", " "))


@dataclass(slots=True)
class Conversation:
    """One attempt at a task while it runs.

    Attributes:
        session: The attempt's own session.
        user: Who answers questions.
        messages: The conversation so far.
        calls: Every call so far, the user's included.
        turn: The turn that is being worked on.
        disclosures: What the user may say when asked in this turn.
        fault: Why the attempt cannot be kept, whatever it earns; empty when nothing is against it.
        planned_actions: What only the user can do, by turn.
        actions: What of that is left to do in this turn.
    """

    session: Session
    user: SimulatedUser
    messages: list[JsonObject] = field(default_factory=list["JsonObject"])
    calls: list[NumberedCall] = field(default_factory=list[NumberedCall])
    turn: int = -1
    disclosures: Sequence[Disclosure] = ()
    fault: str = ""
    planned_actions: Mapping[int, Sequence[UserAction]] = field(
        default_factory=dict[int, "Sequence[UserAction]"]
    )
    actions: list[UserAction] = field(default_factory=list[UserAction])

    @classmethod
    def begin(
        cls,
        scenario: Scenario,
        catalog: Catalog,
        user_name: str,
        user: SimulatedUser,
        planned_actions: Mapping[int, Sequence[UserAction]] | None = None,
    ) -> "Conversation":
        """Open a session and a conversation on a scenario."""
        conversation = cls(
            session=Session.open(scenario, catalog),
            user=user,
            planned_actions=planned_actions or {},
        )
        content = system_prompt(user_name, scenario.start)
        conversation.messages.append({"role": "system", "content": content})
        return conversation

    def hear(self, text: str, disclosures: Sequence[Disclosure]) -> None:
        """Begin the next turn with the user's request."""
        self.turn += 1
        self.disclosures = disclosures
        self.actions = list(self.planned_actions.get(self.turn, ()))
        self.messages.append({"role": "user", "content": text})

    def call(self, tool: str, arguments: Mapping[str, JsonValue], text: str = "") -> CallRecord:
        """Make a call, with its assistant and tool messages.

        Args:
            tool: The wire name.
            arguments: JSON values by argument name.
            text: What the agent says with it.
        """
        before = self.session.counters()
        record = self.session.call(tool, arguments)
        produced = ids_created(before, self.session.counters())
        call_id = f"call_{sum(made.record.actor == 'agent' for made in self.calls)}"
        function: JsonObject = {"name": tool, "arguments": canonical_json(dict(arguments))}
        self.messages.append(
            {
                "role": "assistant",
                "content": text,
                "tool_calls": [{"id": call_id, "type": "function", "function": function}],
            }
        )
        self.messages.append(
            {"role": "tool", "tool_call_id": call_id, "name": tool, "content": record.reply()}
        )
        self.calls.append(NumberedCall(turn=self.turn, record=record, produced=produced))
        return record

    def ask(self, message: str) -> str | None:
        """Say something to the user and return the answer; None when the user ends the turn.

        What the user does when asked, it has done when it answers.
        """
        self.tell(message)
        reply = self.user.answer(message, self.disclosures, tuple(self.actions))
        if reply.fault:
            self.fault = f"user_broke_the_brief:{reply.fault}"
        if reply.is_done:
            return None
        if reply.actions:
            return self._act(reply)
        self.messages.append({"role": "user", "content": reply.text})
        return reply.text

    def _act(self, reply: UserReply) -> str:
        """Carry out what the user does and return what it says."""
        said = [reply.text] if reply.text else []
        seen: list[JsonValue] = []
        for action in reply.actions:
            calls = [replace(made.attempted(), produced=made.produced) for made in self.calls]
            acted = carry_out(action, self.session, calls)
            said.append(acted.told)
            if acted.record is not None:
                self.calls.append(NumberedCall(self.turn, acted.record, acted.produced))
                seen.append(as_seen(acted.record))
            if acted.is_done:
                self.actions.remove(action)
        text = " ".join(said)
        self.messages.append({"role": "user", "content": text, "actions": seen})
        return text

    def tell(self, text: str) -> None:
        """Say something to the user."""
        self.messages.append({"role": "assistant", "content": text})

    def heard(self) -> str:
        """Return everything the user has said so far."""
        texts = [str(item["content"]) for item in self.messages if item["role"] == "user"]
        return "\n".join(texts)
