"""What a session changed: the leaves of its states that differ from the initial states.

Two end states of one scenario are equal exactly when their changes are, and changes are small
where states are large. The clock is left out: time and counters are no outcome.

Lists are taken apart as far as their elements can be told apart: distinct texts by themselves,
records by their id, everything else by position while elements were only edited or appended. Where
positions mean nothing, after a removal or an insertion, the whole list counts as one leaf.
"""

from collections.abc import Mapping, Sequence
from enum import Enum

from pydantic import JsonValue

from envfactory_assets.stages.reward.values import are_distinct_texts

CLOCK = "clock"


class Absent(Enum):
    """The value of a leaf that is not there."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Leaf = JsonValue | Absent
Path = tuple[str | int, ...]
Changes = Mapping[Path, Leaf]
States = Mapping[str, Mapping[str, JsonValue]]


def states_equal(first: States, second: States) -> bool:
    """Tell whether the states of all environments are equal, apart from the clock."""
    return all(_equal_apart_from_clock(state, second[key]) for key, state in first.items())


def changes_between(initial: States, end: States) -> dict[Path, Leaf]:
    """Return the changed leaves of all environments; a removed value is `ABSENT`."""
    found: dict[Path, Leaf] = {}
    for environment_id, state in end.items():
        before = initial[environment_id]
        for key in (*state, *(key for key in before if key not in state)):
            if key != CLOCK:
                path = (environment_id, key)
                _collect(path, before.get(key, ABSENT), state.get(key, ABSENT), found)
    return found


def _equal_apart_from_clock(
    first: Mapping[str, JsonValue], second: Mapping[str, JsonValue]
) -> bool:
    return first.keys() == second.keys() and all(
        value == second[key] for key, value in first.items() if key != CLOCK
    )


def _collect(path: Path, old: Leaf, new: Leaf, found: dict[Path, Leaf]) -> None:
    if old is new or old == new:
        return
    if isinstance(new, dict) and (new or isinstance(old, dict)):
        before: Mapping[str, JsonValue] = old if isinstance(old, dict) else {}
        for key, value in new.items():
            _collect((*path, key), before.get(key, ABSENT), value, found)
        for key in before:
            if key not in new:
                found[(*path, key)] = ABSENT
    elif isinstance(new, list) and (new or isinstance(old, list)):
        _collect_list(path, old if isinstance(old, list) else [], new, found)
    else:
        found[path] = new


def _collect_list(
    path: Path, old: Sequence[JsonValue], new: Sequence[JsonValue], found: dict[Path, Leaf]
) -> None:
    head = _count_equal(old, new)
    tail = _count_equal(old[head:][::-1], new[head:][::-1])
    old_part, new_part = old[head : len(old) - tail], new[head : len(new) - tail]
    named = _by_name(str(path[-1]), old_part, new_part)
    if named is None and len(old_part) != len(new_part) and (old_part or tail):
        found[path] = list(new)
        return
    before, after = named or (dict(enumerate(old_part, head)), dict(enumerate(new_part, head)))
    for key, value in after.items():
        _collect((*path, key), before.get(key, ABSENT), value, found)
    for key in before:
        if key not in after:
            found[(*path, key)] = ABSENT


def _count_equal(first: Sequence[JsonValue], second: Sequence[JsonValue]) -> int:
    """Return how many elements two lists have in common from their start."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


_Named = dict[str | int, JsonValue]


def _by_name(
    list_name: str, old: Sequence[JsonValue], new: Sequence[JsonValue]
) -> tuple[_Named, _Named] | None:
    """Key the elements by their own text or id; None if they have none or were reordered."""
    both = [list(old), list(new)]
    are_texts = all(map(are_distinct_texts, both))
    key = None if are_texts else _identity_key(list_name, both)
    if key is None and not are_texts:
        return None
    named: list[_Named] = [{_name(item, key): item for item in items} for items in both]
    before, after = named
    if [key for key in before if key in after] != [key for key in after if key in before]:
        return None
    return before, after


def _name(item: JsonValue, key: str | None) -> str:
    return str(item[key] if key is not None and isinstance(item, dict) else item)


def _identity_key(list_name: str, lists: list[list[JsonValue]]) -> str | None:
    """Return the key whose text tells the records of each list apart, or None.

    `id` comes first, then the id named like the list (`message_id` in `messages`), then any other.
    """
    first = (lists[0] or lists[1])[0]
    if not isinstance(first, dict):
        return None
    keys = [key for key in first if key == "id" or key.endswith("_id")]
    keys.sort(key=lambda key: (key != "id", key[:-3][:4] not in list_name, key))
    for key in keys:
        columns = [
            [item.get(key) if isinstance(item, dict) else None for item in items] for items in lists
        ]
        if all(map(are_distinct_texts, columns)):
            return key
    return None
