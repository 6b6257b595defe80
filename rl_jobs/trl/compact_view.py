"""What the tiny policy sees of a conversation: the same messages, much shorter.

Values stand by their names, the system message and small talk are left out, a tool result keeps the ids, names and
states of its first items, and whatever the agent tells the user, questions aside, is `Done.` Real
models see conversations as they are.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from rl_jobs.exchange import ReadMessage
from rl_jobs.trl.call_grammar import read_message, write_call, write_value
from rl_jobs.trl.value_names import ValueNames, is_id

DONE = "Done."
_NOTHING = "nothing"
_UNREADABLE = "error"
_SMALL_TALK = re.compile(r"Thanks|(?:I|I'm|I've|It's|There's|My|We|A|An|Some|The) (?!like )")


def _without_small_talk(text: str) -> str:
    """Return a request without the sentences before it that only say why it is made."""
    sentences = re.split(r"(?<=[.!]) ", text)
    while len(sentences) > 1 and _SMALL_TALK.match(sentences[0]) and "-" not in sentences[0]:
        del sentences[0]
    return " ".join(sentences)


class CompactView:
    """One conversation in short; it remembers the names that it has given.

    Attributes:
        stands_alone: Whether every id in a call was shown before it.
    """

    def __init__(self, items: int, fields: int) -> None:
        """Start a conversation.

        Args:
            items: Items of a list in a tool result that are shown.
            fields: Fields of an item, and scalars of a result, that are shown.
        """
        self._items = items
        self._fields = fields
        self._names = ValueNames()
        self.stands_alone = True

    def messages(self, messages: Sequence[Mapping[str, JsonValue]]) -> list[JsonObject]:
        """Return the next messages in short: roles and texts alone."""
        return [self._message(message) for message in messages if message["role"] != "system"]

    def read(self, text: str, functions: Sequence[JsonObject]) -> ReadMessage:
        """Read what the policy wrote, its names replaced by what they stand for."""
        return read_message(self._names.restored(text), functions)

    def _message(self, message: Mapping[str, JsonValue]) -> JsonObject:
        role, content = str(message["role"]), str(message.get("content") or "")
        if role == "tool":
            return {"role": role, "content": self._reply(content)}
        if role == "user":
            return {"role": role, "content": _without_small_talk(self._names.in_speech(content))}
        calls = cast("list[JsonObject]", message.get("tool_calls") or [])
        if calls:
            return {"role": role, "content": "\n".join(self._call(call) for call in calls)}
        return {"role": role, "content": content if content.endswith("?") else DONE}

    def _call(self, call: JsonObject) -> str:
        function = cast("JsonObject", call.get("function", call))
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            arguments = cast("JsonValue", json.loads(arguments))
        named = {
            name: [self._known(item) for item in value]
            if isinstance(value, list)
            else self._known(value)
            for name, value in cast("JsonObject", arguments or {}).items()
        }
        return write_call(str(function["name"]), named)

    def _known(self, value: JsonValue) -> JsonValue:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        written = write_value(value)
        name = self._names.known(written)
        if name == written:
            self.stands_alone = self.stands_alone and not is_id(written)
            return value
        return name

    def _reply(self, text: str) -> str:
        try:
            result = cast("JsonValue", json.loads(text))
        except ValueError:
            return _UNREADABLE
        if not isinstance(result, dict):
            return _NOTHING
        if "error" in result:
            return _UNREADABLE
        return "\n".join(self._lines(result)) or _NOTHING

    def _lines(self, result: JsonObject) -> Iterator[str]:
        texts = [name for name, value in result.items() if isinstance(value, str)]
        # Ids first: later calls need them.
        texts.sort(key=lambda name: not name.endswith("_id"))
        for name in texts[: self._fields]:
            yield f"{name}: {self._names.of(str(result[name]))}"
        for name, value in result.items():
            if isinstance(value, list):
                yield f"{name}:"
                yield from (f" {self._item(item)}" for item in value[: self._items])

    def _item(self, item: JsonValue) -> str:
        fields = list(item.values()) if isinstance(item, dict) else [item]
        texts = [value for value in fields if isinstance(value, str)]
        return ", ".join(self._names.of(value) for value in texts[: self._fields])
