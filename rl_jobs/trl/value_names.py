"""Short names for the values of one conversation: `EMAIL-1` for the first e-mail address in it.

A policy of a million weights does not learn to spell out values from a few hundred conversations.
It sees and writes their names instead; what a name stands for is put back before a call is made.
Ids keep their prefix and are numbered anew.
"""

import re
from collections.abc import Sequence
from datetime import datetime

_DAY = r"\d{4}-\d{2}-\d{2}"
_LONG_DAY = (
    r"\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December) \d{4}"
)
_TIME = r"\d{2}:\d{2}"
_CAPITAL = r"[A-Z][\w&'-]*"
_VALUE = re.compile(
    rf"(?P<quoted>(?<!\w)'(?P<inside>.+?)'(?!\w))"
    rf"|(?P<told>(?<=should be )(?=\S+ )[^.]+(?=\.))"
    rf"|(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    rf"|(?P<moment>\b(?:{_DAY}[ T]{_TIME}|{_LONG_DAY} at {_TIME}))"
    rf"|(?P<day>\b(?:{_DAY}|{_LONG_DAY}))"
    rf"|(?P<number>(?<![\w-])\d+(?:\.\d+)?(?![\w-]))"
    rf"|(?P<text>(?<!^)(?<![.?!] )(?<!\w)(?!I\b){_CAPITAL}"
    rf"(?: (?:& )?{_CAPITAL}| 20\d\d\b)*)"
)
_KINDS = ("email", "moment", "day", "number")
_WORD = re.compile(r"[a-z_]*")
_UNLABELLED = 31
_NAME = re.compile(r"[A-Z]{2,}-\d+")


def is_id(value: str) -> bool:
    """Tell whether a value has the form of an id."""
    return _NAME.fullmatch(value) is not None


class ValueNames:
    """The names of one conversation's values, given as they are met."""

    def __init__(self) -> None:
        """Start without names."""
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._texts: set[str] = set()

    def in_speech(self, text: str) -> str:
        """Return a text that a person wrote, its values by name."""
        if self._texts:
            known = "|".join(map(re.escape, sorted(self._texts, key=len, reverse=True)))
            text = re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda hit: self._names[hit[0]], text)
        return _VALUE.sub(self._spoken, text)

    def in_row(self, values: Sequence[str]) -> list[str]:
        """Return the names of values that a tool returned together.

        The ids and addresses of a row take the number of its label, so that what belongs to
        `TEXT-4` is `HT-4` and `EMAIL-4`; without a label, or when the number is taken, they take a
        high one.
        """
        label = next((value for value in values if self._kind(value) == "TEXT"), None)
        number = int(self._of(label).rsplit("-", 1)[1]) if label is not None else None
        return [self._of(value, number or _UNLABELLED) for value in values]

    def _of(self, value: str, wanted: int = 0) -> str:
        """Return the name of a whole value; a plain lower-case word is its own name."""
        kind = self._kind(value)
        if kind is None:
            return value
        if kind == "TEXT":
            self._texts.add(value)
        is_tied = kind == "EMAIL" or is_id(value)
        plain = _plain(kind, value)
        return self._give(plain, kind, wanted if is_tied else 0)

    def _kind(self, value: str) -> str | None:
        """Return what kind of value this is; None for a plain lower-case word."""
        if value in self._names:
            return self._names[value].rsplit("-", 1)[0]
        if is_id(value):
            return value.rsplit("-", 1)[0]
        match = _VALUE.fullmatch(value)
        if match is not None and match.lastgroup in _KINDS:
            return match.lastgroup.upper()
        return None if _WORD.fullmatch(value) else "TEXT"

    def known(self, value: str) -> str:
        """Return the name of a value that the conversation has shown, any other as it is."""
        return self._names.get(value, value)

    def restored(self, text: str) -> str:
        """Return a text that a policy wrote with what its names stand for."""
        return _NAME.sub(lambda hit: self._values.get(hit[0], hit[0]), text)

    def _spoken(self, hit: re.Match[str]) -> str:
        if hit["quoted"] is not None:
            inside = hit["inside"]
            return inside if is_id(inside) else self._give(inside, "TEXT")
        if hit["text"] is not None and is_id(hit["text"]):
            return hit["text"]
        return self._of(hit[0])

    def _give(self, value: str, kind: str, wanted: int = 0) -> str:
        """Name a value: by a wanted number or the next free one above it, else the next of all."""
        if value in self._names:
            return self._names[value]
        number = wanted or self._counts.get(kind, 0) + 1
        if wanted and f"{kind}-{number}" in self._values:
            number = max(number, _UNLABELLED)
        while f"{kind}-{number}" in self._values:
            number += 1
        if not wanted:
            self._counts[kind] = number
        name = f"{kind}-{number}"
        self._names[value] = name
        self._values[name] = value
        return name


def _plain(kind: str, value: str) -> str:
    """Return a day or a moment as tools write it; anything else as it is."""
    if kind == "DAY" and " " in value:
        return datetime.strptime(value, "%d %B %Y").date().isoformat()  # noqa: DTZ007
    if kind == "MOMENT" and " at " in value:
        day, time = value.split(" at ")
        return f"{_plain('DAY', day)}T{time}"
    return value.replace(" ", "T") if kind == "MOMENT" else value
