"""How values are said, and whether a text says them."""

import re
from datetime import date, datetime

from pydantic import JsonValue

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")

_TOPIC_ENDINGS = {"at": "time", "on": "date", "email": "e-mail address"}
_UNITS = frozenset({"minutes", "hours", "days", "nights"})


def spellings(value: JsonValue) -> list[str]:
    """Return the ways in which a value can be said, plainest first."""
    if isinstance(value, bool):
        return ["yes", "on"] if value else ["no", "off"]
    if isinstance(value, int | float):
        return [_number(value)]
    if isinstance(value, list):
        return [join_words([spellings(item)[0] for item in value])]
    if isinstance(value, dict):
        return [join_words([spellings(item)[0] for item in value.values()])]
    text = str(value)
    if _MOMENT.fullmatch(text):
        day, time = _long_day(datetime.fromisoformat(text).date()), text[11:]
        return [text.replace("T", " "), f"{time} on {day}", f"{day} at {time}", text]
    if _DAY.fullmatch(text):
        return [text, _long_day(date.fromisoformat(text))]
    if re.fullmatch(r"[a-z]+(_[a-z]+)+", text):
        return [text.replace("_", " "), text.replace("_", " "), text]
    return [text]


def mentions(text: str, value: JsonValue) -> bool:
    """Return whether a text says a value, in any of its spellings, as whole words."""
    if isinstance(value, list):
        return all(mentions(text, item) for item in value)
    if isinstance(value, dict):
        return all(mentions(text, item) for item in value.values())
    return any(_contains(text, spelling) for spelling in spellings(value))


def join_words(words: list[str]) -> str:
    """Join words as a person would: `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def words_of(name: str) -> str:
    """Return the words of a parameter name: `check_in` is `check in`, `hotel_id` is `hotel`."""
    last = re.split(r"[.\[\]{}]+", name.rstrip("[]{}"))[-1]
    return re.sub(r"_?ids?$", "", last).replace("_", " ").strip() or last


def topic_of(path: str, value: JsonValue) -> str:
    """Return what a person calls a value when it is asked for: `send_at` is `send time`."""
    words = words_of(path)
    if isinstance(value, str):
        for ending, kind in _TOPIC_ENDINGS.items():
            if words == ending or words.endswith(f" {ending}"):
                return f"{words.removesuffix(ending)}{kind}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        rest, _, unit = words.rpartition(" ")
        if rest and unit in _UNITS:
            return f"{rest} in {unit}"
        if any(word.endswith("s") for word in words.split()):
            return f"number of {words}"
    return words


def _contains(text: str, spelling: str) -> bool:
    pattern = rf"(?<![\w]){re.escape(spelling)}(?![\w])"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)


def _long_day(day: date) -> str:
    return f"{day.day} {day.strftime('%B')} {day.year}"
