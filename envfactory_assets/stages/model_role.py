"""A role as a language model plays it: a prompt file, a question, a structured output.

Here: asking, and asking once more about what was left out.
Not here: what a role asks and how it checks the answers (beside each stage's rules).
"""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from envfactory_resources.clients.language_model.errors import ReplyError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from envfactory_resources.clients.language_model.structured_output import OutputT

SECOND_TRY = (
    "An earlier answer left these out, contradicted itself or could not be read. Answer for every "
    "one of them, and name nothing that is not listed here."
)

ItemT = TypeVar("ItemT", bound=Hashable)
AnswerT = TypeVar("AnswerT")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelRole:
    """One role and the model that plays it.

    Attributes:
        model: Whom to ask; usage is booked under the role's name.
        name: The role, `refiner`.
        max_tokens: The most tokens an answer may have.
    """

    model: LanguageModel
    name: str
    max_tokens: int = 4096

    @property
    def made_by(self) -> str:
        """What rows say about who decided: role and model."""
        return f"{self.name}:{self.model.model}"

    def ask(self, prompt: Path, question: str, output: type[OutputT]) -> OutputT:
        """Return the answer to one question.

        Args:
            prompt: The file of the system text.
            question: What is asked.
            output: What the answer must be.

        Raises:
            RequestError: If no reply came.
            ReplyError: If a reply came and is of no use.
        """
        system = prompt.read_text(encoding="utf-8")
        messages = [{"role": "user", "content": question}]
        answer, _ = self.model.structured(
            self.name, system, messages, output, max_tokens=self.max_tokens
        )
        return answer

    def ask_about(
        self,
        items: Sequence[ItemT],
        ask: Callable[[Sequence[ItemT], str], Mapping[ItemT, AnswerT]],
    ) -> dict[ItemT, AnswerT]:
        """Return an answer for as many items as the model gives one in two tries.

        Args:
            items: What to ask about.
            ask: Asks about some items, with a note to add to the question (empty at first), and
                returns what was answered. A useless reply counts as no answer.

        Raises:
            RequestError: If no reply came.
        """
        found: dict[ItemT, AnswerT] = {}
        for note in ("", SECOND_TRY):
            left = [item for item in items if item not in found]
            if not left:
                break
            try:
                found |= ask(left, note)
            except ReplyError as error:
                _log.warning("%s", error)
        return found
