"""Calls with arguments that every environment must refuse: missing, extra, ill-typed, unknown."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from sandboxes.core.parameters import JsonObject, without_null
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import Attempt, with_leaf
from sandboxes.verification.exploration import Exploration

UNKNOWN_ID = "unknown-0"
_ILL_TYPED: dict[str, JsonValue] = {
    "string": 12345,
    "integer": "5",
    "number": "5.0",
    "boolean": "yes",
    "array": "first",
    "object": "first",
}


@dataclass(frozen=True, slots=True)
class WrongCall:
    """A call that must be refused.

    Attributes:
        attempt: The call and what came of it.
        problem: What is wrong with its arguments.
        is_unknown_id: Whether the schema allows it, so that the tool itself must refuse it.
    """

    attempt: Attempt
    problem: str
    is_unknown_id: bool


def wrong_calls(exploration: Exploration) -> list[WrongCall]:
    """Make calls with wrong arguments, each one step away from a call that was carried out."""
    calls: list[WrongCall] = []
    for tool in exploration.tools:
        attempts = exploration.of_tool(tool)
        if attempts:
            richest = max(attempts, key=lambda made: (made.is_ok, len(made.arguments)))
            for problem, arguments in _ill_formed(tool, richest.arguments):
                attempt = exploration.attempt(richest.position, tool, arguments)
                calls.append(WrongCall(attempt, problem, is_unknown_id=False))
            for problem, arguments in _unknown_ids(tool, richest.arguments):
                attempt = exploration.attempt(richest.position, tool, arguments)
                calls.append(WrongCall(attempt, problem, is_unknown_id=True))
    return calls


def _ill_formed(tool: Tool, arguments: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    schema = tool.input_schema
    for name in cast("list[str]", schema.get("required", [])):
        rest = {key: value for key, value in arguments.items() if key != name}
        yield f"{name!r} missing", rest
    yield "an argument that is not declared", {**arguments, "undeclared_argument": 1}
    for name, child in cast("JsonObject", schema.get("properties", {})).items():
        node = without_null(cast("JsonObject", child))
        wrong = _ILL_TYPED.get(str(node.get("type")))
        if wrong is not None:
            yield f"{name!r} of another type", {**arguments, name: wrong}
        if "enum" in node:
            yield f"{name!r} outside of its set", {**arguments, name: "no such value"}
        if node.get("format") in ("date", "date-time"):
            yield f"{name!r} not a time", {**arguments, name: "2026-13-45"}


def _unknown_ids(tool: Tool, arguments: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    for parameter in tool.inputs:
        if parameter.identifier is not None and not parameter.speakable:
            problem = f"{parameter.path!r} an unknown {parameter.identifier}"
            yield problem, with_leaf(arguments, parameter.path, UNKNOWN_ID)
