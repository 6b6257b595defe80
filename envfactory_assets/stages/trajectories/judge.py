"""The judge: the role that compares attempts which solve a task equally well."""

from collections.abc import Sequence
from typing import Protocol

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.trajectories.simulated_user import is_needless


class Judge(Protocol):
    """Rates how well attempts at one task read, in [0, 1]; what they did is already settled."""

    @property
    def made_by(self) -> str:
        """Who that is: role and implementation."""
        ...

    @property
    def max_concurrency(self) -> int:
        """How many tasks may be judged at once."""
        ...

    def rate(
        self, requests: Sequence[str], conversations: Sequence[Sequence[JsonObject]]
    ) -> list[float]:
        """Return a rating for each conversation.

        Args:
            requests: What the user asked for, one text a turn.
            conversations: The messages of each attempt.

        Raises:
            LanguageModelError: If a model plays the role and cannot be reached.
        """
        ...


class RuleJudge:
    """Rates by what can be counted: a needless question and a silent end are marked down."""

    made_by = "judge:rules"
    max_concurrency = 1

    def rate(
        self, requests: Sequence[str], conversations: Sequence[Sequence[JsonObject]]
    ) -> list[float]:
        """Return a rating for each conversation."""
        del requests
        return [_rating(messages) for messages in conversations]


def _rating(messages: Sequence[JsonObject]) -> float:
    needless = sum(
        message["role"] == "user" and is_needless(str(message["content"])) for message in messages
    )
    is_silent = not str(messages[-1]["content"]).strip()
    return max(0.0, 1.0 - 0.25 * needless - 0.5 * is_silent)
