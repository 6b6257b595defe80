"""Gate 4: reads change nothing, writes change something, refused calls nothing; ids resolve."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue, ValidationError

from sandboxes.core.state import State, diff
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import Attempt, Position, identifier_values, with_leaf
from sandboxes.verification.exploration import Exploration
from sandboxes.verification.report import Fault, Finding
from sandboxes.verification.wrong_arguments import WrongCall

_RESULTS_PER_TOOL = 8
_IDS_PER_RESULT = 4
_DRAWS_PER_ID = 8


def check_state(exploration: Exploration, wrong: Sequence[WrongCall]) -> list[Finding]:
    """Return where calls change what they may not, or return ids that lead nowhere."""
    attempts = [*exploration.attempts, *(call.attempt for call in wrong)]
    state_type = exploration.environment.state_type
    findings: list[Finding] = []
    for tool in exploration.tools:
        made = [attempt for attempt in attempts if attempt.tool is tool]
        findings.extend(_change_findings(tool, made, state_type))
        findings.extend(_text_findings(made, state_type))
    return [*findings, *_IdCheck(exploration).findings()]


def _finding(
    tool: Tool, fault: Fault, attempt: Attempt | None, expected: str, got: str, hint: str
) -> Finding:
    return Finding(
        gate="state",
        tool=tool.wire_name,
        fault=fault,
        call=attempt.call if attempt else None,
        expected=expected,
        got=got,
        hint=hint,
    )


def _change_findings(
    tool: Tool, attempts: Sequence[Attempt], state_type: type[State]
) -> Iterator[Finding]:
    changing = [attempt for attempt in attempts if attempt.after != attempt.position.text]
    refused = [attempt for attempt in changing if attempt.outcome == "refused"]
    if refused:
        yield _finding(
            tool,
            "implementation",
            refused[0],
            "a refused call to change nothing",
            _changes(refused[0], state_type),
            "Check everything before changing anything.",
        )
    carried_out = [attempt for attempt in changing if attempt.is_ok]
    if tool.effect == "read" and carried_out:
        yield _finding(
            tool,
            "implementation",
            carried_out[0],
            "a reading tool to change nothing",
            _changes(carried_out[0], state_type),
            "Do not touch the state, or declare effect='write'.",
        )
    if tool.effect == "write" and not carried_out and any(made.is_ok for made in attempts):
        yield _finding(
            tool,
            "interface",
            next(made for made in attempts if made.is_ok),
            "a writing tool to change the state",
            "no change in any call that was carried out",
            "Change the state, or declare effect='read'.",
        )


def _changes(attempt: Attempt, state_type: type[State]) -> str:
    try:
        before = state_type.load(attempt.position.text).as_json()
        after = state_type.load(attempt.after).as_json()
    except ValidationError as error:
        return f"a state that cannot be read back ({error.error_count()} faults)"
    changes = diff(before, after)
    shown = ", ".join(f"{c.path}: {c.before!r} → {c.after!r}" for c in changes[:3])
    return f"changes at {shown or 'the order of keys'}"[:300]


def _text_findings(attempts: Sequence[Attempt], state_type: type[State]) -> Iterator[Finding]:
    for attempt in attempts:
        if attempt.after == attempt.position.text or not attempt.after:
            continue
        problem = _text_problem(attempt.after, state_type)
        if problem is not None:
            yield _finding(
                attempt.tool,
                "implementation",
                attempt,
                "a state that is the same after it was written as JSON and read back",
                problem,
                "Put only values of the declared types into the state.",
            )
            return


def _text_problem(text: bytes, state_type: type[State]) -> str | None:
    try:
        again = state_type.load(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}, got {first['input']!r}"[:300]
    return None if again.dump() == text else "another text"


class _IdCheck:
    """Feeds ids that tools returned to the tools that take them."""

    def __init__(self, exploration: Exploration) -> None:
        self._exploration = exploration
        self._resolved: dict[tuple[bytes, str, JsonValue], bool] = {}
        self._takers: dict[str, list[tuple[Tool, str]]] = {}
        for tool in exploration.tools:
            for parameter in tool.inputs:
                if parameter.identifier is not None and not parameter.speakable:
                    takers = self._takers.setdefault(parameter.identifier, [])
                    takers.append((tool, parameter.path))

    def findings(self) -> Iterator[Finding]:
        for tool in self._exploration.tools:
            seen: set[str] = set()
            carried_out = [made for made in self._exploration.of_tool(tool) if made.is_ok]
            spread = carried_out[:: max(1, len(carried_out) // _RESULTS_PER_TOOL)]
            for attempt in spread:
                for identifier, value in self._unresolved(attempt):
                    if identifier not in seen:
                        seen.add(identifier)
                        yield self._finding(attempt, identifier, value)

    def _finding(self, attempt: Attempt, identifier: str, value: JsonValue) -> Finding:
        takers = ", ".join(sorted({tool.name for tool, _ in self._takers[identifier]}))
        return _finding(
            attempt.tool,
            "implementation",
            attempt,
            f"every {identifier} in the result to be accepted by one of {takers}",
            f"{value!r}, which all of them refuse",
            "Return the id under which the state holds the thing.",
        )

    def _unresolved(self, attempt: Attempt) -> Iterator[tuple[str, JsonValue]]:
        counts: dict[str, int] = {}
        for identifier, value in identifier_values(attempt.tool, attempt.result or {}):
            counts[identifier] = counts.get(identifier, 0) + 1
            if identifier not in self._takers or counts[identifier] > _IDS_PER_RESULT:
                continue
            after = attempt.next_position()
            if not (
                self._resolves(after, identifier, value)
                or self._resolves(attempt.position, identifier, value)
            ):
                yield identifier, value

    def _resolves(self, position: Position, identifier: str, value: JsonValue) -> bool:
        key = (position.text, identifier, value)
        if key not in self._resolved:
            self._resolved[key] = self._is_accepted(position, identifier, value)
        return self._resolved[key]

    def _is_accepted(self, position: Position, identifier: str, value: JsonValue) -> bool:
        takers = self._takers[identifier]
        readers = [(tool, path) for tool, path in takers if _takes_only(tool, path)]
        for tool, path in readers:
            if self._exploration.attempt(position, tool, {path: value}).is_ok:
                return True
        for tool, path in takers:
            values = self._exploration.values(position, tool)
            for _ in range(_DRAWS_PER_ID):
                arguments = with_leaf(values.draw(), path, value)
                if self._exploration.attempt(position, tool, arguments).is_ok:
                    return True
        return False


def _takes_only(tool: Tool, path: str) -> bool:
    required = [parameter.path for parameter in tool.inputs if parameter.required]
    return tool.effect == "read" and required == [path] and path.isidentifier()
