"""Words for scenarios and examples: which pool suits a field, by its name and its entity's."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

_FILE = Path(__file__).with_name("word_pools.json")
_NAMES = frozenset({"name", "title", "subject", "headline", "label", "heading"})
_CODES = ("code", "number", "no", "id")
_CODED = {
    "country": "country_code",
    "currency": "currency",
    "language": "language_code",
    "phone": "phone",
    "place": "place",
    "postcode": "postcode",
}
_FULL_NAME = ("first", "last", "family", "given")


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return json.loads(_FILE.read_text(encoding="utf-8"))


def pool(kind: str) -> tuple[str, ...]:
    """Return the words of a kind; names and titles where there are such, else texts."""
    tables = _tables()
    return tuple(tables["names"].get(kind) or tables["texts"].get(kind) or tables["texts"]["words"])


def text_pool(kind: str) -> tuple[str, ...]:
    """Return the texts of a kind, which are said in passing and name nothing."""
    tables = _tables()
    return tuple(tables["texts"].get(kind) or tables["names"].get(kind) or tables["texts"]["words"])


def kind_of_text(field: str, entity: str, description: str) -> str:
    """Return what kind of text a field holds, `words` where nothing says so.

    Args:
        field: Name of the field.
        entity: Name of its entity.
        description: What the field is said to be.
    """
    words = field.split("_")
    if words[-1] in _NAMES:
        owner = "_".join(words[:-1])
        return kind_of_name(owner) if owner and owner not in _FULL_NAME else kind_of_name(entity)
    if words[-1] in _CODES and len(words) > 1:
        return _CODED.get(_kind_by(words[:-1]), "code")
    said = description.lower().split(" of ")[0].replace(",", " ").split()
    return _kind_by(words) or _kind_by(said) or "words"


def kind_of_name(entity: str) -> str:
    """Return what kind of name things of an entity have, `proper` where nothing says so."""
    kinds = cast("dict[str, list[str]]", _tables()["name_kinds"])
    for word in reversed(entity.split("_")):
        for kind, nouns in kinds.items():
            if word in nouns:
                return kind
    return "proper"


def number_range(field: str) -> tuple[float, float, int]:
    """Return the smallest and largest usual number of a field, and how many decimals it has."""
    words = field.split("_")
    for nouns, low, high, decimals in _tables()["number_ranges"]:
        if any(word in nouns for word in reversed(words)):
            return low, high, decimals
    return 1, 60, 0


def _kind_by(words: list[str]) -> str:
    for word in reversed(words):
        for kind, nouns in cast("list[tuple[str, list[str]]]", _tables()["field_kinds"]):
            if word in nouns:
                return kind
    return ""
