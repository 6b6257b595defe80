"""Names that code has, in words that people read."""

from collections.abc import Mapping

from pydantic import JsonValue

_LABELS = ("name", "title", "subject", "label")
_LONG_PLURALS = ("sses", "xes", "ches", "shes")
_IRREGULAR = {"people": "person", "series": "series"}


def in_words(name: str) -> str:
    """Return a code name as words: `check_in` as `check in`."""
    return name.replace("_", " ").strip()


def title_of(name: str) -> str:
    """Return a code name as a title: `hotel_booking` as `Hotel booking`."""
    words = in_words(name)
    return words[:1].upper() + words[1:]


def tool_title(wire_name: str) -> str:
    """Return the tool's part of a wire name as a title."""
    return title_of(wire_name.partition("__")[2] or wire_name)


def singular(name: str) -> str:
    """Return what one entry of a table is called: `bookings` gives `Booking`."""
    words = in_words(name)
    if words in _IRREGULAR:
        words = _IRREGULAR[words]
    elif words.endswith("ies"):
        words = words[:-3] + "y"
    elif words.endswith(_LONG_PLURALS):
        words = words[:-2]
    elif words.endswith("s") and not words.endswith("ss"):
        words = words[:-1]
    return title_of(words)


def label_of(entity: JsonValue) -> str | None:
    """Return the name by which people know an entity, when it has one."""
    if not isinstance(entity, Mapping):
        return None
    for key in _LABELS:
        value = entity.get(key)
        if isinstance(value, str) and value:
            return value
    return None
