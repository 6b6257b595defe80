"""Short names for the values of one conversation: `EMAIL-1` for the first e-mail address in it.

A policy of a million weights does not learn to spell out values from a few hundred conversations.
It sees and writes their names instead; what a name stands for is put back before a call is made.
Ids keep their prefix and are numbered anew, in the order in which the conversation shows them.
"""

import re
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

    def of(self, value: str) -> str:
        """Return the name of a whole value; a plain lower-case word is its own name."""
        if value in self._names:
            return self._names[value]
        match = _VALUE.fullmatch(value)
        if is_id(value):
            return self._give(value, value.rsplit("-", 1)[0])
        for kind in ("email", "moment", "day", "number"):
            if match is not None and match[kind] is not None:
                return self._give(_plain(kind, value), kind.upper())
        if re.fullmatch(r"[a-z_]*", value):
            return value
        self._texts.add(value)
        return self._give(value, "TEXT")

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
        return self.of(hit[0])

    def _give(self, value: str, kind: str) -> str:
        if value not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = f"{kind}-{self._counts[kind]}"
            self._names[value] = name
            self._values[name] = value
        return self._names[value]


def _plain(kind: str, value: str) -> str:
    """Return a day or a moment as tools write it; anything else as it is."""
    if kind == "day" and " " in value:
        return datetime.strptime(value, "%d %B %Y").date().isoformat()  # noqa: DTZ007
    if kind == "moment" and " at " in value:
        day, time = value.split(" at ")
        return f"{_plain('day', day)}T{time}"
    return value.replace(" ", "T") if kind == "moment" else value
