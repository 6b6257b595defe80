"""What the states of a session hold, looked up by name: leaves, table keys, rows, days."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from sandboxes.core.clock import day_of
from sandboxes.core.parameters import JsonObject, Parameter

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class StateValues:
    """The values of some states, by the names they stand under.

    A table is an object whose values are all objects, or whose keys are no field names; its keys
    are the ids of what it holds. A row is one entity of a table, with its own id under the
    singular of the table's name (`rooms` gives `room_id`).

    Attributes:
        now: The latest moment at which a state stands.
        moments: Every moment in the states, sorted.
        days: Every day in the states, those of moments included, sorted.
        rows: The entities of every table.
    """

    def __init__(self, states: Mapping[str, JsonObject]) -> None:
        """Read the values of some states; clocks and their counters are left out."""
        self._leaves: dict[str, dict[JsonValue, None]] = {}
        self._tables: dict[str, dict[str, None]] = {}
        self.rows: list[JsonObject] = []
        self.now = max((_now(state) for state in states.values()), default="")
        for state in states.values():
            for name, value in state.items():
                if name != "clock":
                    self._read(name, value)
        texts = [value for value in self._texts() if _DAY.match(value)]
        self.moments = sorted({text for text in texts if _MOMENT.fullmatch(text)})
        self.days = sorted(
            {text for text in texts if _DAY.fullmatch(text)} | {day_of(m) for m in self.moments}
        )

    def named(self, parameter: Parameter) -> list[JsonValue]:
        """Return the values that stand under a parameter's name, best match first.

        A leaf matches by the parameter's name or by its identifier type (`FolderId` is
        `folder_id`); a table matches when the identifier names its entities. When nothing does,
        and the parameter gives no examples, the last words count (`max_price` finds `price`).
        """
        wanted = _wanted_names(parameter)
        found = self._entities(wanted) if parameter.identifier is not None else {}
        matches = [_is_same, _is_prefix] if parameter.speakable else [_is_same]
        for match in matches:
            found.update(self._matching(match, wanted))
        if not found and not parameter.examples:
            found.update(self._matching(_is_suffix, wanted))
        return list(found)

    def _entities(self, wanted: Sequence[str]) -> dict[JsonValue, None]:
        found: dict[JsonValue, None] = {}
        for stem in dict.fromkeys(name.removesuffix("_id") for name in wanted):
            for name, keys in self._tables.items():
                if singular(name) == stem or singular(name).endswith(f"_{stem}"):
                    found.update(dict.fromkeys(keys))
        return found

    def _matching(
        self, match: Callable[[str, str], bool], wanted: Sequence[str]
    ) -> dict[JsonValue, None]:
        found: dict[JsonValue, None] = {}
        for leaf, values in self._leaves.items():
            if any(match(leaf, name) for name in wanted):
                found.update(values)
        return found

    def keys(self) -> list[JsonValue]:
        """Return the keys of every table."""
        return list(dict.fromkeys(key for keys in self._tables.values() for key in keys))

    def _texts(self) -> Iterator[str]:
        for values in self._leaves.values():
            yield from (value for value in values if isinstance(value, str))

    def _read(self, name: str, value: JsonValue) -> None:
        if isinstance(value, dict):
            is_table = _is_table(value)
            if is_table:
                self._tables.setdefault(name, {}).update(dict.fromkeys(value))
                self._read_rows(name, value)
            for key, item in value.items():
                self._read(name if is_table else key, item)
        elif isinstance(value, list):
            self.rows.extend(item for item in value if isinstance(item, dict))
            for item in value:
                self._read(name, item)
        elif value is not None:
            self._leaves.setdefault(name, {})[value] = None

    def _read_rows(self, name: str, table: Mapping[str, JsonValue]) -> None:
        for key, entity in table.items():
            if isinstance(entity, dict):
                self.rows.append({**entity, f"{singular(name)}_id": key})


def singular(name: str) -> str:
    """Return the singular of a table's name: `bookings` is `booking`, `entries` is `entry`."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("sses", "shes", "ches", "xes")):
        return name[:-2]
    return name.removesuffix("s")


def row_value(row: JsonObject, parameter: Parameter) -> JsonValue:
    """Return what a row holds under a parameter's name or identifier type; None if nothing."""
    for name in _wanted_names(parameter):
        value = row.get(name)
        if value is not None and not isinstance(value, (dict, list)):
            return value
    return None


def _wanted_names(parameter: Parameter) -> list[str]:
    names = [parameter.name]
    if parameter.identifier is not None:
        names.append(_WORD_START.sub("_", parameter.identifier).lower())
    return names


def _is_same(leaf: str, name: str) -> bool:
    return name in (leaf, singular(leaf))


def _is_prefix(leaf: str, name: str) -> bool:
    return name.startswith(f"{leaf}_")


def _is_suffix(leaf: str, name: str) -> bool:
    return name.endswith(f"_{leaf}") or leaf.endswith(f"_{name}")


def _is_table(value: Mapping[str, JsonValue]) -> bool:
    entries: Sequence[JsonValue] = list(value.values())
    return bool(entries) and (
        all(isinstance(entry, dict) for entry in entries)
        or not all(key.isidentifier() for key in value)
    )


def _now(state: JsonObject) -> str:
    clock = cast("JsonObject", state.get("clock", {}))
    return str(clock.get("now", ""))
