"""Single calls on given states, made without the session that would undo a refused one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from pydantic import JsonValue, ValidationError

from sandboxes.core.canonical import canonical_json
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import ToolError
from sandboxes.core.json_paths import leaves_at
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import ToolCall
from sandboxes.core.state import State
from sandboxes.core.tool import Result, Tool
from sandboxes.verification.time_limit import TimeLimitExceededError, time_limit

Outcome = Literal["ok", "refused", "invalid", "fault"]

_CALL_SECONDS = 5.0
_TOO_LONG = f"it ran longer than {_CALL_SECONDS} s"


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A state to call tools on, and how it was reached.

    Attributes:
        seed: Seed of the scenario it starts from.
        history: The calls made since.
        text: The state as JSON text.
        known: Values by identifier type that tools returned there or on the way.
    """

    seed: int
    history: tuple[ToolCall, ...]
    text: bytes
    known: dict[str, list[JsonValue]] = field(default_factory=dict[str, list[JsonValue]])

    def learn(self, attempt: "Attempt") -> None:
        """Note the identifiers that a call returned."""
        for identifier, value in identifier_values(attempt.tool, attempt.result or {}):
            values = self.known.setdefault(identifier, [])
            if value not in values:
                values.append(value)


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """One call on one position.

    Attributes:
        position: Where it was made.
        tool: The tool.
        arguments: The arguments.
        outcome: `ok`; `refused` by the tool, or `invalid` by its schema, with a `ToolError`;
            `fault` for anything else.
        result: What the tool returned, when ok.
        message: The refusal, or what the fault was.
        result_fault: Why the result breaks its schema; None when it does not.
        after: The state afterwards as JSON text.
        state_fault: Why that text is not read back as the same state; None when it is.
    """

    position: Position
    tool: MethodTool
    arguments: JsonObject
    outcome: Outcome
    result: JsonObject | None
    message: str | None
    result_fault: str | None
    after: bytes
    state_fault: str | None

    @property
    def call(self) -> str:
        """The call as JSON text, with what it takes to make it again."""
        told: JsonObject = {
            "scenario_seed": self.position.seed,
            "tool": self.tool.wire_name,
            "arguments": self.arguments,
        }
        if self.position.history:
            told["after"] = [call.model_dump(mode="json") for call in self.position.history]
        return canonical_json(told)

    @property
    def is_ok(self) -> bool:
        """Whether the tool carried it out."""
        return self.outcome == "ok"

    @property
    def took_too_long(self) -> bool:
        """Whether the call was stopped because it did not come to an end."""
        return self.outcome == "fault" and self.message == _TOO_LONG

    def evidence(self) -> str:
        """Return everything that came of the call, as one text to compare."""
        return f"{self.outcome} {self.result!r} {self.message} {self.after!r}"

    def next_position(self) -> Position:
        """Return where the call led; where it was made, when its state cannot be read back."""
        if self.state_fault is not None:
            return self.position
        made = ToolCall(tool=self.tool.wire_name, arguments=self.arguments, actor=self.tool.actor)
        known = {key: list(values) for key, values in self.position.known.items()}
        return Position(self.position.seed, (*self.position.history, made), self.after, known)


def identifier_values(tool: Tool, result: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """Yield what a result returns under an identifier type that only tools can give."""
    for parameter in tool.outputs:
        if parameter.identifier is not None and not parameter.speakable:
            for _, value in leaves_at(result, parameter.path):
                yield parameter.identifier, value


def call_not_made(position: Position, tool: MethodTool, arguments: JsonObject) -> Attempt:
    """Return the attempt of a tool that took too long before: it is not called again."""
    return Attempt(position, tool, arguments, "fault", None, _TOO_LONG, None, position.text, None)


def attempt_call(
    environment: type[AnyEnvironment], position: Position, tool: MethodTool, arguments: JsonObject
) -> Attempt:
    """Make one call on a fresh copy of a position's state."""
    live = environment(environment.state_type.load(position.text))
    outcome, result, message, broken = _outcome(live, tool, arguments)
    try:
        after = live.state.__pydantic_serializer__.to_json(live.state, warnings=False)
    except ValueError as error:
        message = f"left a state that is not JSON: {error}"
        return Attempt(position, tool, arguments, "fault", result, message, broken, b"", message)
    fault = None if after == position.text else _state_fault(environment.state_type, after)
    return Attempt(position, tool, arguments, outcome, result, message, broken, after, fault)


def _state_fault(state_type: type[State], text: bytes) -> str | None:
    try:
        again = state_type.load(text)
    except ValidationError as error:
        return _first_fault(error)
    return None if again.dump() == text else "another text"


def _first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}, got {first['input']!r}"[:300]


def _outcome(
    live: AnyEnvironment, tool: MethodTool, arguments: JsonObject
) -> tuple[Outcome, JsonObject | None, str | None, str | None]:
    try:
        bound = tool.bind(arguments)
    except ToolError as error:
        return "invalid", None, str(error), None
    try:
        with time_limit(_CALL_SECONDS):
            result: object = tool.method(live, **bound.__dict__)
    except ToolError as error:
        return "refused", None, str(error), None
    except TimeLimitExceededError:
        return "fault", None, _TOO_LONG, None
    except Exception as error:
        return "fault", None, f"raised {type(error).__name__}: {error}", None
    return _checked(tool, result)


def _checked(
    tool: MethodTool, result: object
) -> tuple[Outcome, JsonObject | None, str | None, str | None]:
    if not isinstance(result, Result) or type(result) is not tool.result_type:
        return "ok", None, None, f"a {type(result).__name__}, not a {tool.result_type.__name__}"
    values = result.__pydantic_serializer__.to_python(result, mode="json", warnings=False)
    plain = cast("JsonObject", values)
    try:
        tool.result_type.model_validate_json(canonical_json(plain))
    except ValidationError as error:
        return "ok", plain, None, _first_fault(error)
    except ValueError as error:
        return "ok", plain, None, f"a value that JSON cannot hold ({error})"
    return "ok", plain, None, None


def with_leaf(arguments: Mapping[str, JsonValue], path: str, value: JsonValue) -> JsonObject:
    """Return arguments in which a leaf has another value; in a list, that of its first item."""
    parts = path.replace("[]", ".[]").replace("{}", ".{}").split(".")
    return cast("JsonObject", _with_leaf(dict(arguments), parts, value))


def _with_leaf(node: JsonValue, parts: list[str], value: JsonValue) -> JsonValue:
    if not parts:
        return value
    head, rest = parts[0], parts[1:]
    if head == "[]":
        items = node if isinstance(node, list) else []
        return [_with_leaf(items[0] if items else None, rest, value), *items[1:]]
    entries = node if isinstance(node, dict) else {}
    key = next(iter(entries), "first") if head == "{}" else head
    return {**entries, key: _with_leaf(entries.get(key), rest, value)}
