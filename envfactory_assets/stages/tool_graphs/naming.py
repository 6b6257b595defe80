"""What names and descriptions say about a leaf: whether it is an id, of what, or a spoken name."""

import re
from functools import cache

from envfactory_assets.stages.tool_graphs.leaves import Leaf

_ID_WORDS = frozenset({"id", "ids", "uuid", "token"})
_NUMBER_WORDS = frozenset({"number", "numbers", "reference", "ref"})
_ID_PHRASE = re.compile(r"\b(?:ids?|identifiers?)\b", re.IGNORECASE)
_ID_OF = re.compile(r"\b(?:ids?|identifiers?|numbers?) of (?:the |an? |each |every )?(.*)", re.I)
_PHRASE_END = re.compile(
    r"[,;.()]|\b(?:to|of|from|that|which|whose|who|with|in|at|for|on|by|and|or|is|was|it|as|when"
    r"|where|being|into|within|the|this)\b",
    re.IGNORECASE,
)
_SPOKEN = {
    "email": "e-mail address",
    "city": "city",
    "country": "country",
    "airport": "airport",
    "currency": "currency",
    "phone": "phone number",
    "iban": "bank account number",
    "username": "user name",
    "url": "web address",
    "path": "path",
    "folder": "path",
}
_SPOKEN_PHRASES = (
    (re.compile(r"\be-?mail address", re.IGNORECASE), "e-mail address"),
    (re.compile(r"\bphone number", re.IGNORECASE), "phone number"),
)


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a snake-case or camel-case name."""
    return tuple(part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name))


@cache
def singular(word: str) -> str:
    """Return the singular of an English noun, well enough to compare two names."""
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def is_id(leaf: Leaf) -> bool:
    """Whether the text says that the leaf names a record of the service."""
    if leaf.type not in ("string", "integer") or leaf.enum:
        return False
    parts = words(leaf.name)
    if parts and parts[-1] in _ID_WORDS:
        return True
    if leaf.type != "string" or spoken_kind(leaf):
        return False
    if parts and parts[-1] in _NUMBER_WORDS and _ID_OF.search(leaf.description):
        return True
    return bool(_ID_PHRASE.search(leaf.description))


def entities(leaf: Leaf) -> frozenset[str]:
    """Return the kinds of thing that an id may be of: as the name says, as the text says."""
    found = {_entity_of_name(leaf), _entity_of_text(leaf.description)}
    return frozenset(found - {""})


def spoken_kind(leaf: Leaf) -> str:
    """Return which sort of name people say the leaf is (`city`), or nothing when it is none."""
    if leaf.type != "string" or leaf.enum:
        return ""
    for pattern, kind in _SPOKEN_PHRASES:
        if pattern.search(leaf.description):
            return kind
    parts = words(leaf.name)
    return _SPOKEN.get(singular(parts[-1]), "") if parts else ""


def _entity_of_name(leaf: Leaf) -> str:
    parts = [part for part in words(leaf.name) if part not in _ID_WORDS | _NUMBER_WORDS]
    if parts:
        return singular(parts[-1])
    above = [part for part in re.split(r"[.\[\]{}]+", leaf.path) if part][:-1]
    return singular(words(above[-1])[-1]) if above else ""


def _entity_of_text(description: str) -> str:
    match = _ID_OF.search(description)
    if match is None:
        return ""
    phrase = words(_PHRASE_END.split(match.group(1))[0])
    return singular(phrase[-1]) if phrase else ""
