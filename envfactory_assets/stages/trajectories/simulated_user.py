"""The simulated user: says the turn's request and, when asked, what it has kept back."""

from collections.abc import Sequence
from typing import Protocol

from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.queries.wording import mentions

NOTHING_TO_ADD = "I have nothing to add to that; please go ahead."


class SimulatedUser(Protocol):
    """The role that answers the agent's questions within one turn."""

    made_by: str

    def answer(self, question: str, disclosures: Sequence[Disclosure]) -> str:
        """Return the reply to a question, from what may be disclosed in this turn."""
        ...


class RuleUser:
    """Answers a question that touches a kept-back fact with that fact, and nothing else."""

    made_by = "user:rules"

    def answer(self, question: str, disclosures: Sequence[Disclosure]) -> str:
        """Return the reply to a question, from what may be disclosed in this turn."""
        answers = [item.answer for item in disclosures if mentions(question, item.topic)]
        return " ".join(answers) or NOTHING_TO_ADD
