"""Trying out an environment in sessions: calls on several scenarios, and what came of them.

Every call is made on a fork, so each starts from the state that is told.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.canonical import canonical_json
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import CallRecord, Session
from sandboxes.core.state import diff
from sandboxes.core.state_values import StateValues, row_value
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import identifier_values, with_leaf

DRAWS_PER_TOOL = 16
_ENOUGH_OK = 5
_MOST_ROWS = 40
_LIMIT = re.compile(r"^(min|max|from|to|since|until|after|before)_|_(from|to|min|max)$")


@dataclass(frozen=True, slots=True)
class Probe:
    """One call and what came of it.

    Attributes:
        seed: Seed of the scenario.
        tool: The tool.
        arguments: What it was given.
        record: What came of it; None when the environment failed.
        changed: Paths of the state that it changed, the clock's left out.
    """

    seed: int
    tool: Tool
    arguments: JsonObject
    record: CallRecord | None
    changed: tuple[str, ...]

    @property
    def is_ok(self) -> bool:
        """Whether the call was carried out."""
        return self.record is not None and self.record.ok

    @property
    def result(self) -> JsonObject:
        """What it returned; empty unless it was carried out."""
        return (self.record.result if self.record else None) or {}

    @property
    def call(self) -> str:
        """The call as JSON text, with what it takes to make it again."""
        return canonical_json(
            {
                "scenario_seed": self.seed,
                "tool": self.tool.wire_name,
                "arguments": self.arguments,
            }
        )


@dataclass(slots=True)
class Prober:
    """Draws calls for the tools of one session.

    Attributes:
        session: A session on a scenario; it stays as it is.
        environment_id: The environment.
        seed: Seed of the scenario.
        known: Ids by type that reading tools have returned.
    """

    session: Session
    environment_id: str
    seed: int
    known: dict[str, list[JsonValue]] = field(default_factory=dict[str, list[JsonValue]])

    def probe(self) -> list[Probe]:
        """Try every tool: reading ones twice, since they tell the ids that others take."""
        tools = self.session.tools
        reads = [tool for tool in tools if tool.effect == "read"]
        for tool in reads:
            list(self.of_tool(tool))
        return [probe for tool in tools for probe in self.of_tool(tool)]

    def of_tool(self, tool: Tool) -> Iterator[Probe]:
        """Try one tool until enough calls are carried out."""
        rng = random.Random(f"{tool.wire_name}:{self.seed}")
        values = ArgumentValues(tool, self.session.states(), rng, self.known)
        done, ok_count = set[str](), 0
        for _ in range(DRAWS_PER_TOOL):
            arguments = values.draw()
            text = canonical_json(arguments)
            if text in done:
                continue
            done.add(text)
            probe = call_on_fork(self.session, self.seed, tool, arguments)
            if probe.is_ok:
                self.learn(probe)
                ok_count += 1
            yield probe
            if ok_count == _ENOUGH_OK:
                return

    def of_rows(self, tool: Tool) -> Iterator[Probe]:
        """Try one tool with what single entities of the state hold, as somebody looks for them."""
        states = self.session.states()
        rng = random.Random(f"{tool.wire_name}:{self.seed}:rows")
        values = ArgumentValues(tool, states, rng, self.known)
        for row in StateValues(states).rows[:_MOST_ROWS]:
            drawn = values.draw()
            needed = {parameter.path for parameter in tool.inputs if parameter.required}
            arguments: JsonObject = {key: drawn[key] for key in drawn if key in needed}
            for parameter in tool.inputs:
                value = row_value(row, parameter) or row.get(_LIMIT.sub("", parameter.name))
                if value is not None and not isinstance(value, dict):
                    arguments = with_leaf(arguments, parameter.path, value)
            yield call_on_fork(self.session, self.seed, tool, arguments)

    def learn(self, probe: Probe) -> None:
        """Note the ids that a reading tool returned."""
        if probe.tool.effect == "write":
            return
        for identifier, value in identifier_values(probe.tool, probe.result):
            values = self.known.setdefault(identifier, [])
            if value not in values:
                values.append(value)


def call_on_fork(session: Session, seed: int, tool: Tool, arguments: JsonObject) -> Probe:
    """Make one call on a fork of a session, which stays as it is."""
    fork = session.fork()
    try:
        return call_and_compare(fork, seed, tool, arguments)
    finally:
        fork.close()


def call_and_compare(session: Session, seed: int, tool: Tool, arguments: JsonObject) -> Probe:
    """Make one call and say what it changed."""
    before = session.states()
    try:
        record = session.call(tool.wire_name, arguments, tool.actor)
    except EnvironmentFaultError:
        return Probe(seed, tool, arguments, None, ())
    return Probe(seed, tool, arguments, record, tuple(_changes(before, session.states())))


def _changes(before: Mapping[str, JsonObject], after: Mapping[str, JsonObject]) -> Sequence[str]:
    return [
        change.path
        for key in before
        for change in diff(before[key], after[key])
        if not change.path.startswith("clock")
    ]
