"""What the tiny policy sees of a conversation: the same messages, much shorter.

The system message is left out, a tool result keeps the first fields of the first items of its
lists, a quoted value stands free of its quotes so that it can be copied word by word, and whatever
the agent tells the user, questions aside, is `Done.` Real models see conversations as they are.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from rl_jobs.trl.call_grammar import write_call, write_value

DONE = "Done."
_OPENING_QUOTE = re.compile(r"(?<![\w'])'(?=\w)")
_MOST_TEXT = 60


def compact_messages(
    messages: Sequence[Mapping[str, JsonValue]], items: int, fields: int
) -> list[JsonObject]:
    """Return a conversation as the tiny policy's template writes it: roles and texts alone."""
    return [
        compact_message(message, items, fields)
        for message in messages
        if message["role"] != "system"
    ]


def compact_message(message: Mapping[str, JsonValue], items: int, fields: int) -> JsonObject:
    """Return one message, calls written into its text."""
    role, content = str(message["role"]), str(message.get("content") or "")
    if role == "tool":
        return {"role": "tool", "content": compact_reply(content, items, fields)}
    if role == "user":
        return {"role": "user", "content": compact_request(content)}
    calls = cast("list[JsonObject]", message.get("tool_calls") or [])
    if not calls:
        return {"role": role, "content": content if content.endswith("?") else DONE}
    return {"role": role, "content": "\n".join(_call_text(call) for call in calls)}


def compact_request(text: str) -> str:
    """Return a user's text with quotes set off from what they quote."""
    return _OPENING_QUOTE.sub("' ", text)


def compact_reply(text: str, items: int, fields: int) -> str:
    """Return a tool result as short text: the first scalars by name, list items
    by their first fields.

    Args:
        text: The result as JSON.
        items: Items of a list that are shown.
        fields: Scalars, and fields of an item, that are shown.
    """
    try:
        result = cast("JsonValue", json.loads(text))
    except ValueError:
        return text[:_MOST_TEXT]
    if not isinstance(result, dict):
        return write_value(result)
    return "\n".join(_lines(result, items, fields)) or "nothing"


def _lines(result: JsonObject, items: int, fields: int) -> Iterator[str]:
    scalars = [name for name, value in result.items() if not isinstance(value, dict | list | None)]
    # Ids first: later calls need them.
    scalars.sort(key=lambda name: not name.endswith("_id"))
    for name in scalars[:fields]:
        yield f"{name}: {write_value(result[name])[:_MOST_TEXT]}"
    for name, value in result.items():
        if isinstance(value, list):
            yield f"{name}:"
            yield from (f" {_item(item, fields)}" for item in value[:items])


def _item(item: JsonValue, fields: int) -> str:
    if not isinstance(item, dict):
        return write_value(item)
    values = [value for value in item.values() if not isinstance(value, dict | list)]
    return ", ".join(write_value(value)[:_MOST_TEXT] for value in values[:fields])


def _call_text(call: JsonObject) -> str:
    function = cast("JsonObject", call.get("function", call))
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        arguments = cast("JsonValue", json.loads(arguments))
    return write_call(str(function["name"]), cast("JsonObject", arguments or {}))
