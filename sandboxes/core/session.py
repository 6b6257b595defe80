"""Sessions: isolated live sets of environments, from reset to close."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from sandboxes.core.catalog import Catalog
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import ScenarioError, SessionClosedError
from sandboxes.core.parameters import JsonObject
from sandboxes.core.scenario import Scenario
from sandboxes.core.tool import Actor, Effect, Tool


class ToolCall(BaseModel):
    """A request to run a tool.

    Attributes:
        tool: The wire name, `environment__tool`.
        arguments: JSON values by argument name.
        actor: Who makes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tool: str
    arguments: dict[str, JsonValue]
    actor: Actor = "agent"


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of a session and its outcome.

    Attributes:
        tool: The wire name that was called.
        arguments: The arguments as they were given.
        effect: The tool's effect; `read` for a tool that does not exist.
        bound: The validated arguments with defaults filled in; None when they were refused.
        ok: Whether the call was carried out.
        result: What the tool returned; None when the call was refused.
        error: One plain sentence for the model; None when the call was carried out.
        actor: Who made it.
    """

    tool: str
    arguments: Mapping[str, JsonValue]
    effect: Effect
    bound: JsonObject | None
    ok: bool
    result: JsonObject | None
    error: str | None
    actor: Actor = "agent"

    def reply(self) -> str:
        """Return the text that a model gets: the result as JSON, or the error."""
        if self.ok:
            return json.dumps(self.result, ensure_ascii=False, separators=(",", ":"))
        return json.dumps({"error": self.error}, ensure_ascii=False, separators=(",", ":"))


class Session:
    """One isolated live set of environments.

    Every session holds state objects of its own, parsed from the scenario's text, so nothing that
    one session does can reach another.
    """

    def __init__(self, environments: Mapping[str, AnyEnvironment]) -> None:
        """Hold live environments; use `open` to start from a scenario."""
        self._environments = dict(environments)
        self._tools: dict[str, tuple[AnyEnvironment, Tool]] = {
            tool.wire_name: (environment, tool)
            for environment in self._environments.values()
            for tool in type(environment).tools.values()
        }
        self._log: list[CallRecord] = []
        self._is_open = True

    @classmethod
    def open(cls, scenario: Scenario, catalog: Catalog) -> Self:
        """Start a session from a scenario.

        Raises:
            UnknownEnvironmentError: If the catalog lacks an environment of the scenario.
            ScenarioError: If a state does not fit its environment's state model.
        """
        return cls(_environments_of(scenario.texts, catalog))

    @property
    def log(self) -> Sequence[CallRecord]:
        """Every call so far, in order."""
        return self._log

    @property
    def environment_ids(self) -> list[str]:
        """The environments of this session, in order of opening."""
        return list(self._environments)

    @property
    def tools(self) -> list[Tool]:
        """Every tool, in order of declaration, those that only the user can call included."""
        return [tool for _, tool in self._tools.values()]

    @property
    def agent_tools(self) -> list[Tool]:
        """The tools that an agent is shown and can call, in order of declaration."""
        return [tool for tool in self.tools if tool.actor == "agent"]

    def call(
        self, tool: str, arguments: Mapping[str, JsonValue], actor: Actor = "agent"
    ) -> CallRecord:
        """Run a tool and log the outcome. A refused call changes nothing.

        Args:
            tool: The wire name, `environment__tool`.
            arguments: JSON values by argument name.
            actor: Who calls: what only the user can do is refused to an agent; a user may do all.

        Raises:
            SessionClosedError: If the session was closed.
            EnvironmentFaultError: If the environment broke its contract; the state is as before.
        """
        if not self._is_open:
            raise SessionClosedError("This session is closed; open a new one from the scenario.")
        entry = self._tools.get(tool)
        if entry is None:
            available = ", ".join(known.wire_name for known in self.agent_tools)
            error = f"Unknown tool {tool!r}; available: {available}."
            record = _refused(tool, arguments, "read", error, actor)
        elif entry[1].actor == "user" and actor == "agent":
            error = f"Only the user can do that; ask them to {_as_request(entry[1])}."
            record = _refused(tool, arguments, entry[1].effect, error, actor)
        else:
            record = _run(entry[0], entry[1], arguments, actor)
        self._log.append(record)
        return record

    def advance(self, moment: str) -> None:
        """Move the clock of every environment forward to a moment.

        Raises:
            ScenarioError: If the moment lies before the clock.
        """
        clocks = [environment.clock for environment in self._environments.values()]
        latest = max((clock.now for clock in clocks), default=moment)
        if moment < latest:
            raise ScenarioError(f"The clock stands at {latest}; it cannot go to {moment}.")
        for clock in clocks:
            clock.now = moment

    def states(self) -> dict[str, dict[str, JsonValue]]:
        """Return the state of every environment as plain JSON values."""
        return {key: env.state.as_json() for key, env in self._environments.items()}

    def counters(self) -> dict[str, dict[str, int]]:
        """Return the last number given out for each id prefix, by environment."""
        return {key: dict(env.clock.counters) for key, env in self._environments.items()}

    def snapshot(self) -> dict[str, bytes]:
        """Return the state of every environment as JSON text, to be restored or forked from."""
        return {key: env.state.dump() for key, env in self._environments.items()}

    def restore(self, snapshot: Mapping[str, bytes]) -> None:
        """Set every environment back to a snapshot of this session; the log is kept.

        Raises:
            ScenarioError: If the snapshot is of other environments or does not fit them.
        """
        if snapshot.keys() != self._environments.keys():
            raise ScenarioError(
                f"The snapshot holds {sorted(snapshot)}; this session {self.environment_ids}."
            )
        for key, environment in self._environments.items():
            environment.state = environment.state_type.load(snapshot[key])

    def fork(self) -> "Session":
        """Return an independent session that starts where this one stands, with an empty log."""
        return Session(
            {
                key: type(env)(env.state_type.load(env.state.dump()))
                for key, env in self._environments.items()
            }
        )

    def scenario(self, seed: int) -> Scenario:
        """Return where this session stands as a scenario, to open further sessions from."""
        states = self.states()
        now = next(iter(self._environments.values())).clock.now
        return Scenario(seed=seed, start=now, states=states)

    def close(self) -> dict[str, dict[str, JsonValue]]:
        """End the session and return its end states; later calls are refused."""
        states = self.states()
        self._is_open = False
        return states


def replay(scenario: Scenario, calls: Sequence[ToolCall], catalog: Catalog) -> Session:
    """Open a session, make the calls in order, and return it still open."""
    session = Session.open(scenario, catalog)
    for call in calls:
        session.call(call.tool, call.arguments, call.actor)
    return session


def _environments_of(texts: Mapping[str, str], catalog: Catalog) -> dict[str, AnyEnvironment]:
    environments: dict[str, AnyEnvironment] = {}
    for environment_id, text in texts.items():
        environment = catalog.load(environment_id)
        try:
            environments[environment_id] = environment(environment.state_type.load(text))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ScenarioError(
                f"The scenario's state of {environment_id} does not fit its model at {where!r}: "
                f"{first['msg']}. Draw the scenario again with this version of the environment."
            ) from error
    return environments


def _as_request(tool: Tool) -> str:
    sentence = tool.description.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]


def _refused(
    tool: str, arguments: Mapping[str, JsonValue], effect: Effect, error: str, actor: Actor
) -> CallRecord:
    return CallRecord(
        tool, arguments, effect, None, ok=False, result=None, error=error, actor=actor
    )


def _run(
    environment: AnyEnvironment, tool: Tool, arguments: Mapping[str, JsonValue], actor: Actor
) -> CallRecord:
    outcome = environment.carry_out(tool.name, arguments)
    return CallRecord(
        tool.wire_name,
        arguments,
        tool.effect,
        outcome.bound,
        ok=outcome.error is None,
        result=outcome.result,
        error=outcome.error,
        actor=actor,
    )
