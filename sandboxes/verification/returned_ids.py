"""Part of gate 4: an id that a tool returns is known to the tools that take such ids."""

from collections.abc import Iterator

from pydantic import JsonValue

from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.verification.attempts import Attempt, Position, identifier_values, with_leaf
from sandboxes.verification.exploration import Exploration
from sandboxes.verification.report import Finding
from sandboxes.verification.wrong_arguments import UNKNOWN_ID

_RESULTS_PER_TOOL = 8
_IDS_PER_RESULT = 4
_DRAWS_PER_ID = 6


def check_ids(exploration: Exploration) -> list[Finding]:
    """Return the tools whose results hold ids that lead nowhere.

    An id is fed to every tool that takes its type, on the state after the call and on the one
    before, since a call may delete what it names. It is known there when a tool carries the call
    out, or refuses it in other words than it uses for an id that cannot exist (a rule refuses
    then, not a failed look-up). It leads nowhere when a tool that does tell other ids from one
    that cannot exist makes no such difference for it.
    """
    return list(_IdCheck(exploration).findings())


class _IdCheck:
    def __init__(self, exploration: Exploration) -> None:
        self._exploration = exploration
        self._known: dict[tuple[bytes, str, JsonValue], bool] = {}
        self._takers: dict[str, list[tuple[MethodTool, Parameter]]] = {}
        for tool in exploration.tools:
            for parameter in tool.inputs:
                if parameter.identifier is not None and not parameter.speakable:
                    takers = self._takers.setdefault(parameter.identifier, [])
                    takers.append((tool, parameter))

    def findings(self) -> Iterator[Finding]:
        for tool in self._exploration.tools:
            yield from self._findings_of(tool)

    def _findings_of(self, tool: MethodTool) -> Iterator[Finding]:
        seen: set[str] = set()
        carried_out = [made for made in self._exploration.of_tool(tool) if made.is_ok]
        for attempt in carried_out[:: max(1, len(carried_out) // _RESULTS_PER_TOOL)]:
            for identifier, value in self._unknown(attempt):
                if identifier not in seen:
                    seen.add(identifier)
                    yield self._finding(attempt, identifier, value)

    def _finding(self, attempt: Attempt, identifier: str, value: JsonValue) -> Finding:
        takers = ", ".join(sorted({tool.name for tool, _ in self._takers[identifier]}))
        return Finding(
            gate="state",
            tool=attempt.tool.wire_name,
            fault="implementation",
            call=attempt.call,
            expected=f"every {identifier} in the result to be known to {takers}",
            got=f"{value!r}, which is refused like an id that does not exist",
            hint="Return the id under which the state holds the thing.",
        )

    def _unknown(self, attempt: Attempt) -> Iterator[tuple[str, JsonValue]]:
        counts: dict[str, int] = {}
        for identifier, value in identifier_values(attempt.tool, attempt.result or {}):
            counts[identifier] = counts.get(identifier, 0) + 1
            if identifier in self._takers and counts[identifier] <= _IDS_PER_RESULT:
                places = (attempt.next_position(), attempt.position)
                if not any(self._is_known(place, identifier, value) for place in places):
                    yield identifier, value

    def _is_known(self, position: Position, identifier: str, value: JsonValue) -> bool:
        key = (position.text, identifier, value)
        if key not in self._known:
            self._known[key] = self._look_up(position, identifier, value)
        return self._known[key]

    def _look_up(self, position: Position, identifier: str, value: JsonValue) -> bool:
        is_telling = False
        for tool, parameter in self._takers[identifier]:
            values = self._exploration.values(position, tool)
            others = [other for other in values.candidates(parameter) if other != value]
            for _ in range(1 if _takes_only(tool, parameter) else _DRAWS_PER_ID):
                drawn = values.draw()
                absent = self._answer(position, tool, parameter, drawn, UNKNOWN_ID)
                if self._answer(position, tool, parameter, drawn, value) != absent:
                    return True
                is_telling = is_telling or any(
                    self._answer(position, tool, parameter, drawn, other) != absent
                    for other in others
                )
        return not is_telling

    def _answer(
        self,
        position: Position,
        tool: MethodTool,
        parameter: Parameter,
        drawn: JsonObject,
        value: JsonValue,
    ) -> str:
        """Return how a call with an id is answered, whichever id it is."""
        arguments = with_leaf(drawn, parameter.path, value)
        attempt = self._exploration.attempt(position, tool, arguments)
        return f"{attempt.outcome} {attempt.message}".replace(str(value), "…")


def _takes_only(tool: MethodTool, parameter: Parameter) -> bool:
    return all(other is parameter for other in tool.inputs if other.required)
