"""Adjustments of a scenario: texts of its states that may be said otherwise, and the proof of it.

A text may be replaced where the planned calls neither say nor point at it, where it stands once,
and where it is prose. A replacement says nothing that the task speaks of, so that what singled a
thing out still does, and it is proven: the state models take it, every planned call succeeds as
before, and what later calls take from a result is still there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.queries import PlannedCall
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.queries.binding import BoundTask
from envfactory_assets.stages.queries.invented_values import invented_values
from envfactory_assets.stages.queries.wording import mentions
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import SandboxError
from sandboxes.core.json_paths import text_leaves, value_at
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

_SHORTEST_WORDS = 3
_LONGEST_TEXT = 200
_LONGEST_GROWTH = 3

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class AdjustableText:
    """A text of a scenario that may be said otherwise.

    Attributes:
        place: Where it stands: the environment's id, then keys and positions.
        text: What it says.
    """

    place: Place
    text: str


def adjustable_texts(task: BoundTask, limit: int) -> list[AdjustableText]:
    """Return the texts of a task's scenario that may be said otherwise, the first of them."""
    states = cast("JsonObject", task.scenario.states)
    leaves = list(_leaves(states, ()))
    counted = Counter(text for _, text in leaves)
    used = _used_texts(task.calls)
    found = [
        AdjustableText(place, text)
        for place, text in leaves
        if counted[text] == 1 and _is_prose(text) and not any(text in said for said in used)
    ]
    return found[:limit]


def unfit_replacement(old: str, new: str, task: BoundTask) -> str:
    """Return why a text of a task's scenario cannot take the place of another; nothing if it can.

    Args:
        old: What stands there.
        new: What is to stand there.
        task: The task, whose calls must go on pointing at one thing each.
    """
    if not _is_prose(new) or len(new) > _LONGEST_GROWTH * len(old):
        return f"{new!r} is no text of about the same length and kind."
    made_up = invented_values(new, old)
    if made_up:
        return f"{new!r} makes up {made_up[0]!r}."
    said = [text for text in _used_texts(task.calls) if not mentions(old, text)]
    pointed_at = next((text for text in said if text and mentions(new, text)), None)
    if pointed_at is not None:
        return f"{new!r} says {pointed_at!r}, which the task speaks of."
    states = cast("JsonObject", task.scenario.states)
    if any(text.casefold() == new.casefold() for _, text in _leaves(states, ())):
        return f"{new!r} stands elsewhere already."
    return ""


def adjusted(
    task: BoundTask, changes: Mapping[Place, str], catalog: Catalog
) -> tuple[BoundTask | None, str]:
    """Return a task on a scenario with other texts; None and why, where that cannot stand."""
    states = cast("JsonObject", _replaced(cast("JsonObject", task.scenario.states), changes, ()))
    scenario = Scenario.model_validate({**task.scenario.model_dump(), "states": states})
    try:
        session = Session.open(scenario, catalog)
        records = [session.call(call.tool, call.arguments, call.actor) for call in task.calls]
    except SandboxError as error:
        return None, str(error)
    results = tuple(record.result or {} for record in records)
    for call, record in zip(task.calls, records, strict=True):
        if not record.ok:
            return None, f"{call.tool} is refused then: {record.error}"
        for argument in call.provenance:
            if argument.source_step is None:
                continue
            given = value_at(results[argument.source_step], argument.source_path or "")
            if given != argument.value:
                return None, f"{call.tool} would no longer find {argument.value!r}."
    return replace(task, scenario=scenario, results=results), ""


def _leaves(value: JsonValue, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*place, index))


def _replaced(value: JsonValue, changes: Mapping[Place, str], place: Place) -> JsonValue:
    if isinstance(value, dict):
        return {key: _replaced(item, changes, (*place, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, changes, (*place, index)) for index, item in enumerate(value)]
    return changes.get(place, value)


def _is_prose(text: str) -> bool:
    words = [word for word in text.split() if re.search(r"[A-Za-z]{2}", word)]
    return len(words) >= _SHORTEST_WORDS and len(text) <= _LONGEST_TEXT and "@" not in text


def _used_texts(calls: Sequence[PlannedCall]) -> list[str]:
    """Return everything that the calls say, and the ways in which a person points at things."""
    used = [str(leaf) for call in calls for _, leaf in text_leaves(dict(call.arguments))]
    used += [
        referent.text for call in calls for item in call.provenance for referent in item.referents
    ]
    return used
