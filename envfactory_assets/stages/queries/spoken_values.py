"""What a person says for a parameter: the values of the plan that come from no result."""

import random

from pydantic import JsonValue

from sandboxes.core.parameters import Parameter

_REUSE_PROBABILITY = 0.85
_DATE_REUSE_PROBABILITY = 0.98
_EXAMPLE_PROBABILITY = 0.7
_SMALL_NUMBER = 12
_STEP = 5


def spoken_value(
    parameter: Parameter, candidates: list[JsonValue], said: JsonValue, rng: random.Random
) -> JsonValue | None:
    """Return a value that a person would say; None where there is none to choose from.

    Args:
        parameter: What it is for.
        candidates: The values to choose from.
        said: What was said for the like earlier in the task: names, places and dates stay, texts
            are new every time.
        rng: Makes the choice.
    """
    if _is_free_text(parameter):
        fresh = [text for text in candidates if text != said]
        return rng.choice(_worth_saying(parameter, fresh or candidates))
    is_date = parameter.type in ("date", "date-time")
    reuse = _DATE_REUSE_PROBABILITY if is_date else _REUSE_PROBABILITY
    if said is not None and rng.random() < reuse:
        return said
    if not candidates:
        return None
    if parameter.examples and rng.random() < _EXAMPLE_PROBABILITY:
        return rng.choice(parameter.examples)
    return rng.choice(_worth_saying(parameter, candidates))


def _is_free_text(parameter: Parameter) -> bool:
    """Return whether people put a parameter into words of their own, new ones every time."""
    is_text = parameter.type == "string" and not parameter.enum and parameter.identifier is None
    return is_text and bool(parameter.examples)


def _worth_saying(parameter: Parameter, candidates: list[JsonValue]) -> list[JsonValue]:
    """Return the values that a person would bother to say: no default, and round numbers."""
    telling = [value for value in candidates if value != parameter.default]
    if not parameter.required:
        telling = [value for value in telling if value not in (0, False, "")]
    round_ones = [value for value in map(_rounded, telling) if value is not None]
    return list(dict.fromkeys(round_ones)) or telling or candidates


def _rounded(value: JsonValue) -> JsonValue:
    """Return a number as a person rounds it, None for a small fraction; others as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if value <= _SMALL_NUMBER:
        return value if value == int(value) else None
    return type(value)(_STEP * round(value / _STEP))
