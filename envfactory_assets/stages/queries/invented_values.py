"""Values that a model made up: words that look like data and stand nowhere else."""

import re

_WORD = re.compile(r"[^\s\"'`\u2018-\u201d()\[\]{}<>,;!?\u2026]+")
_EDGES = re.compile(r"^\W+|\W+$")
_DATA = re.compile(r"[\d@_]")


def invented_values(text: str, *sources: str) -> list[str]:
    """Return the words with a digit, `@` or `_` that no source has, in order of first mention.

    Args:
        text: What a model wrote.
        sources: What it may have its values from.
    """
    known = {word for source in sources for word in _words(source)}
    found = (word for word in _words(text) if _DATA.search(word) and word not in known)
    return list(dict.fromkeys(found))


def _words(text: str) -> list[str]:
    return [_EDGES.sub("", word).casefold() for word in _WORD.findall(text)]
