"""The columns of a record class: what each field becomes in a table.

A field whose JSON is always one kind of scalar becomes a typed column; anything else (objects,
arrays, unions of kinds, free JSON) becomes canonical JSON text.
"""

from collections import Counter
from enum import StrEnum
from functools import cache
from typing import cast

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.errors import PydanticInvalidForJsonSchema

from envfactory_resources.clients.warehouse.errors import RecordError

RESERVED_COLUMNS = ("version_id", "created_at")
"""Columns that the views add, so no field may have their names."""

_Schema = dict[str, JsonValue]


class ColumnKind(StrEnum):
    """How the values of a column are stored."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    INSTANT = "instant"
    DATE = "date"
    JSON = "json"


class Column(BaseModel):
    """One column of a table."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    kind: ColumnKind


@cache
def columns_of(record: type[BaseModel]) -> tuple[Column, ...]:
    """Return the columns of a record class, in the order of its fields.

    Raises:
        RecordError: If the class has no fields, a reserved name, two names that differ only in
            case, or a field that JSON cannot describe.
    """
    _require_usable_names(record)
    try:
        schema = cast(_Schema, record.model_json_schema(by_alias=False, mode="serialization"))
    except PydanticInvalidForJsonSchema as error:
        raise RecordError(
            f"Record {record.__name__!r} has a field that JSON cannot describe: {error.message}; "
            "use fields that JSON can hold."
        ) from error
    properties = cast(dict[str, _Schema], schema["properties"])
    definitions = cast(dict[str, _Schema], schema.get("$defs", {}))
    return tuple(
        Column(name=name, kind=_kind(properties[name], definitions)) for name in record.model_fields
    )


def _require_usable_names(record: type[BaseModel]) -> None:
    names = list(record.model_fields)
    if not names:
        raise RecordError(
            f"Record {record.__name__!r} has no fields; a table needs at least one column."
        )
    folded = Counter(name.lower() for name in names)
    clashing = sorted(
        name for name in names if name.lower() in RESERVED_COLUMNS or folded[name.lower()] > 1
    )
    if clashing:
        raise RecordError(
            f"Record {record.__name__!r} has fields {clashing} that SQL could not tell apart from "
            f"each other or from the warehouse's own columns {list(RESERVED_COLUMNS)}; rename them."
        )


def _kind(schema: _Schema, definitions: dict[str, _Schema]) -> ColumnKind:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _kind(definitions[reference.rpartition("/")[2]], definitions)
    options = schema.get("anyOf")
    if isinstance(options, list):
        kinds = {
            _kind(option, definitions)
            for option in cast(list[_Schema], options)
            if option.get("type") != "null"
        }
        return kinds.pop() if len(kinds) == 1 else ColumnKind.JSON
    match schema.get("type"), schema.get("format"):
        case "string", "date-time":
            return ColumnKind.INSTANT
        case "string", "date":
            return ColumnKind.DATE
        case "string", _:
            return ColumnKind.TEXT
        case ("integer" | "number" | "boolean") as scalar, _:
            return ColumnKind(scalar)
        case _:
            return ColumnKind.JSON
