"""The query writer as a language model plays it."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.queries import DraftQuery, RefinedQuery
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.queries.invented_values import invented_values
from envfactory_assets.stages.queries.model_questions import TurnView, drafting_question
from envfactory_assets.stages.queries.refinement import query_violations
from envfactory_resources.clients.language_model.errors import ReplyError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from sandboxes.core.catalog import Catalog

_PROMPT = Path(__file__).parent / "prompts" / "query_writer.txt"


class _Request(BaseModel):
    """What the person writes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str


class ModelQueryWriter:
    """Words every turn by asking a model, in the person's manner and along its story.

    A request that breaks an invariant of queries or makes up a value is asked for once more, with
    what was wrong; then the words of the rules stay, and the row's notes say why.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "query_writer", max_tokens=1024)
        self.made_by = self._role.made_by
        self.max_concurrency = model.max_concurrency

    def write(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[DraftQuery]:
        """Return the drafts of one task in the model's words; their plan stays what it is.

        Raises:
            RequestError: If the model cannot be reached.
        """
        worded: list[DraftQuery] = []
        for draft in drafts:
            earlier = [_spoken(row) for row in worded]
            worded.append(self._word(TurnView(draft, earlier, catalog)))
        return worded

    def _word(self, view: TurnView) -> DraftQuery:
        notes: list[str] = []
        note = ""
        for _ in range(2):
            try:
                text = self._role.ask(_PROMPT, drafting_question(view, note), _Request).text.strip()
            except ReplyError as error:
                notes.append(f"A request was of no use: {type(error).__name__}.")
                note = "An earlier answer could not be used. Keep to the form that is asked for."
                continue
            wrong = _wrong(text, view)
            if not wrong:
                told = {"draft_text": text, "made_by": self.made_by}
                return _with_notes(view.draft.model_copy(update=told), notes)
            notes.append(f"A request could not stand: {' '.join(wrong)}")
            note = f"An earlier answer was:\n{text}\nIt cannot stand: {' '.join(wrong)}"
        return _with_notes(view.draft, notes)


def _wrong(text: str, view: TurnView) -> list[str]:
    known = (view.history, view.spoken_values, view.draft.persona, view.draft.story)
    made_up = [
        f"It says {value!r}, which is not in the list." for value in invented_values(text, *known)
    ]
    said = _spoken(view.draft.model_copy(update={"draft_text": text}))
    as_drafted = query_violations([*view.earlier, _spoken(view.draft)], view.catalog)
    found = query_violations([*view.earlier, said], view.catalog)
    return made_up + [sentence for sentence in found if sentence not in as_drafted]


def _spoken(draft: DraftQuery) -> RefinedQuery:
    """Return a draft as a request that nothing was refined in."""
    return RefinedQuery(
        **{key: getattr(draft, key) for key in DraftQuery.model_fields},
        refined_text=draft.draft_text,
        operations=(),
        disclosures=(),
    )


def _with_notes(draft: DraftQuery, notes: Sequence[str]) -> DraftQuery:
    return draft.model_copy(update={"notes": (*draft.notes, *notes)})
