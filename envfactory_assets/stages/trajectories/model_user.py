"""The simulated user as a language model plays it: free in words, bound in facts."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.queries import Disclosure, UserAction
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.queries.invented_values import invented_values
from envfactory_assets.stages.queries.wording import mentions, spellings
from envfactory_assets.stages.trajectories.simulated_user import (
    NOTHING_TO_ADD,
    RuleUser,
    UserReply,
)
from envfactory_assets.stages.trajectories.user_actions import is_request
from envfactory_resources.clients.language_model.errors import ReplyError
from envfactory_resources.clients.language_model.language_model import LanguageModel

_PROMPT = Path(__file__).parent / "prompts" / "user.txt"
_ID = re.compile(r"\b[A-Z]{1,8}-\d+\b")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z][\w-]*")
_LONGEST_REPLY = 600

_log = logging.getLogger(__name__)


class _Reply(BaseModel):
    """What the person answers, what it does, and whether all it asked for is taken care of."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    reply: str
    is_done: bool
    actions: list[int] = []


class ModelUser:
    """Answers in a model's words, from what may be disclosed and nothing else.

    With nothing to disclose and nothing to do no model is asked: the rules answer. A reply that says an id, makes
    something up or keeps back what was asked for is asked for once more, with what was wrong; the
    second one stands with its fault, which the attempt is dropped for. A reply without any fact is
    said in the words of the rules: it could only differ in words. What the person does it names by
    number; doing something unasked breaks the brief.

    Attributes:
        made_by: The role and the model.
        faults: How replies broke the brief, counted, first tries included.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "user", max_tokens=512)
        self._rules = RuleUser()
        self.made_by = self._role.made_by
        self.faults: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(
        self,
        message: str,
        disclosures: Sequence[Disclosure],
        actions: Sequence[UserAction] = (),
    ) -> UserReply:
        """Return the reply to a message, from what may be disclosed and done in this turn.

        Raises:
            RequestError: If the model cannot be reached.
        """
        by_rules = self._rules.answer(message, disclosures, actions)
        if not disclosures and not actions:
            return by_rules
        brief = _Brief(message, disclosures, actions, by_rules)
        note = ""
        said, fault = by_rules, ""
        for _ in range(2):
            said, fault = self._ask(brief, note)
            if not fault:
                break
            with self._lock:
                self.faults[fault] += 1
            _log.warning("%s: a reply broke its brief: %s", self.made_by, fault)
            note = f"An earlier answer cannot stand: {fault.replace('_', ' ')}."
        return replace(said, fault=fault)

    def _ask(self, brief: "_Brief", note: str) -> tuple[UserReply, str]:
        """Return one reply, and how it breaks the brief."""
        question = brief.question()
        try:
            given = self._role.ask(_PROMPT, f"{question}\n\n{note}" if note else question, _Reply)
        except ReplyError as error:
            return brief.by_rules, type(error).__name__
        reply = given.reply.strip()
        if given.is_done and brief.by_rules.is_done and not given.actions:
            return UserReply(reply, is_done=True), ""
        chosen = {number: brief.actions[number - 1] for number in brief.numbers_in(given)}
        if len(chosen) < len(given.actions):
            return brief.by_rules, "does_what_it_cannot"
        if chosen and not is_request(brief.message):
            return brief.by_rules, "does_something_unasked"
        has_fact = any(mentions(reply, item.value) for item in brief.disclosures)
        if chosen and not has_fact:
            return UserReply("", actions=tuple(chosen.values())), ""
        if brief.by_rules.is_done and not has_fact:
            # A report that asks nothing and gets no fact in return leaves nothing to say.
            return UserReply(reply, is_done=True), ""
        fault = _fault(reply, brief.message, brief.disclosures)
        said = reply if has_fact or fault else NOTHING_TO_ADD
        return UserReply(said, actions=tuple(chosen.values())), fault


@dataclass(frozen=True, slots=True)
class _Brief:
    """What one reply is asked for with, and what the rules would answer."""

    message: str
    disclosures: Sequence[Disclosure]
    actions: Sequence[UserAction]
    by_rules: UserReply

    def question(self) -> str:
        facts = "\n".join(
            f"- {item.topic}: {spellings(item.value)[0]} (say it as in: {item.answer})"
            for item in self.disclosures
        )
        parts = [f"The facts that you know:\n{facts}"] if facts else []
        if self.actions:
            doable = "\n".join(
                f"{number}. {action.deed}" for number, action in enumerate(self.actions, start=1)
            )
            parts.append(f"What only you can do, when the assistant asks you to:\n{doable}")
        return "\n\n".join([*parts, f"The assistant says: {self.message}"])

    def numbers_in(self, given: _Reply) -> list[int]:
        return [number for number in given.actions if 1 <= number <= len(self.actions)]


def _fault(reply: str, question: str, disclosures: Sequence[Disclosure]) -> str:
    """Return how a reply breaks the brief, in the words that counts are kept under, or nothing."""
    facts = [text for item in disclosures for text in (item.answer, *spellings(item.value))]
    facts += [item.topic for item in disclosures]
    known = "\n".join(facts)
    if not reply or len(reply) > _LONGEST_REPLY:
        return "empty_or_too_long"
    if set(_ID.findall(reply)) - set(_ID.findall(known)):
        return "says_an_id"
    if invented_values(reply, known, question):
        return "invents_a_value"
    heard = f"{known}\n{question}".casefold()
    if any(name.casefold() not in heard for name in _NAME.findall(reply)):
        return "invents_a_name"
    asked = [item for item in disclosures if item.topic.casefold() in question.casefold()]
    if not all(mentions(reply, item.value) for item in asked):
        return "keeps_back_what_was_asked"
    return ""
