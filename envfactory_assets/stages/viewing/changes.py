"""What a call changed, by entity, so that a person can read it."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeGuard

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.changes import CLOCK, States
from envfactory_assets.stages.viewing.wording import in_words, label_of, singular, title_of
from sandboxes.core.canonical import canonical_json
from sandboxes.core.state import Change, diff

_ABSENT = object()
_POSITION = re.compile(r"\[(\d+)\]")
_Kind = Literal["added", "removed", "changed"]


def readable_changes(before: States, after: States) -> list[JsonObject]:
    """Return the entities that differ between two readings of the states; clocks are left out.

    Each has `what` (`Booking`), `id` and `label` where it has them, and either `kind` (`added`,
    `removed`) with its `value`, or `fields` with `name`, `before` and `after`.
    """
    return [
        change
        for environment_id, state in after.items()
        for change in _of_state(before.get(environment_id, {}), state)
    ]


def _of_state(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
) -> Iterator[JsonObject]:
    for table in sorted(before.keys() | after.keys()):
        old, new = before.get(table), after.get(table)
        if table == CLOCK or old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _of_table(table, old, new)
        elif isinstance(old, list) and isinstance(new, list):
            yield from _of_list(table, old, new)
        else:
            yield _changed(title_of(table), None, None, [_field("", old, new)])


def _of_table(
    table: str, before: dict[str, JsonValue], after: dict[str, JsonValue]
) -> Iterator[JsonObject]:
    """Yield a change for each entity; the plain values of a table are fields of the table."""
    fields: list[JsonValue] = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
        if old == new:
            continue
        if isinstance(old, dict) or isinstance(new, dict):
            yield _of_entity(table, key, before.get(key), after.get(key), key in before)
        else:
            fields.append(_field(key, before.get(key), after.get(key)))
    if fields:
        yield _changed(title_of(table), None, None, fields)


def _of_list(table: str, before: list[JsonValue], after: list[JsonValue]) -> Iterator[JsonObject]:
    if len(before) != len(after) or not all(isinstance(item, dict) for item in after):
        yield _changed(title_of(table), None, None, _list_fields("", before, after))
        return
    for old, new in zip(before, after, strict=True):
        if old != new:
            yield _of_entity(table, None, old, new, is_known=True)


def _of_entity(
    table: str, key: str | None, before: JsonValue, after: JsonValue, is_known: bool
) -> JsonObject:
    what, label = singular(table), label_of(after) or label_of(before)
    if not is_known:
        return _whole(what, key, label, "added", after)
    if after is None:
        return _whole(what, key, label, "removed", before)
    return _changed(what, key, label, _fields(before, after))


def _fields(before: JsonValue, after: JsonValue) -> list[JsonValue]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [_field("", before, after)]
    fields: list[JsonValue] = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        if _is_plain_list(old) and _is_plain_list(new):
            fields += _list_fields(in_words(key), old, new) if old != new else []
        else:
            pair = [{key: side[key]} if key in side else {} for side in (before, after)]
            fields += [field for each in diff(pair[0], pair[1]) for field in _fields_of(each)]
    return fields


def _fields_of(change: Change) -> list[JsonValue]:
    path = _POSITION.sub(lambda found: f" {int(found[1]) + 1}", change.path)
    name = in_words(path.replace(".", " · "))
    if isinstance(change.before, list) and isinstance(change.after, list):
        return _list_fields(name, change.before, change.after)
    return [_field(name, change.before, change.after)]


def _is_plain_list(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)


def _list_fields(name: str, before: list[JsonValue], after: list[JsonValue]) -> list[JsonValue]:
    """Return what a list lost and gained; the whole lists when only their order differs."""
    gone = _without(before, after)
    come = _without(after, before)
    if not gone and not come:
        return [_field(name, list(before), list(after))]
    removed: list[JsonValue] = [_item(name, "removed", item) for item in gone]
    return removed + [_item(name, "added", item) for item in come]


def _without(items: list[JsonValue], others: list[JsonValue]) -> list[JsonValue]:
    left = [canonical_json(item) for item in others]
    found: list[JsonValue] = []
    for item in items:
        text = canonical_json(item)
        if text in left:
            left.remove(text)
        else:
            found.append(item)
    return found


def _field(name: str, before: JsonValue, after: JsonValue) -> JsonObject:
    return {"name": name, "before": before, "after": after}


def _item(name: str, kind: _Kind, value: JsonValue) -> JsonObject:
    return {"name": name, "kind": kind, "value": value}


def _whole(
    what: str, key: str | None, label: str | None, kind: _Kind, value: JsonValue
) -> JsonObject:
    return {"what": what, "id": key, "label": label, "kind": kind, "value": value}


def _changed(what: str, key: str | None, label: str | None, fields: list[JsonValue]) -> JsonObject:
    return {"what": what, "id": key, "label": label, "kind": "changed", "fields": fields}
