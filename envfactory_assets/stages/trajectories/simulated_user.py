"""The simulated user: says the turn's request and, when asked, what it has kept back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from envfactory_assets.records.queries import Disclosure, UserAction
from envfactory_assets.stages.queries.wording import mentions
from envfactory_assets.stages.trajectories.user_actions import (
    DID_NOT_WORK,
    TRIED,
    actions_asked_for,
)

NOTHING_TO_ADD = "I have nothing to add to that; please go ahead."


@dataclass(frozen=True, slots=True)
class UserReply:
    """What the user makes of a message of the agent.

    Attributes:
        text: What it says, unless it is done.
        is_done: Whether it is content, which ends the turn.
        fault: How it broke its brief; empty when it did not. Such an attempt is the user's fault.
        actions: What it does before it speaks; whoever runs the session carries that out, and
            adds what came of it to the text.
    """

    text: str
    is_done: bool = False
    fault: str = ""
    actions: tuple[UserAction, ...] = ()


class SimulatedUser(Protocol):
    """The role that hears the agent's messages within one turn.

    It knows its request, the facts it may disclose in the turn, and what only it can do there, and
    nothing else.
    """

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    def answer(
        self,
        message: str,
        disclosures: Sequence[Disclosure],
        actions: Sequence[UserAction] = (),
    ) -> UserReply:
        """Return the reply to a message.

        Args:
            message: What the agent says.
            disclosures: What may be disclosed in this turn.
            actions: What the user can still do in this turn, when asked.
        """
        ...


class RuleUser:
    """Answers a question that touches a kept-back fact with that fact, and nothing else.

    What it can do it does when a message asks for it. A message that asks nothing ends the turn.
    """

    made_by = "user:rules"

    def answer(
        self,
        message: str,
        disclosures: Sequence[Disclosure],
        actions: Sequence[UserAction] = (),
    ) -> UserReply:
        """Return the reply to a message, from what may be disclosed and done in this turn."""
        answers = [item.answer for item in disclosures if mentions(message, item.topic)]
        asked = actions_asked_for(message, actions)
        return UserReply(
            " ".join(answers) or ("" if asked else NOTHING_TO_ADD),
            is_done="?" not in message and not asked,
            actions=asked,
        )


def is_needless(answer: str) -> bool:
    """Return whether an answer of the user shows that the question was in vain."""
    did_nothing = answer.startswith(TRIED) and answer.endswith(DID_NOT_WORK)
    return answer == NOTHING_TO_ADD or did_nothing
