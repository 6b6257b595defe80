"""What only the user can do: recognising a request for it, and carrying it out in the session."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.queries import MadeBefore, PlannedCall, RefinedQuery, UserAction
from envfactory_assets.stages.queries.phrasing import deed_of, words_of_phrasings
from envfactory_assets.stages.queries.wording import mentions
from envfactory_assets.stages.reward.models import AttemptedCall
from envfactory_assets.stages.trajectories.answers import facts_of
from envfactory_assets.stages.trajectories.past_tense import past, yours
from envfactory_assets.stages.trajectories.replaying import (
    Replay,
    ids_created,
    renamed,
    replay_calls,
)
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import text_leaves
from sandboxes.core.parameters import JsonObject
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session, ToolCall

TRIED = "I tried to "
DID_NOT_WORK = "but it did not let me; something may have to be done first."
_ASKING = re.compile(r"\?|\bplease\b", re.IGNORECASE)
_STEM = 4


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of an action of the user.

    Attributes:
        record: The call; None when there was nothing yet to do it with.
        produced: The ids that it created.
        told: What the user says of it.
    """

    record: CallRecord | None
    produced: tuple[str, ...]
    told: str

    @property
    def is_done(self) -> bool:
        """Whether it was carried out."""
        return self.record is not None and self.record.ok


def planned_actions(
    queries: Sequence[RefinedQuery], catalog: Catalog
) -> dict[int, tuple[UserAction, ...]]:
    """Return what the user does in each turn of a task, by turn; nothing in most tasks."""
    planned = [(query.turn, call) for query in queries for call in query.calls]
    if all(call.actor == "agent" for _, call in planned):
        return {}
    calls = [
        ToolCall(tool=call.tool, arguments=call.arguments, actor=call.actor) for _, call in planned
    ]
    replay = replay_calls(Scenario.model_validate(queries[0].scenario), calls, catalog)
    made = _made(replay)
    found = [
        (turn, _action(call, catalog, made[:index]))
        for index, (turn, call) in enumerate(planned)
        if call.actor == "user"
    ]
    return {
        turn: tuple(action for _, action in actions)
        for turn, actions in groupby(found, key=lambda item: item[0])
    }


def made_before(arguments: JsonObject, earlier: Sequence[AttemptedCall]) -> tuple[MadeBefore, ...]:
    """Return the ids in an action's arguments that one of the earlier calls created."""
    named = {str(value) for _, value in text_leaves(arguments)}
    return tuple(
        MadeBefore(
            value=value,
            tool=call.tool,
            arguments=dict(call.bound or {}),
            position=position,
            ordinal=sum(other.ok and other.tool == call.tool for other in earlier[:index]),
        )
        for index, call in enumerate(earlier)
        for position, value in enumerate(call.produced)
        if value in named
    )


def actions_asked_for(message: str, actions: Sequence[UserAction]) -> tuple[UserAction, ...]:
    """Return the actions that a message asks for.

    It asks when it has a question mark or a `please`, and says a verb and another word of how the
    action is asked for. Of several alike it asks for those it names, or else for the first.
    """
    if not is_request(message):
        return ()
    stems = _stems(re.findall(r"[a-z]+", message.lower()))
    asked = [
        action
        for action in actions
        if _stems(action.verbs) & stems and _stems(action.things) & stems
    ]
    chosen: list[UserAction] = []
    for tool in dict.fromkeys(action.tool for action in asked):
        alike = [action for action in asked if action.tool == tool]
        named = [
            action for action in alike if any(mentions(message, name) for name in action.names)
        ]
        chosen += alike if len(alike) == 1 else named or alike[:1]
    return tuple(chosen)


def is_request(message: str) -> bool:
    """Return whether a message asks for something at all."""
    return _ASKING.search(message) is not None


def request_for(action: UserAction) -> str:
    """Return how an agent asks the user for an action."""
    return f"Could you please {action.request}?"


def carry_out(action: UserAction, session: Session, calls: Sequence[AttemptedCall]) -> Acted:
    """Carry an action out as the user, and return what came of it.

    Args:
        action: The action.
        session: The session of the attempt.
        calls: Every call of the attempt so far, with the ids that each created.

    Raises:
        EnvironmentFaultError: If the environment broke its contract.
    """
    arguments = _arguments_now(action, calls)
    failed = f"{TRIED}{action.deed}, {DID_NOT_WORK}"
    if arguments is None:
        return Acted(None, (), failed)
    before = session.counters()
    record = session.call(action.tool, arguments, "user")
    produced = ids_created(before, session.counters())
    if record.result is None:
        return Acted(record, produced, failed)
    verb, _, rest = action.deed.partition(" ")
    declared = next(tool for tool in session.tools if tool.wire_name == action.tool)
    facts = facts_of(declared, record.result)
    seen = f" ({', '.join(facts)})" if facts else ""
    return Acted(record, produced, f"Done, I {past(verb)} {rest}".rstrip() + f"{seen}.")


def as_seen(record: CallRecord) -> JsonObject:
    """Return a call of the user as its message keeps it, for people to read."""
    return {"tool": record.tool, "arguments": dict(record.arguments), "ok": record.ok}


def as_heard(message: Mapping[str, JsonValue]) -> JsonObject:
    """Return a message as the agent hears it: without what the user did."""
    return {key: value for key, value in message.items() if key != "actions"}


def _action(call: PlannedCall, catalog: Catalog, earlier: Sequence[AttemptedCall]) -> UserAction:
    tool = catalog.tools[call.tool]
    verbs, things = words_of_phrasings(tool)
    ways = (way for argument in call.provenance for way in argument.referents)
    return UserAction(
        step=call.step,
        tool=call.tool,
        arguments=call.arguments,
        deed=deed_of(call, tool),
        request=deed_of(call, tool, yours),
        verbs=tuple(verbs),
        things=tuple(things),
        names=tuple(dict.fromkeys(way.text for way in ways if way.kind == "label")),
        made=made_before(call.arguments, earlier),
    )


def _made(replay: Replay) -> list[AttemptedCall]:
    return [
        AttemptedCall.of(record, produced)
        for record, produced in zip(replay.records, replay.produced, strict=True)
    ]


def _arguments_now(action: UserAction, calls: Sequence[AttemptedCall]) -> JsonObject | None:
    """Return an action's arguments in this attempt; None while what it needs is not made."""
    names: dict[str, str] = {}
    for made in action.made:
        found = [call for call in calls if call.ok and call.tool == made.tool]
        same = [call for call in found if dict(call.bound or {}) == made.arguments]
        # Made with other arguments than planned, it is told by its place.
        maker = (same or found[made.ordinal :])[:1]
        if not maker or len(maker[0].produced) <= made.position:
            return None
        names[made.value] = maker[0].produced[made.position]
    return cast("JsonObject", renamed(action.arguments, names))


def _stems(words: Sequence[str]) -> set[str]:
    """Return what words begin with, so that `signing` asks for what `sign` does."""
    return {word[:_STEM] for word in words}
