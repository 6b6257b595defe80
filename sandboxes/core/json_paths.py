"""Paths into JSON values: `hotels[1].hotel_id` names one leaf, `hotels[].hotel_id` all of them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import cast

from pydantic import JsonValue

_PART = re.compile(r"([^.\[\]{}]+)|\[(\d*)\]|\{([^}]*)\}")


@cache
def _parts(path: str) -> tuple[str | int | None, ...]:
    """Split a path: text is a key, a number an index, None every item or value."""
    parts: list[str | int | None] = []
    for match in _PART.finditer(path):
        key, index, mapped = match.groups()
        if key is not None:
            parts.append(key)
        elif index is not None:
            parts.append(int(index) if index else None)
        else:
            parts.append(mapped or None)
    return tuple(parts)


def leaves_at(value: JsonValue, path: str) -> list[tuple[str, JsonValue]]:
    """Return every value that a path names, each with its own path; nulls and gaps are left out."""
    return [(where, found) for where, found in _walk(value, _parts(path), "") if found is not None]


def _walk(
    value: JsonValue, parts: tuple[str | int | None, ...], where: str
) -> Iterator[tuple[str, JsonValue]]:
    if not parts:
        yield where, value
        return
    head, rest = parts[0], parts[1:]
    if isinstance(value, list):
        for index, item in enumerate(value):
            if head is None or head == index:
                yield from _walk(item, rest, f"{where}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if head == key:
                yield from _walk(item, rest, _below(where, key))
            elif head is None:
                yield from _walk(item, rest, f"{where}{{{key}}}")


def _below(where: str, key: str) -> str:
    if not key or any(mark in key for mark in ".[]"):
        return f"{where}{{{key}}}"
    return f"{where}.{key}" if where else key


def value_at(value: JsonValue, path: str) -> JsonValue:
    """Return the one value that a path names; None where there is none."""
    found = leaves_at(value, path)
    return found[0][1] if found else None


def parent_of(path: str) -> str:
    """Return the path of the object that holds a leaf: `hotels[1]` for `hotels[1].hotel_id`."""
    head, separator, _ = path.rpartition(".")
    return head if separator else ""


def place(arguments: dict[str, JsonValue], path: str, value: JsonValue) -> None:
    """Set a leaf inside an arguments object, making what lies above it.

    A list on the way (`items[].product_id`) gets one item, which later leaves of it share.
    """
    parts = _parts(path)
    node: JsonValue = arguments
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        is_last = following == ""
        fresh: JsonValue = [] if following is None else {}
        if isinstance(node, dict):
            key = cast("str", part)
            node[key] = value if is_last else node.get(key, fresh)
            node = node[key]
        elif isinstance(node, list):
            if is_last:
                node.append(value)
                return
            if not node:
                node.append(fresh)
            node = node[0]


def text_leaves(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Yield every leaf of a JSON value with the last key on its path, in order."""
    yield from _text_leaves(value, "")


def _text_leaves(value: JsonValue, name: str) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _text_leaves(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _text_leaves(item, name)
    elif value is not None:
        yield name, value
