"""Comparing JSON values the tolerant way, and finding and renaming ids inside them."""

import math
import re
from collections.abc import Container, Iterator, Mapping

from pydantic import JsonValue

_ID = re.compile(r"(?<![\w-])[A-Za-z_]\w*(?:-\w+)*-\d+(?![\w-])")
_NUMBER = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*")


def fold(text: str) -> str:
    """Return a text without differences of case and of white space."""
    return " ".join(text.casefold().split())


def values_agree(expected: JsonValue, given: JsonValue) -> bool:
    """Tell whether two values mean the same.

    Texts agree apart from case and white space; numbers by value, also when one of them is written
    as text; lists in order, but lists of distinct texts in any order; objects key by key. A boolean
    is no number, and null agrees with null alone.
    """
    if isinstance(expected, bool) or isinstance(given, bool):
        return expected is given
    if isinstance(expected, str):
        if isinstance(given, str):
            return expected == given or fold(expected) == fold(given)
        return isinstance(given, int | float) and _text_is_number(expected, given)
    if isinstance(expected, int | float):
        if isinstance(given, str):
            return _text_is_number(given, expected)
        return isinstance(given, int | float) and _numbers_agree(expected, given)
    if isinstance(expected, list):
        return isinstance(given, list) and _lists_agree(expected, given)
    if isinstance(expected, dict):
        return (
            isinstance(given, dict)
            and expected.keys() == given.keys()
            and all(values_agree(value, given[key]) for key, value in expected.items())
        )
    return given is None


def are_distinct_texts(values: list[JsonValue]) -> bool:
    """Tell whether a list holds texts alone, none of them twice."""
    return all(isinstance(value, str) for value in values) and len(
        {value for value in values if isinstance(value, str)}
    ) == len(values)


def looks_like_id(value: JsonValue) -> bool:
    """Tell whether a value has the form of an id of the session clock, such as `BK-12`."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def ids_in(value: JsonValue, known: Container[str]) -> Iterator[str]:
    """Yield the known ids in a value: whole texts, keys, and words of longer texts."""
    if isinstance(value, str):
        if value in known:
            yield value
        elif "-" in value:
            yield from (match[0] for match in _ID.finditer(value) if match[0] in known)
    elif isinstance(value, list):
        for item in value:
            yield from ids_in(item, known)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from ids_in(key, known)
            yield from ids_in(item, known)


def rename_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text with ids renamed, also where they are words of a longer text."""
    whole = names.get(text)
    if whole is not None:
        return whole
    if "-" not in text:
        return text
    return _ID.sub(lambda match: names.get(match[0], match[0]), text)


def rename(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """Return a value with ids renamed in texts and keys, at any depth."""
    if isinstance(value, str):
        return rename_text(value, names)
    if isinstance(value, list):
        return [rename(item, names) for item in value]
    if isinstance(value, dict):
        return {rename_text(key, names): rename(item, names) for key, item in value.items()}
    return value


def _text_is_number(text: str, number: float) -> bool:
    return _NUMBER.fullmatch(text) is not None and _numbers_agree(float(text), number)


def _numbers_agree(first: float, second: float) -> bool:
    return first == second or (
        not (isinstance(first, int) and isinstance(second, int))
        and math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    )


def _lists_agree(expected: list[JsonValue], given: list[JsonValue]) -> bool:
    if len(expected) != len(given):
        return False
    if are_distinct_texts(expected) and are_distinct_texts(given):
        return {fold(str(value)) for value in expected} == {fold(str(value)) for value in given}
    return all(map(values_agree, expected, given))
