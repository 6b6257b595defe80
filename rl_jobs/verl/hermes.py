"""Reading what a model that writes Hermes tool calls (Qwen3 does) says and asks for."""

import json
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from rl_jobs.exchange import ReadCall, ReadMessage

_OPEN = "<tool_call>"


def read_calls(content: str, written: str, calls: Sequence[tuple[str, str]]) -> ReadMessage:
    """Return a message from what verl's parser found in it.

    Args:
        content: The message without its calls.
        written: The whole message; the parser passes over a call that it cannot read.
        calls: The calls it found: the tool, and the arguments as JSON text.
    """
    found: list[ReadCall] = []
    for tool, text in calls:
        arguments = _object(text)
        if arguments is not None:
            found.append(ReadCall(tool, arguments))
    spoken = content.rsplit("</think>", 1)[-1].split(_OPEN)[0].strip()
    asked_for = max(written.rsplit("</think>", 1)[-1].count(_OPEN), len(calls))
    return ReadMessage(spoken, tuple(found), asked_for - len(found))


def _object(text: str) -> dict[str, JsonValue] | None:
    try:
        value = cast("JsonValue", json.loads(text))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
