"""The judge as a language model plays it."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_resources.clients.language_model.language_model import LanguageModel

_PROMPT = Path(__file__).parent / "prompts" / "judge.txt"
_LONGEST_RESULT = 1_500

_log = logging.getLogger(__name__)


class _Rating(BaseModel):
    """How well one numbered conversation reads, from 0 (poor) to 10 (as good as can be)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    number: int
    reason: str
    rating: int


class _Ratings(BaseModel):
    """One rating for each conversation."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    ratings: list[_Rating]


class ModelJudge:
    """Rates by asking a model, which sees all attempts at a task side by side.

    Ratings that are missing, contradictory or out of range are asked for once more; then the rules
    rate the task's attempts.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "judge", max_tokens=2048)
        self._rules = RuleJudge()
        self.made_by = self._role.made_by
        self.max_concurrency = model.max_concurrency

    def rate(
        self, requests: Sequence[str], conversations: Sequence[Sequence[JsonObject]]
    ) -> list[float]:
        """Return a rating for each conversation.

        Raises:
            RequestError: If the model cannot be reached.
        """
        numbers = list(range(1, len(conversations) + 1))
        question = _question(requests, conversations)

        def ask(asked: Sequence[int], note: str) -> dict[int, float]:
            text = f"{question}\n\n{note}" if note else question
            return _usable(self._role.ask(_PROMPT, text, _Ratings).ratings, asked)

        given = self._role.ask_about(numbers, ask)
        if len(given) < len(numbers):
            _log.warning("%s: rules rate a task, as ratings are missing", self.made_by)
            return self._rules.rate(requests, conversations)
        return [given[number] for number in numbers]


def _usable(ratings: Sequence[_Rating], asked: Sequence[int]) -> dict[int, float]:
    found: dict[int, set[int]] = {}
    for item in ratings:
        if item.number in asked and 0 <= item.rating <= 10:
            found.setdefault(item.number, set()).add(item.rating)
    return {number: given.pop() / 10 for number, given in found.items() if len(given) == 1}


def _question(requests: Sequence[str], conversations: Sequence[Sequence[JsonObject]]) -> str:
    asked = "\n".join(f"- {text}" for text in requests)
    parts = [f"What the user asked for, turn by turn:\n{asked}"]
    for number, messages in enumerate(conversations, start=1):
        lines = [_line(message) for message in messages if message["role"] != "system"]
        parts.append(f"Conversation {number}:\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _line(message: JsonObject) -> str:
    shown = str(message["content"])[:_LONGEST_RESULT]
    calls = message.get("tool_calls")
    if calls:
        return f"assistant calls {json.dumps(calls, ensure_ascii=False)} {shown}".rstrip()
    return f"{message['role']}: {shown}"
