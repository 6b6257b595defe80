"""Calls made on an environment to see how it behaves: scenarios, later states, many arguments.

Every gate that runs code reads one exploration, which is drawn from a seed.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.attempts import Attempt, Position, attempt_call, call_not_made
from sandboxes.verification.cases import CaseRun, scenario_text

_SEED_COUNT = 6
_DRAWS_PER_TOOL = 24
_ENOUGH_OK = 4
_DRAWS_PER_STEP = 12


@dataclass(slots=True)
class Exploration:
    """What was tried on an environment.

    Attributes:
        environment: The environment's class.
        environment_id: Its id.
        positions: The states it was tried on: scenarios, and where writing tools led from them.
        attempts: Every call made, in order.
        stuck: Names of the tools that took too long once, and are not called again.
    """

    environment: type[AnyEnvironment]
    environment_id: str
    positions: list[Position] = field(default_factory=list[Position])
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    stuck: set[str] = field(default_factory=set[str])

    @property
    def tools(self) -> list[MethodTool]:
        """The environment's tools, in order of declaration."""
        return list(self.environment.methods.values())

    def of_tool(self, tool: MethodTool) -> list[Attempt]:
        """Return the attempts of one tool, those carried out first."""
        made = [attempt for attempt in self.attempts if attempt.tool is tool]
        return sorted(made, key=lambda attempt: not attempt.is_ok)

    def attempt(self, position: Position, tool: MethodTool, arguments: JsonObject) -> Attempt:
        """Make one call on a fresh copy of a position's state; it is not recorded."""
        if tool.name in self.stuck:
            return call_not_made(position, tool, arguments)
        attempt = attempt_call(self.environment, position, tool, arguments)
        if attempt.took_too_long:
            self.stuck.add(tool.name)
        return attempt

    def values(self, position: Position, tool: MethodTool) -> ArgumentValues:
        """Return a generator of arguments for a tool at a position."""
        state = self.environment.state_type.load(position.text).as_json()
        rng = random.Random(f"{tool.wire_name}:{position.seed}:{len(position.history)}")
        return ArgumentValues(tool, {self.environment_id: state}, rng, position.known)


def explore(environment: type[AnyEnvironment], environment_id: str, seed: int) -> Exploration:
    """Try every tool on several scenarios, and on a later state of each.

    Raises:
        Exception: Whatever `scenario()` raises.
    """
    exploration = Exploration(environment, environment_id)
    for scenario_seed in range(seed, seed + _SEED_COUNT):
        text = scenario_text(environment, environment_id, scenario_seed)
        start = Position(scenario_seed, (), text)
        _explore_position(exploration, start)
        later = _walk(exploration, start)
        if later is not start:
            _explore_position(exploration, later)
    return exploration


def follow_cases(exploration: Exploration, runs: Sequence[CaseRun]) -> None:
    """Make the calls of declared cases too: they reach refusals that chance seldom does."""
    tools = {tool.wire_name: tool for tool in exploration.tools}
    starts: dict[int, Position] = {}
    for run in runs:
        seed = run.case.seed
        if seed not in starts:
            text = scenario_text(exploration.environment, exploration.environment_id, seed)
            starts[seed] = Position(seed, (), text)
        position = starts[seed]
        for call in run.calls:
            attempt = exploration.attempt(position, tools[call.tool], call.arguments)
            exploration.attempts.append(attempt)
            position = attempt.next_position() if attempt.is_ok else position


def _explore_position(exploration: Exploration, position: Position) -> None:
    exploration.positions.append(position)
    reads = [tool for tool in exploration.tools if tool.effect == "read"]
    for tool in (*reads, *exploration.tools):
        values = exploration.values(position, tool)
        ok_count = 0
        for _ in range(_DRAWS_PER_TOOL):
            attempt = exploration.attempt(position, tool, values.draw())
            exploration.attempts.append(attempt)
            if attempt.is_ok and tool.effect == "read":
                position.learn(attempt)
            ok_count += attempt.is_ok
            if ok_count == _ENOUGH_OK:
                break


def _walk(exploration: Exploration, start: Position) -> Position:
    """Carry out one call of every writing tool in turn and return where that leads."""
    position = start
    for tool in exploration.tools:
        if tool.effect == "read":
            continue
        values = exploration.values(position, tool)
        for _ in range(_DRAWS_PER_STEP):
            attempt = exploration.attempt(position, tool, values.draw())
            if attempt.is_ok:
                exploration.attempts.append(attempt)
                position = attempt.next_position()
                position.learn(attempt)
                break
    return position
