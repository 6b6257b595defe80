"""What names and descriptions say about a leaf: whether it is an id, of what, or a spoken name."""

import re
from collections.abc import Sequence
from functools import cache

from envfactory_assets.stages.tool_graphs.leaves import Leaf

_ID_WORDS = frozenset({"id", "ids", "uuid", "token"})
_NUMBER_WORDS = frozenset({"number", "numbers", "reference", "ref"})
_ID_PHRASE = re.compile(r"\b(?:ids?|identifiers?)\b", re.IGNORECASE)
_ID_OF = re.compile(r"\b(?:ids?|identifiers?|numbers?) of (?:the |an? |each |every )?(.*)", re.I)
_PHRASE_END = re.compile(
    r"[,;.()]|\b(?:a|above|an|and|as|at|being|below|by|for|from|in|inside|into|is|it|of|on|or|that"
    r"|the|this|to|under|was|when|where|which|who|whose|with|within)\b",
    re.IGNORECASE,
)
_SPOKEN_WORDS = {
    "airport": "airport",
    "city": "city",
    "country": "country",
    "currency": "currency",
    "email": "e-mail address",
    "folder": "path",
    "iban": "bank account number",
    "path": "path",
    "phone": "phone number",
    "semester": "term",
    "term": "term",
    "url": "web address",
    "username": "user name",
}
_SPOKEN_PHRASES = (
    (re.compile(r"\be-?mail address", re.IGNORECASE), "e-mail address"),
    (re.compile(r"\bphone number", re.IGNORECASE), "phone number"),
)
_PEOPLE = frozenset(
    {"attendee", "guest", "invitee", "member", "participant", "people", "person", "recipient"}
)

Entity = tuple[str, ...]
"""The words of a kind of thing: `("office", "hour")`."""


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a snake-case or camel-case name, or of a phrase."""
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


def with_article(noun: str) -> str:
    """Return a noun with `a` or `an` before it."""
    return f"{'an' if noun.startswith(('a', 'e', 'i', 'o', 'hour')) else 'a'} {noun}"


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


def entities(leaf: Leaf) -> frozenset[Entity]:
    """Return the kinds of thing that an id may be of: as the name says, as the text says."""
    return frozenset({_entity_of_name(leaf), _entity_of_text(leaf.description)} - {()})


def shared_entity(first: frozenset[Entity], second: frozenset[Entity]) -> str:
    """Return the kind of thing that two leaves have in common, or nothing.

    The last word counts, so that the `from account` is an account.
    """
    best: Entity = ()
    for one in first:
        for other in second:
            common = _common_end(one, other)
            best = max(best, common, key=lambda entity: (len(entity), entity))
    return " ".join(best)


def spoken_kind(leaf: Leaf) -> str:
    """Return which sort of name people say the leaf is (`city`), or nothing when it is none."""
    if leaf.type != "string" or leaf.enum:
        return ""
    for pattern, kind in _SPOKEN_PHRASES:
        if pattern.search(leaf.description):
            return kind
    parts = words(leaf.name)
    if not parts:
        return ""
    if parts[-1] == "code":
        return " ".join(parts)
    if leaf.path.endswith("[]") and singular(parts[-1]) in _PEOPLE:
        # A bare list of people is a list of what people are known by.
        return "e-mail address"
    return _SPOKEN_WORDS.get(singular(parts[-1]), "")


def is_qualified(leaf: Leaf) -> bool:
    """Whether the name says whose value it is (`owner_email`), beyond what it is."""
    return len(words(leaf.name)) > 1


def _common_end(first: Entity, second: Entity) -> Entity:
    length = 0
    for one, other in zip(reversed(first), reversed(second), strict=False):
        if one != other:
            break
        length += 1
    return first[len(first) - length :]


def _entity_of_name(leaf: Leaf) -> Entity:
    parts = [part for part in words(leaf.name) if part not in _ID_WORDS | _NUMBER_WORDS]
    if not parts:
        above = [part for part in re.split(r"[.\[\]{}]+", leaf.path) if part][:-1]
        parts = list(words(above[-1])) if above else []
    return _singular_end(parts)


def _entity_of_text(description: str) -> Entity:
    match = _ID_OF.search(description)
    return _singular_end(words(_PHRASE_END.split(match.group(1))[0])) if match else ()


def _singular_end(parts: Sequence[str]) -> Entity:
    return (*parts[:-1], singular(parts[-1])) if parts else ()
