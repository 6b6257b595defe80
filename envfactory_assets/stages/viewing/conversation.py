"""A recorded conversation as the page shows it: what was said, and calls with their outcomes."""

from collections.abc import Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.viewing.replaying import Replayed, Seen, parsed
from sandboxes.core.canonical import canonical_json


class CallPool:
    """The different calls of a task, each stored once however many attempts made it."""

    def __init__(self) -> None:
        """Start empty."""
        self.calls: list[JsonValue] = []
        self._numbers: dict[str, int] = {}

    def number_of(self, call: JsonObject) -> int:
        """Return the number of a call, storing it the first time."""
        text = canonical_json(call)
        if text not in self._numbers:
            self._numbers[text] = len(self.calls)
            self.calls.append(call)
        return self._numbers[text]


def conversation(
    messages: Sequence[JsonObject], queries: Sequence[str], replayed: Replayed, pool: CallPool
) -> list[JsonObject]:
    """Return what happened, in order.

    What was said has `role` and `text`, and `turn` where a user's message begins one; a call has
    `call`, its number in the pool, and `by` where it was not the agent who made it.
    """
    items: list[JsonObject] = []
    begun = 0
    for index, message in enumerate(messages):
        role, text = str(message["role"]), _text(message.get("content"))
        if role == "tool":
            continue
        for action in _actions(message, replayed):
            items.append({"call": pool.number_of(action), "by": role})
        if role == "user" and begun < len(queries) and text == queries[begun]:
            items.append({"role": role, "text": text, "turn": begun})
            begun += 1
        elif text:
            items.append({"role": role, "text": text})
        for call in _calls(messages, index, replayed):
            by: JsonObject = {} if role == "assistant" else {"by": role}
            items.append({"call": pool.number_of(call), **by})
    return items


def _calls(messages: Sequence[JsonObject], index: int, replayed: Replayed) -> Iterator[JsonObject]:
    asked = cast("list[JsonObject]", messages[index].get("tool_calls") or [])
    replies = _replies(messages, index + 1) if asked else []
    for number, call in enumerate(asked):
        function = cast("JsonObject", call["function"])
        tool, given = str(function["name"]), function.get("arguments")
        arguments = parsed(given) if isinstance(given, str) else given
        reply = _reply(replies, call.get("id"), number)
        actor = "user" if messages[index]["role"] == "user" else "agent"
        seen = replayed.run(tool, arguments, reply, actor)
        yield _shown(tool, arguments, seen)


def _actions(message: JsonObject, replayed: Replayed) -> Iterator[JsonObject]:
    """Yield what the user has done when it says a message."""
    for action in cast("list[JsonObject]", message.get("actions") or []):
        tool, arguments = str(action["tool"]), action.get("arguments")
        yield _shown(tool, arguments, replayed.act(tool, arguments, bool(action.get("ok"))))


def _shown(tool: str, arguments: JsonValue, seen: Seen) -> JsonObject:
    return {
        "tool": tool,
        "arguments": arguments,
        "effect": seen.effect,
        "ok": seen.ok,
        "result": parsed(seen.reply),
        "changes": cast("JsonValue", seen.changes),
    }


def _replies(messages: Sequence[JsonObject], start: int) -> list[JsonObject]:
    found: list[JsonObject] = []
    for message in messages[start:]:
        if message["role"] != "tool":
            break
        found.append(message)
    return found


def _reply(replies: Sequence[JsonObject], call_id: JsonValue, number: int) -> str:
    """Return the reply with a call's id, else the one at its place; empty when there is none."""
    for message in replies:
        if message.get("tool_call_id") == call_id:
            return _text(message.get("content"))
    return _text(replies[number].get("content")) if number < len(replies) else ""


def _text(content: JsonValue) -> str:
    """Return the text of a message's content, also where it is a list of parts."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(str(text) for text in texts if text)
    return "" if content is None else str(content)
