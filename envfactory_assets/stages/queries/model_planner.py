"""The scenario planner as a language model plays it."""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.queries.adjustments import (
    AdjustableText,
    Place,
    adjustable_texts,
    adjusted,
    unfit_replacement,
)
from envfactory_assets.stages.queries.binding import BoundTask
from envfactory_assets.stages.queries.invented_values import invented_values
from envfactory_assets.stages.queries.planner import ScenarioPlan, persona_of
from envfactory_resources.clients.language_model.errors import ReplyError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from sandboxes.core.catalog import Catalog

_PROMPT = Path(__file__).parent / "prompts" / "scenario_planner.txt"
_MOST_TEXTS = 24
_LONGEST_STORY = 600
_ID = re.compile(r"\b[A-Z]{1,8}-\d+\b")


class _Replacement(BaseModel):
    """One numbered text of the scenario, said otherwise."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    number: int
    text: str


class _Plan(BaseModel):
    """Who asks and what for, and the texts that should fit the story better."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    manner: str
    story: str
    replacements: list[_Replacement]


class ModelPlanner:
    """Lets a model tell the story behind a chain and adjust the texts of its scenario to it.

    A story that names a tool, says an id or makes up a value is asked for once more, with what was
    wrong, and then left out. Adjustments are proven one after the other; one that cannot stand is
    left out. The plan's notes keep every reason.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "scenario_planner", max_tokens=2048)
        self.made_by = self._role.made_by
        self.max_concurrency = model.max_concurrency

    def plan(self, task: BoundTask, catalog: Catalog) -> ScenarioPlan:
        """Return the plan of a bound task; its calls stay what they are.

        Raises:
            RequestError: If the model cannot be reached.
        """
        persona = persona_of(task)
        texts = adjustable_texts(task, _MOST_TEXTS)
        question = _question(task, persona, texts, catalog)
        notes: list[str] = []
        note = ""
        for _ in range(2):
            try:
                plan = self._role.ask(_PROMPT, f"{question}{note}", _Plan)
            except ReplyError as error:
                notes.append(f"A plan was of no use: {type(error).__name__}.")
                note = "\n\nAn earlier answer could not be used. Keep to the form asked for."
                continue
            wrong = _wrong(plan, question, catalog)
            if not wrong:
                return _carried_out(task, persona, plan, texts, notes, catalog)
            notes.append(f"A plan could not stand: {' '.join(wrong)}")
            note = f"\n\nAn earlier answer cannot stand: {' '.join(wrong)}"
        return ScenarioPlan(task, persona, notes=tuple(notes))


def _carried_out(
    task: BoundTask,
    persona: str,
    plan: _Plan,
    texts: Sequence[AdjustableText],
    notes: list[str],
    catalog: Catalog,
) -> ScenarioPlan:
    for item in plan.replacements:
        new = item.text.strip()
        if not 1 <= item.number <= len(texts) or not new:
            notes.append(f"There is no text {item.number} to adjust.")
            continue
        old = texts[item.number - 1]
        changes: dict[Place, str] = {old.place: new}
        reason = unfit_replacement(old.text, new, task)
        changed, reason = (None, reason) if reason else adjusted(task, changes, catalog)
        if changed is None:
            notes.append(f"{old.text!r} stays as it is: {reason}")
        else:
            task = changed
            notes.append(f"{old.text!r} now says {new!r}.")
    who = f"{persona}; {plan.manner.strip()}" if plan.manner.strip() else persona
    return ScenarioPlan(task, who, plan.story.strip(), tuple(notes))


def _wrong(plan: _Plan, question: str, catalog: Catalog) -> list[str]:
    told = f"{plan.manner}\n{plan.story}"
    wrong = [
        f"It names the tool {name!r}."
        for tool in catalog.tools.values()
        for name in (tool.wire_name, tool.name)
        if "_" in name and name in told
    ]
    wrong += [f"It says the id {found!r}." for found in _ID.findall(told)]
    wrong += [f"It makes up {value!r}." for value in invented_values(told, question)]
    if len(plan.story) > _LONGEST_STORY:
        wrong.append(f"The story has {len(plan.story)} characters; at most {_LONGEST_STORY}.")
    return wrong


def _question(
    task: BoundTask, persona: str, texts: Sequence[AdjustableText], catalog: Catalog
) -> str:
    steps = "\n".join(
        f"{call.step + 1}. {catalog.tools[call.tool].description}" for call in task.calls
    )
    listed = "\n".join(f"{number}. {item.text}" for number, item in enumerate(texts, start=1))
    return (
        f"The person: {persona}\nToday: {task.scenario.start[:10]}\n\n"
        f"What the assistant will be asked to do, in this order:\n{steps}\n\n"
        f"Texts of the person's data that may be said otherwise:\n{listed or 'none'}"
    )
