"""What the schema of one leaf allows: type, literals, bounds, lengths and patterns."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeGuard, cast

from pydantic import JsonValue
from pydantic_core import SchemaError, SchemaValidator, core_schema

from sandboxes.core.parameters import JsonObject, without_null

_LIMITS: dict[str, Callable[[float, float], bool]] = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "multipleOf": lambda value, limit: abs(value / limit - round(value / limit)) < 1e-9,
}


def is_number(value: JsonValue) -> TypeGuard[int | float]:
    """Return whether a JSON value is a number, which a boolean is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def literals(node: JsonObject) -> list[JsonValue]:
    """Return the allowed values of a leaf whose set is closed, else an empty list."""
    node = without_null(node)
    if "const" in node:
        return [node["const"]]
    return list(cast("list[JsonValue]", node.get("enum", [])))


def fits(value: JsonValue, node: JsonObject) -> bool:
    """Return whether a value that is not null keeps the type and limits of a leaf."""
    node = without_null(node)
    allowed = literals(node)
    if value is None or (allowed and value not in allowed):
        return False
    kind = node.get("type", "string")
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, str):
        return kind == "string" and _text_fits(value, node)
    if isinstance(value, int):
        return kind in ("integer", "number") and _number_fits(value, node)
    return isinstance(value, float) and kind == "number" and _number_fits(value, node)


def bounds(node: JsonObject, step: float) -> tuple[float | None, float | None]:
    """Return the lowest and the highest allowed number, None where there is no bound.

    Args:
        node: The leaf's schema.
        step: How far inside an exclusive bound the nearest usable number lies.
    """
    node = without_null(node)
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    return (
        low if is_number(low) else above + step if is_number(above) else None,
        high if is_number(high) else below - step if is_number(below) else None,
    )


def plain_text(name: str, node: JsonObject) -> str:
    """Return a text of allowed length for a leaf that nothing else gives a value for."""
    node = without_null(node)
    text = f"sample {name.replace('_', ' ')}"
    least = cast("int", node.get("minLength", 0))
    most = cast("int", node.get("maxLength", max(least, len(text))))
    return text.ljust(least, "x")[:most]


def _text_fits(value: str, node: JsonObject) -> bool:
    pattern = node.get("pattern")
    least = cast("int", node.get("minLength", 0))
    most = cast("int", node.get("maxLength", len(value)))
    return least <= len(value) <= most and (not isinstance(pattern, str) or _has(pattern, value))


def _has(pattern: str, value: str) -> bool:
    """Return whether a pattern is found in a text, in time that grows with its length only.

    Pydantic's engine is asked, since a pattern may come from code that nobody has reviewed. One
    that it does not know (it has no look-around) fits nothing.
    """
    validator = _validator(pattern)
    return validator is not None and validator.isinstance_python(value)


@lru_cache(maxsize=512)
def _validator(pattern: str) -> SchemaValidator | None:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return None


def _number_fits(value: float, node: JsonObject) -> bool:
    return all(
        keeps(value, cast("float", node[key])) for key, keeps in _LIMITS.items() if key in node
    )
