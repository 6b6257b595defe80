"""Initial states as a tester is shown them: whole where they are small, else a few of each table."""

import json

from pydantic import JsonValue

from sandboxes.core.parameters import JsonObject

_ENTRIES = (40, 20, 10, 6, 4, 2, 1)


def state_text(state: JsonObject, most_characters: int) -> str:
    """Return a state as JSON text, each table cut to as many entries as fit.

    Args:
        state: The state.
        most_characters: About how long the text may be.
    """
    text = _json(state)
    for count in _ENTRIES:
        if len(text) <= most_characters:
            break
        cut: JsonObject = {key: _first(value, count) for key, value in state.items()}
        notes = [note for key, value in state.items() if (note := _note(key, value, count))]
        text = _json({**cut, "clock": state.get("clock")})
        text += "".join(f"\n{note}" for note in notes)
    return text


def _first(value: JsonValue, count: int) -> JsonValue:
    if isinstance(value, dict):
        return dict(list(_entries(value).items())[:count])
    return value[:count] if isinstance(value, list) else value


def _note(key: str, value: JsonValue, count: int) -> str:
    size = len(_entries(value)) if isinstance(value, dict) else 0
    if key == "clock" or size <= count:
        return ""
    return f"(shortened: {key} holds {size} entries, {count} are shown)"


def _entries(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
