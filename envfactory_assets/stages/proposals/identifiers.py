"""Names of documents as names of ours: snake case, singular, unique; prose as one sentence."""

import html
import keyword
import re

from envfactory_assets.stages.tool_graphs.naming import singular

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_IRREGULAR = {
    "aliases": "alias",
    "analyses": "analysis",
    "canvases": "canvas",
    "children": "child",
    "cookies": "cookie",
    "courses": "course",
    "data": "data",
    "gases": "gas",
    "indices": "index",
    "media": "media",
    "men": "man",
    "movies": "movie",
    "news": "news",
    "people": "person",
    "series": "series",
    "species": "species",
    "statuses": "status",
    "women": "woman",
}
_TAKEN = frozenset({"self", "clock", "cls", "None", "True", "False"})
_LONGEST = 64
_LONGEST_SENTENCE = 240
_MARKUP = re.compile(r"<[^<>]{0,300}>|[#|]+")
_EMPHASIS = re.compile(r"[`*]+")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()]{0,500}\)")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"'])[.!?](?=\s+[A-Z]|\s*$)")


def name_words(name: str) -> tuple[str, ...]:
    """Return the lower-case ASCII words of a name in any case style."""
    return tuple(word.lower() for word in _WORD.findall(name[:300]))


def word_set(text: str) -> frozenset[str]:
    """Return the words of a vocabulary that is written as one text."""
    return frozenset(text.split())


def singular_noun(word: str) -> str:
    """Return the singular of a noun in lower case."""
    return _IRREGULAR.get(word) or singular(word)


def is_plural(word: str) -> bool:
    """Whether a noun in lower case has another singular."""
    return singular_noun(word) != word


def plural_name(name: str) -> str:
    """Return the plural of a snake-case name."""
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}s"


def entity_name(words: tuple[str, ...]) -> str:
    """Return the snake-case singular name of a kind of thing; empty without words."""
    if not words:
        return ""
    return snake_name("_".join((*words[:-1], singular_noun(words[-1]))))


def snake_name(name: str) -> str:
    """Return a name as a Python identifier in snake case; empty when no word is left of it."""
    snake = "_".join(name_words(name))[:_LONGEST].strip("_")
    if not snake:
        return ""
    if snake[0].isdigit():
        snake = f"n_{snake}"[:_LONGEST].strip("_")
    if keyword.iskeyword(snake) or keyword.issoftkeyword(snake) or snake in _TAKEN:
        return f"{snake}_value"
    return snake


def unique_name(name: str, taken: set[str]) -> str:
    """Return the name, numbered when it is taken, and take it."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        ending = f"_{number}"
        candidate = f"{name[: _LONGEST - len(ending)]}{ending}"
    taken.add(candidate)
    return candidate


def plain_phrase(text: str, longest: int = _LONGEST_SENTENCE) -> str:
    """Return the first sentence of a text without markup and final stop; empty without any."""
    plain = html.unescape(text[:4000])
    plain = _LINK.sub(r"\1", plain)
    plain = _EMPHASIS.sub("", _MARKUP.sub(" ", plain))
    plain = " ".join(plain.split())
    plain = _SENTENCE_END.split(plain, maxsplit=1)[0].strip()
    if len(plain) > longest:
        plain = plain[:longest].rsplit(" ", 1)[0]
    return plain.rstrip(" .:;,")


def plain_sentence(text: str) -> str:
    """Return the first sentence of a text, with a capital and a stop; empty without any."""
    phrase = plain_phrase(text)
    return f"{phrase[0].upper()}{phrase[1:]}." if phrase else ""


def spoken(name: str) -> str:
    """Return a snake-case name as words: `order_item` is an `order item`."""
    return name.replace("_", " ")
