"""Running a recorded conversation's calls again, to see what each of them changed."""

import json
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.viewing.changes import readable_changes
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import SandboxError
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session


@dataclass(frozen=True, slots=True)
class Seen:
    """One call as it was recorded and as it went when run again.

    Attributes:
        effect: The tool's effect, `read` when it could not be run again.
        ok: Whether it was carried out.
        changes: What it changed; None when that cannot be told.
    """

    effect: str
    ok: bool
    changes: list[JsonObject] | None


class Replayed:
    """A session in which the calls of one conversation are run again, in order.

    Where a call gives something else than was recorded (or an environment cannot be opened any
    more), what it and all later ones changed cannot be told.
    """

    def __init__(self, scenario: JsonObject, catalog: Catalog) -> None:
        """Open the session; without one nothing can be told."""
        self._session: Session | None = None
        self._open(scenario, catalog)

    def _open(self, scenario: JsonObject, catalog: Catalog) -> None:
        try:
            self._session = Session.open(Scenario.model_validate(scenario), catalog)
        except (SandboxError, ValueError):
            self._session = None

    def run(self, tool: str, arguments: JsonValue, recorded: str) -> Seen:
        """Run one call again.

        Args:
            tool: The wire name.
            arguments: The arguments as they were given; anything but an object was never run.
            recorded: The reply that was recorded.
        """
        refused = is_refusal(recorded)
        session = self._session
        if session is None or not isinstance(arguments, dict):
            return Seen("read", ok=not refused, changes=[] if refused else None)
        before = session.states()
        try:
            record = session.call(tool, arguments)
        except SandboxError:
            record = None
        if record is None or not _same(record, recorded):
            self._session = None
            return Seen("read", ok=not refused, changes=None)
        changes = readable_changes(before, session.states()) if record.ok else []
        return Seen(record.effect, record.ok, changes)


def is_refusal(reply: str) -> bool:
    """Tell whether a recorded reply refuses the call."""
    value = parsed(reply)
    return isinstance(value, dict) and value.keys() == {"error"}


def parsed(text: str) -> JsonValue:
    """Return the JSON value of a text, or the text itself when it is none."""
    try:
        return cast("JsonValue", json.loads(text))
    except ValueError:
        return text


def _same(record: CallRecord, recorded: str) -> bool:
    return parsed(record.reply()) == parsed(recorded)
