"""How the tiny policy writes calls: one line for the tool, one for each argument.

    call hotel_booking__list_rooms
    hotel_id: HT-4
    check_in: 2026-05-01

A value is written as a person would write it and read by the type that the tool's schema declares;
an argument that is a list has one line an element; anything else nested is JSON. Only what stands
in the assistant's own message is read, and nothing inside its thinking.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from rl_jobs.exchange import ReadCall, ReadMessage
from sandboxes.core.canonical import canonical_json

_CALL = re.compile(r"call ([a-z][a-z0-9_]*__[a-z0-9_]+)")
_ARGUMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*): ?(.*)")
_AMBIGUOUS = ("null", "[]")
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)


def write_call(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """Return a call in the grammar."""
    lines = [f"call {tool}"]
    for name, value in arguments.items():
        items = value if isinstance(value, list) and value else [value]
        lines.extend(f"{name}: {write_value(item)}" for item in items)
    return "\n".join(lines)


def write_value(value: JsonValue) -> str:
    """Return a value as a line shows it."""
    if isinstance(value, str):
        is_plain = "\n" not in value and not value.startswith('"') and value not in _AMBIGUOUS
        return value if is_plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return canonical_json(value)


def read_message(text: str, functions: Sequence[JsonObject]) -> ReadMessage:
    """Read an assistant's message.

    Args:
        text: The whole message, thinking included.
        functions: The tools of the task; their schemas say how values are read.
    """
    spoken = _THINKING.sub("", text, count=1)
    if "<think>" in spoken:
        # Thinking that never ends hides whatever stands in it.
        return ReadMessage(spoken.split("<think>")[0].strip(), (), 1)
    lines = spoken.strip("\n").split("\n")
    start = next((at for at, line in enumerate(lines) if _starts_call(line)), len(lines))
    drafts = list(_drafts(lines[start:]))
    properties = dict(_properties(functions))
    calls = [
        ReadCall(draft.tool, _arguments(draft, properties.get(draft.tool, {})))
        for draft in drafts
        if not draft.is_broken
    ]
    said = "\n".join(lines[:start]).strip()
    return ReadMessage(said, tuple(calls), len(drafts) - len(calls))


@dataclass(slots=True)
class _Draft:
    tool: str
    is_broken: bool = False
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def _starts_call(line: str) -> bool:
    return line == "call" or line.startswith("call ")


def _drafts(lines: Sequence[str]) -> Iterator[_Draft]:
    draft: _Draft | None = None
    for line in lines:
        if _starts_call(line):
            if draft is not None:
                yield draft
            head = _CALL.fullmatch(line)
            draft = _Draft(head[1] if head else "", is_broken=head is None)
        elif draft is not None and line.strip():
            argument = _ARGUMENT.fullmatch(line)
            if argument is None:
                draft.is_broken = True
            else:
                draft.values.setdefault(argument[1], []).append(argument[2])
    if draft is not None:
        yield draft


def _properties(functions: Sequence[JsonObject]) -> Iterator[tuple[str, JsonObject]]:
    for entry in functions:
        function = cast("JsonObject", entry.get("function", entry))
        schema = cast("JsonObject", function.get("parameters", {}))
        yield str(function["name"]), cast("JsonObject", schema.get("properties", {}))


def _arguments(draft: _Draft, properties: JsonObject) -> JsonObject:
    arguments: JsonObject = {}
    for name, texts in draft.values.items():
        schema = properties.get(name)
        types = _types(schema) if isinstance(schema, dict) else {}
        if "array" in types and texts != ["[]"] and texts != ["null"]:
            inner = types["array"].get("items")
            below = _types(inner) if isinstance(inner, dict) else {}
            arguments[name] = [_read_value(text, below) for text in texts]
        else:
            # A line that comes twice says the last thing it says.
            arguments[name] = _read_value(texts[-1], types)
    return arguments


def _types(schema: JsonObject) -> dict[str, JsonObject]:
    """Return the JSON types that a schema allows, each with its schema."""
    options = schema.get("anyOf")
    found: dict[str, JsonObject] = {}
    for option in options if isinstance(options, list) else [schema]:
        if isinstance(option, dict):
            kind = option.get("type", "string" if "enum" in option or "const" in option else None)
            if isinstance(kind, str):
                found[kind] = option
    return found


def _read_value(text: str, types: Mapping[str, JsonObject]) -> JsonValue:
    if text == "null" and "null" in types:
        return None
    if "string" in types and not text.startswith('"'):
        return text
    try:
        value = cast("JsonValue", json.loads(text))
    except (ValueError, RecursionError):
        return text
    if not types and isinstance(value, int | float) and not isinstance(value, bool):
        return text if text != str(value) else value
    return value
