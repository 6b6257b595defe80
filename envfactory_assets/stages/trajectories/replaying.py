"""Replaying calls on a scenario: as recorded, in another order, or with one argument changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from sandboxes.core.catalog import Catalog
from sandboxes.core.parameters import JsonObject
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session, ToolCall
from sandboxes.core.tool import Tool

States = dict[str, dict[str, JsonValue]]


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay gave.

    Attributes:
        records: The outcome of every call, in the order of `calls`, however they were run.
        produced: The ids that each call created.
        states: The end states.
    """

    records: tuple[CallRecord, ...]
    produced: tuple[tuple[str, ...], ...]
    states: States

    @property
    def is_clean(self) -> bool:
        """Whether every call was carried out."""
        return all(record.ok for record in self.records)


def replay_calls(
    scenario: Scenario,
    calls: Sequence[ToolCall],
    catalog: Catalog,
    order: Sequence[int] | None = None,
    produced: Sequence[Sequence[str]] = (),
) -> Replay:
    """Run calls from a scenario in a fresh session.

    Args:
        scenario: Where the session starts.
        calls: What to run.
        catalog: Holds the environments.
        order: The order to run them in, as indexes; their own order by default.
        produced: The ids that each call created when it was recorded. With them, a call that
            names such an id names what the same call created now.
    """
    session = Session.open(scenario, catalog)
    records: dict[int, CallRecord] = {}
    created: dict[int, tuple[str, ...]] = {}
    names: dict[str, str] = {}
    for index in order if order is not None else range(len(calls)):
        call = calls[index]
        arguments = cast("JsonObject", renamed(call.arguments, names)) if names else call.arguments
        before = session.counters()
        records[index] = session.call(call.tool, arguments, call.actor)
        created[index] = ids_created(before, session.counters())
        if produced:
            names |= dict(zip(produced[index], created[index], strict=False))
    indexes = range(len(calls))
    return Replay(
        records=tuple(records[index] for index in indexes),
        produced=tuple(created[index] for index in indexes),
        states=session.states(),
    )


def renamed(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """Return a JSON value with whole-string ids renamed."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(key, key): renamed(item, names) for key, item in value.items()}
    return value


def identifier_arguments(tool: Tool) -> tuple[str, ...]:
    """Return the top-level arguments that hold ids which only a tool can give."""
    names = [
        leaf.path.split(".")[0].split("[")[0]
        for leaf in tool.inputs
        if leaf.identifier and not leaf.speakable
    ]
    return tuple(dict.fromkeys(names))


def ids_created(
    before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]]
) -> tuple[str, ...]:
    """Return the ids that a session gave out between two readings of its counters."""
    return tuple(
        f"{prefix}-{number}"
        for environment_id, counters in after.items()
        for prefix, last in counters.items()
        for number in range(before[environment_id].get(prefix, 0) + 1, last + 1)
    )
