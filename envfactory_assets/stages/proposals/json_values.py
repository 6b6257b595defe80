"""Reading JSON whose shape nobody promised: the wrong type counts as absent."""

import math

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject

_LARGEST = 1e15


def object_of(value: JsonValue) -> JsonObject:
    """Return an object, empty when the value is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: JsonValue) -> list[JsonValue]:
    """Return a list, empty when the value is none."""
    return value if isinstance(value, list) else []


def text_of(value: JsonValue) -> str:
    """Return a text, empty when the value is none."""
    return value if isinstance(value, str) else ""


def texts_of(value: JsonValue) -> list[str]:
    """Return the texts of a list."""
    return [item for item in list_of(value) if isinstance(item, str)]


def number_of(value: JsonValue) -> float | None:
    """Return a number of a usable size; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Compared before it is converted: an integer may be too large for a float.
    if abs(value) > _LARGEST or not math.isfinite(value):
        return None
    return float(value)


def spoken_text(value: JsonValue) -> str:
    """Return how a scalar reads; empty for lists, objects and null."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""
