import math
from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from envfactory_resources.clients.warehouse.batch import batch_of
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import RecordError

STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)


class Mood(StrEnum):
    CALM = "calm"
    ANGRY = "angry"


class Place(BaseModel):
    model_config = STRICT

    city: str
    tags: tuple[str, ...] = ()


class Everything(BaseModel):
    model_config = STRICT

    text: str
    count: int | None
    ratio: float
    flag: bool
    moment: datetime
    day: date | None
    mood: Mood
    effect: Literal["read", "write"] | None
    arguments: dict[str, JsonValue]
    steps: tuple[Place, ...]
    place: Place | None
    free: JsonValue
    either: str | int
    aliased: Annotated[str, Field(alias="otherName")] = "x"


FULL = Everything(
    text='Zoë said "hi" \u2028\n\x00 🎒',
    count=-(2**63),
    ratio=0.1,
    flag=True,
    moment=datetime(2026, 2, 3, 4, 5, 6, 789, tzinfo=UTC),
    day=date(2026, 2, 3),
    mood=Mood.ANGRY,
    effect="write",
    arguments={"b": [1, None, {"ü": 1.5}], "a": {"null": None}, "empty": {}},
    steps=(Place(city="Åre", tags=("a", "b")), Place(city="")),
    place=Place(city="Rome"),
    free=[None, True, 2**70],
    either="5",
    otherName="named",
)
SPARSE = FULL.model_copy(
    update={
        "count": None,
        "day": None,
        "effect": None,
        "arguments": {},
        "steps": (),
        "place": None,
        "free": None,
        "either": 5,
        "ratio": 2.0,
    }
)


def write(warehouse, rows, record):
    return warehouse.write(
        "things",
        None,
        rows,
        record,
        run_id="run-1",
        code_version="1",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_every_kind_of_field_comes_back_as_it_was(warehouse):
    write(warehouse, [FULL, SPARSE], Everything)
    assert warehouse.read("things", Everything) == [FULL, SPARSE]
    assert [type(row.either) for row in warehouse.read("things", Everything)] == [str, int]


def test_what_was_read_and_is_written_again_is_no_new_version(warehouse):
    write(warehouse, [FULL, SPARSE], Everything)
    assert not write(warehouse, warehouse.read("things", Everything), Everything).is_new


class Free(BaseModel):
    model_config = STRICT

    value: JsonValue


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values=st.lists(JSON_VALUES, max_size=3))
def test_any_json_value_comes_back_as_it_was(tmp_path_factory, values):
    warehouse = Warehouse(tmp_path_factory.mktemp("json"))
    rows = [Free(value=value) for value in values]
    write(warehouse, rows, Free)
    assert warehouse.read("things", Free) == rows


class Timed(BaseModel):
    model_config = STRICT

    moment: datetime | None


def test_one_instant_in_two_zones_is_the_same_content(warehouse):
    utc = datetime(2026, 6, 1, 12, tzinfo=UTC)
    write(warehouse, [Timed(moment=utc)], Timed)
    elsewhere = utc.astimezone(timezone(timedelta(hours=2)))
    assert not write(warehouse, [Timed(moment=elsewhere)], Timed).is_new


def test_a_time_without_zone_is_refused_by_row_and_field():
    naive = Timed(moment=datetime(2026, 6, 1))  # noqa: DTZ001
    with pytest.raises(RecordError, match=r"Row 1 holds .* in 'moment'"):
        batch_of([Timed(moment=None), naive], Timed)


class Measured(BaseModel):
    ratio: float = 0.0
    count: int = 0
    text: str = ""
    inner: dict[str, float] = {}


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (Measured(ratio=math.nan), "ratio"),
        (Measured(inner={"x": math.inf}), "inner"),
        (Measured(text="\ud800"), "text"),
    ],
)
def test_a_value_that_json_cannot_hold_is_refused_by_row_and_field(row, field):
    with pytest.raises(RecordError, match=f"Row 1 holds .* in '{field}'"):
        batch_of([Measured(), row], Measured)


def test_an_integer_beyond_64_bits_is_refused_and_nothing_is_written(warehouse):
    with pytest.raises(RecordError, match=r"'count'.*64 bits"):
        write(warehouse, [Measured(count=2**63)], Measured)
    assert warehouse.versions() == []


def test_a_row_of_another_class_is_refused():
    with pytest.raises(RecordError, match="Row 0 is a 'Timed'; this write takes 'Measured'"):
        batch_of([Timed(moment=None)], Measured)


def test_a_row_built_without_validation_is_refused():
    with pytest.raises(RecordError, match="Row 0 of 'Measured'"):
        batch_of([Measured.model_construct(count="many")], Measured)


def test_an_empty_table_with_other_columns_is_other_content():
    assert batch_of([], Measured).data_version != batch_of([], Timed).data_version
