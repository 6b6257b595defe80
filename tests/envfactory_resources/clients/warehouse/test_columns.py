from datetime import date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, JsonValue

from envfactory_resources.clients.warehouse.columns import columns_of
from envfactory_resources.clients.warehouse.errors import RecordError


class Mood(StrEnum):
    CALM = "calm"


class Level(IntEnum):
    LOW = 1


class Inner(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, "text"),
        (Annotated[str, Field(min_length=1)], "text"),
        (str | None, "text"),
        (Mood, "text"),
        (Literal["a", "b"] | None, "text"),
        (Decimal, "text"),
        (int, "integer"),
        (Level | None, "integer"),
        (float, "number"),
        (bool | None, "boolean"),
        (datetime | None, "instant"),
        (date, "date"),
        (str | int, "json"),
        (int | float, "json"),
        (Literal["a", 1], "json"),
        (list[str], "json"),
        (tuple[int, ...] | None, "json"),
        (dict[str, str], "json"),
        (Inner, "json"),
        (Inner | None, "json"),
        (JsonValue, "json"),
    ],
)
def test_a_field_of_one_scalar_kind_is_typed_and_the_rest_is_json(annotation, kind):
    record = type("Probe", (BaseModel,), {"__annotations__": {"field": annotation}})
    (column,) = columns_of(record)
    assert (column.name, column.kind.value) == ("field", kind)


@pytest.mark.parametrize(
    "names", [("version_id",), ("created_at",), ("Version_Id",), ("name", "Name")]
)
def test_field_names_that_sql_cannot_tell_apart_are_refused(names):
    record = type("Probe", (BaseModel,), {"__annotations__": dict.fromkeys(names, str)})
    with pytest.raises(RecordError, match=names[0]):
        columns_of(record)


def test_a_record_without_fields_is_refused():
    with pytest.raises(RecordError, match="no fields"):
        columns_of(type("Probe", (BaseModel,), {}))


def test_a_field_that_json_cannot_describe_is_refused():
    class Opaque(BaseModel, arbitrary_types_allowed=True):
        thing: memoryview

    with pytest.raises(RecordError, match="'Opaque' has a field that JSON cannot describe"):
        columns_of(Opaque)
