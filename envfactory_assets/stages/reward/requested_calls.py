"""Reading tool calls out of chat messages.

Only the structured `tool_calls` of assistant messages are calls. Text is never one, wherever it
stands: in the content, in a thinking block, in a tool result.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call that a model asked for and that no session has run yet.

    Attributes:
        tool: The wire name, `environment__tool`.
        arguments: The arguments as they were given.
    """

    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RequestedCalls:
    """The calls of a conversation.

    Attributes:
        calls: Those that could be read, in order.
        format_errors: How many could not.
    """

    calls: tuple[RequestedCall, ...]
    format_errors: int


def attempted_calls_from_messages(messages: Sequence[Mapping[str, JsonValue]]) -> RequestedCalls:
    """Return the calls that the assistant messages of a conversation ask for.

    Args:
        messages: Chat messages with `role` and, where the assistant calls tools, `tool_calls`: a
            list of `{"function": {"name": …, "arguments": …}}`, arguments as an object or as JSON.
    """
    calls: list[RequestedCall] = []
    format_errors = 0
    for entry in _entries(messages):
        call = _read(entry)
        if call is None:
            format_errors += 1
        else:
            calls.append(call)
    return RequestedCalls(tuple(calls), format_errors)


def _entries(messages: Sequence[Mapping[str, JsonValue]]) -> Iterator[JsonValue]:
    for message in messages:
        if message.get("role") == "assistant":
            entries = message.get("tool_calls")
            if isinstance(entries, list):
                yield from entries
            elif entries is not None:
                yield entries


def _read(entry: JsonValue) -> RequestedCall | None:
    """Return the call that an entry asks for, or None when it is malformed."""
    function = entry.get("function", entry) if isinstance(entry, dict) else None
    if not isinstance(function, dict):
        return None
    name, arguments = function.get("name"), function.get("arguments", {})
    if isinstance(arguments, str):
        arguments = _parse(arguments)
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        return None
    return RequestedCall(name, arguments)


def _parse(text: str) -> JsonValue:
    """Return the JSON value of a text; None when it is not JSON or holds NaN or an infinity."""
    try:
        return cast("JsonValue", json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON; write a number")
