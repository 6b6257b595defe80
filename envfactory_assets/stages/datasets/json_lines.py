"""Rows as JSON lines that readers never see half-written."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject


def json_text(value: JsonValue) -> str:
    """Return a value as JSON text on one line, the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def write_lines(path: Path, lines: Iterable[JsonObject]) -> Path:
    """Write one object a line and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    with temporary.open("w", encoding="utf-8") as file:
        file.writelines(json_text(line) + "\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return path


def with_argument_objects(message: JsonObject) -> JsonObject:
    """Return a message whose tool calls hold their arguments as an object, not as text."""
    calls = cast("list[JsonObject]", message.get("tool_calls") or [])
    if not calls:
        return message
    opened: list[JsonValue] = []
    for call in calls:
        function = cast("JsonObject", call["function"])
        arguments = json.loads(str(function["arguments"]))
        opened.append({**call, "function": {**function, "arguments": arguments}})
    return {**message, "tool_calls": opened}
