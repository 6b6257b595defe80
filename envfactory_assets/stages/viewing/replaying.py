"""Running a recorded conversation's calls again, to see what each of them changed."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.viewing.changes import readable_changes
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import SandboxError
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session
from sandboxes.core.tool import Actor


@dataclass(frozen=True, slots=True)
class Seen:
    """One call as it was recorded and as it went when run again.

    Attributes:
        effect: The tool's effect; `read` for a tool that the session does not have.
        ok: Whether it was carried out.
        changes: What it changed; None when that cannot be told.
        reply: What came back: as recorded, else as it came back now; empty when neither is known.
    """

    effect: str
    ok: bool
    changes: list[JsonObject] | None
    reply: str


class Replayed:
    """A session in which the calls of one conversation are run again, in order.

    Where a call gives something else than was recorded (or an environment cannot be opened any
    more), what it and all later ones changed cannot be told.
    """

    def __init__(self, scenario: JsonObject, catalog: Catalog) -> None:
        """Open the session; without one nothing can be told."""
        self._session = _open(scenario, catalog)
        tools = self._session.tools if self._session else []
        self._effects = {tool.wire_name: tool.effect for tool in tools}

    def run(self, tool: str, arguments: JsonValue, recorded: str, actor: Actor = "agent") -> Seen:
        """Run one call again.

        Args:
            tool: The wire name.
            arguments: The arguments as they were given; anything but an object was never run.
            recorded: The reply that was recorded.
            actor: Who made it.
        """
        ok = isinstance(arguments, dict) and not is_refusal(recorded)
        _, changes = self._again(tool, arguments, actor, lambda made: _same(made, recorded))
        return Seen(self._effects.get(tool, "read"), ok, changes if ok else [], recorded)

    def act(self, tool: str, arguments: JsonValue, ok: bool) -> Seen:
        """Run again what the user did on a device of their own; of its outcome only `ok` is kept."""
        reply, changes = self._again(tool, arguments, "user", lambda made: made.ok == ok)
        return Seen(self._effects.get(tool, "write"), ok, changes if ok else [], reply)

    def _again(
        self,
        tool: str,
        arguments: JsonValue,
        actor: Actor,
        is_as_recorded: Callable[[CallRecord], bool],
    ) -> tuple[str, list[JsonObject] | None]:
        """Return the reply and what changed; nothing is told any more after another outcome."""
        session = self._session
        if session is None or not isinstance(arguments, dict):
            return "", None
        before = session.states()
        try:
            record = session.call(tool, arguments, actor)
        except SandboxError:
            record = None
        if record is None or not is_as_recorded(record):
            self._session = None
            return "", None
        return record.reply(), readable_changes(before, session.states())


def _open(scenario: JsonObject, catalog: Catalog) -> Session | None:
    try:
        return Session.open(Scenario.model_validate(scenario), catalog)
    except (SandboxError, ValueError):
        return None


def is_refusal(reply: str) -> bool:
    """Tell whether a recorded reply refuses the call."""
    value = parsed(reply)
    return isinstance(value, dict) and value.keys() == {"error"}


def parsed(text: str) -> JsonValue:
    """Return the JSON value of a text, or the text itself when it is none."""
    try:
        return cast("JsonValue", json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return text


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _same(record: CallRecord, recorded: str) -> bool:
    return parsed(record.reply()) == parsed(recorded)
