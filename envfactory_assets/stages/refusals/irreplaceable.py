"""Which tools nothing else can stand in for: what they change, no other tool was seen to change."""

from collections.abc import Mapping, Sequence
from typing import cast

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.changes import States, changes_between

Place = tuple[str, ...]


def writes_of(task: RlTask) -> list[JsonObject]:
    """Return the writing calls of a turn's reference."""
    calls = cast("list[JsonObject]", task.reference["calls"])
    return [call for call in calls if call["effect"] == "write"]


def places_changed(tasks: Sequence[RlTask]) -> dict[str, frozenset[Place]]:
    """Return for each writing tool what it was seen to change, over turns that write once."""
    found: dict[str, set[Place]] = {}
    for task in tasks:
        writes = writes_of(task)
        if len(writes) == 1:
            before = cast("States", task.reference["initial_states"])
            after = cast("States", task.reference["end_states"])
            found.setdefault(str(writes[0]["tool"]), set()).update(_places(before, after))
    return {tool: frozenset(places) for tool, places in found.items()}


def is_irreplaceable(
    tool: str, offered: Sequence[str], changed: Mapping[str, frozenset[Place]]
) -> bool:
    """Return whether no other offered tool can do what a tool does, so far as was seen.

    A writing tool that was never seen at work may do anything, so it counts as able to.

    Args:
        tool: The tool.
        offered: The other writing tools of the session.
        changed: What each tool was seen to change.
    """
    own = changed[tool]
    return all(other in changed and not own & changed[other] for other in offered)


def _places(before: States, after: States) -> set[Place]:
    """Return the changed places, without which record: made, removed, or one of its fields."""
    found: set[Place] = set()
    for path in changes_between(before, after):
        environment, name, *rest = (str(part) for part in path)
        old, new = before[environment].get(name), after[environment].get(name)
        if isinstance(old, dict) and isinstance(new, dict) and rest:
            if rest[0] not in old or rest[0] not in new:
                found.add((environment, name, "made" if rest[0] not in old else "removed"))
                continue
            rest = rest[1:]
        found.add((environment, name, *_named(rest)))
    return found


def _named(parts: Sequence[str]) -> list[str]:
    """Return the fields on a way; numbers and ids say which one, not what."""
    return [part for part in parts if part.isidentifier()]
