"""The simulated user: says the turn's request and, when asked, what it has kept back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.queries.wording import mentions

NOTHING_TO_ADD = "I have nothing to add to that; please go ahead."


@dataclass(frozen=True, slots=True)
class UserReply:
    """What the user makes of a message of the agent.

    Attributes:
        text: What it says, unless it is done.
        is_done: Whether it is content, which ends the turn.
        fault: How it broke its brief; empty when it did not. Such an attempt is the user's fault.
    """

    text: str
    is_done: bool = False
    fault: str = ""


class SimulatedUser(Protocol):
    """The role that hears the agent's messages within one turn.

    It knows its request and the facts it may disclose in the turn, and nothing else.
    """

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    def answer(self, message: str, disclosures: Sequence[Disclosure]) -> UserReply:
        """Return the reply to a message, from what may be disclosed in this turn."""
        ...


class RuleUser:
    """Answers a question that touches a kept-back fact with that fact, and nothing else.

    A message that asks nothing ends the turn.
    """

    made_by = "user:rules"

    def answer(self, message: str, disclosures: Sequence[Disclosure]) -> UserReply:
        """Return the reply to a message, from what may be disclosed in this turn."""
        answers = [item.answer for item in disclosures if mentions(message, item.topic)]
        return UserReply(" ".join(answers) or NOTHING_TO_ADD, is_done="?" not in message)
