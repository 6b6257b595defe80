"""The refiner as a language model plays it: the same operations, held to the same proofs."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.queries import (
    Disclosure,
    DraftQuery,
    Operation,
    OperationName,
    RefinedQuery,
)
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.queries.invented_values import invented_values
from envfactory_assets.stages.queries.model_questions import TurnView, refinement_question
from envfactory_assets.stages.queries.refinement import query_violations
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.wording import mentions, topic_of
from envfactory_resources.clients.language_model.errors import ReplyError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from sandboxes.core.catalog import Catalog

_PROMPT = Path(__file__).parent / "prompts" / "refiner.txt"
_ORDER: tuple[OperationName, ...] = (
    "action_compression",
    "implicit_reference",
    "ambiguity",
    "goal_expansion",
)


class _KeptBack(BaseModel):
    """A value that is no longer said."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    step: int
    parameter: str
    answer: str


class _Rewritten(BaseModel):
    """The request after one refinement."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    applies: bool
    text: str
    change: str
    kept_back: list[_KeptBack]


@dataclass(frozen=True, slots=True)
class _Worded:
    """The request as it stands, and what it keeps back."""

    text: str
    disclosures: tuple[Disclosure, ...] = ()


class ModelRefiner:
    """Lets a model apply the four operations, each with its configured probability.

    Every operation is one request. One that breaks an invariant of queries is asked for once more,
    with what was wrong, and then undone; the row keeps the reason.
    """

    def __init__(self, settings: QuerySettings, model: LanguageModel) -> None:
        """Take the calibration and the model to ask."""
        self._settings = settings
        self._role = ModelRole(model, "refiner")
        self.made_by = self._role.made_by
        self.max_concurrency = model.max_concurrency

    def refine(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[RefinedQuery]:
        """Return the refined turns of one task, in order.

        Raises:
            RequestError: If the model cannot be reached.
        """
        refined: list[RefinedQuery] = []
        for draft in drafts:
            view = TurnView(draft, tuple(refined), catalog)
            worded = _Worded(draft.draft_text)
            operations: list[Operation] = []
            for name in self._drawn(draft):
                worded, operation = self._apply(name, worded, view)
                operations.append(operation)
            refined.append(_row(draft, worded, tuple(operations), self.made_by))
        return refined

    def _drawn(self, draft: DraftQuery) -> list[OperationName]:
        rng = random.Random(f"refine:{self._settings.seed}:{draft.query_id}")
        return [name for name in _ORDER if rng.random() < getattr(self._settings, name)]

    def _apply(
        self, name: OperationName, before: _Worded, view: TurnView
    ) -> tuple[_Worded, Operation]:
        if not view.allows(name):
            return before, _undone(name, before, "Nothing in this turn allows it.")
        wrong: list[str] = []
        note = ""
        for _ in range(2):
            question = refinement_question(view, name, before.text, before.disclosures, note)
            try:
                reply = self._role.ask(_PROMPT, question, _Rewritten)
            except ReplyError as error:
                wrong = [f"The reply was of no use: {type(error).__name__}."]
                note = "An earlier answer could not be used. Answer in the form that is asked for."
                continue
            text = reply.text.strip()
            if not reply.applies or text == before.text:
                reason = reply.change.strip() or "nothing changed"
                return before, _undone(name, before, f"Does not apply: {reason}")
            after, wrong = _checked(name, reply, text, before, view)
            if not wrong:
                return after, _done(name, before, after, reply.change)
            note = f"An earlier answer was:\n{text}\nIt cannot stand: {' '.join(wrong)}"
        return before, _undone(name, before, f"Undone after two tries: {' '.join(wrong)}")


def _checked(
    name: OperationName, reply: _Rewritten, text: str, before: _Worded, view: TurnView
) -> tuple[_Worded, list[str]]:
    """Return the request with what it keeps back, and what is wrong with it."""
    kept_back, wrong = _kept_back(name, reply.kept_back, text, before, view)
    after = _Worded(text, before.disclosures + kept_back)
    answers = [item.answer for item in kept_back]
    known = (before.text, view.history, view.spoken_values, view.draft.persona)
    wrong += [
        f"It says {value!r}, which is not in the list."
        for value in invented_values("\n".join([text, *answers]), *known)
    ]
    wrong += [
        f"It says the {item.topic}, which is kept back."
        for item in before.disclosures
        if mentions(text, item.value) and not mentions(before.text, item.value)
    ]
    return after, wrong + _broken_invariants(after, answers, before, view)


def _kept_back(
    name: OperationName,
    items: Sequence[_KeptBack],
    text: str,
    before: _Worded,
    view: TurnView,
) -> tuple[tuple[Disclosure, ...], list[str]]:
    if name != "ambiguity":
        wrong = [f"{name} keeps nothing back; kept_back must be empty."] if items else []
        return (), wrong
    kept_before = {(item.step, item.path) for item in before.disclosures}
    allowed = {
        (call.step, argument.path): argument
        for call, argument in view.may_keep_back()
        if (call.step, argument.path) not in kept_before
    }
    found: dict[tuple[int, str], Disclosure] = {}
    wrong = [] if items else ["ambiguity must keep a value back; kept_back is empty."]
    for item in items:
        argument = allowed.get((item.step, item.parameter))
        if argument is None:
            wrong.append(f"Step {item.step} has no {item.parameter!r} that may be kept back.")
        elif mentions(text, argument.value):
            wrong.append(f"{item.parameter} of step {item.step} is kept back but still said.")
        elif not mentions(item.answer, argument.value):
            wrong.append(f"The answer about {item.parameter} does not say {argument.value!r}.")
        else:
            found[item.step, item.parameter] = Disclosure(
                step=item.step,
                path=item.parameter,
                topic=topic_of(item.parameter, argument.value),
                value=argument.value,
                answer=item.answer.strip(),
            )
    return tuple(found.values()), wrong


def _broken_invariants(
    after: _Worded, answers: Sequence[str], before: _Worded, view: TurnView
) -> list[str]:
    """Return what the operation breaks; what the draft itself lacks is not its fault.

    Answers are things that the user says too, so they are checked as a message without calls.
    """
    changed = [_row(view.draft, after)]
    if answers:
        spoken = {"refined_text": "\n".join(answers), "calls": (), "disclosures": ()}
        changed.append(changed[0].model_copy(update=spoken))
    found = query_violations([*view.earlier, *changed], view.catalog)
    already = query_violations([*view.earlier, _row(view.draft, before)], view.catalog)
    return [sentence for sentence in found if sentence not in already]


def _row(
    draft: DraftQuery,
    worded: _Worded,
    operations: tuple[Operation, ...] = (),
    made_by: str = "",
) -> RefinedQuery:
    row = RefinedQuery(
        **{key: getattr(draft, key) for key in DraftQuery.model_fields},
        refined_text=worded.text,
        operations=operations,
        disclosures=worded.disclosures,
    )
    return row.model_copy(update={"made_by": made_by})


def _done(name: OperationName, before: _Worded, after: _Worded, change: str) -> Operation:
    reason = change.strip() or "no reason given"
    return Operation(name=name, before=before.text, after=after.text, applied=True, reason=reason)


def _undone(name: OperationName, before: _Worded, reason: str) -> Operation:
    return Operation(name=name, before=before.text, after=before.text, applied=False, reason=reason)
