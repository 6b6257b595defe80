"""The simulated user as a language model plays it: free in words, bound in facts."""

import logging
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.queries.invented_values import invented_values
from envfactory_assets.stages.queries.wording import mentions, spellings
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD, RuleUser
from envfactory_resources.clients.language_model.errors import ReplyError
from envfactory_resources.clients.language_model.language_model import LanguageModel

_PROMPT = Path(__file__).parent / "prompts" / "user.txt"
_ID = re.compile(r"\b[A-Z]{1,8}-\d+\b")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z][\w-]*")
_LONGEST_REPLY = 600

_log = logging.getLogger(__name__)


class _Reply(BaseModel):
    """What the person answers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    reply: str


class ModelUser:
    """Answers questions in a model's words, from what may be disclosed and nothing else.

    With nothing to disclose no model is asked. A reply that says an id, makes something up or
    keeps back what was asked for is replaced by the rules' answer, and so is one without any fact:
    it could only differ in words.

    Attributes:
        made_by: The role and the model.
        replaced: Why replies were replaced, counted.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "user", max_tokens=512)
        self._rules = RuleUser()
        self.made_by = self._role.made_by
        self.replaced: Counter[str] = Counter()

    def answer(self, question: str, disclosures: Sequence[Disclosure]) -> str:
        """Return the reply to a question, from what may be disclosed in this turn.

        Raises:
            RequestError: If the model cannot be reached.
        """
        if not disclosures:
            return NOTHING_TO_ADD
        try:
            reply = self._role.ask(_PROMPT, _question(question, disclosures), _Reply).reply.strip()
            objection = _objection(reply, question, disclosures)
        except ReplyError as error:
            reply, objection = "", type(error).__name__
        if not objection and any(mentions(reply, item.value) for item in disclosures):
            return reply
        if objection:
            self._note(objection)
        return self._rules.answer(question, disclosures)

    def _note(self, objection: str) -> None:
        self.replaced[objection] += 1
        _log.warning("%s: a reply was replaced by the rules' answer: %s", self.made_by, objection)


def _question(question: str, disclosures: Sequence[Disclosure]) -> str:
    facts = "\n".join(
        f"- {item.topic}: {spellings(item.value)[0]} (say it as in: {item.answer})"
        for item in disclosures
    )
    return f"The facts that you know:\n{facts}\n\nThe assistant asks: {question}"


def _objection(reply: str, question: str, disclosures: Sequence[Disclosure]) -> str:
    """Return why a reply cannot stand, in the words that counts are kept under, or nothing."""
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
