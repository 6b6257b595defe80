import pytest

from sandboxes.core.parameters import Parameter
from sandboxes.core.state_values import StateValues, singular

STATES = {
    "office.rooms": {
        "clock": {"now": "2026-03-02T09:00", "counters": {"RM": 2}},
        "rooms": {
            "RM-1": {"name": "Elm", "city": "Oslo", "price": 10.0, "opens": "2026-03-03"},
            "RM-2": {"name": "Oak", "city": "Lima", "price": 30.0, "opens": "2026-03-05"},
        },
        "stays": {"ST-1": {"room_id": "RM-9", "starts_at": "2026-03-04T10:00"}},
        "notes": {"a@example.com": "early"},
        "members": [{"email": "b@example.com", "city": "Oslo"}],
    },
    "travel.trips": {"clock": {"now": "2026-03-02T10:00"}, "categories": {"CT-1": {"size": 1}}},
}


@pytest.fixture
def values() -> StateValues:
    return StateValues(STATES)


def parameter(name: str, identifier: str | None = None, **more: object) -> Parameter:
    return Parameter(path=name, name=name, type="string", identifier=identifier, **more)


def test_ids_come_from_the_table_of_their_things_and_from_leaves(values: StateValues) -> None:
    assert values.named(parameter("room_id", "RoomId")) == ["RM-1", "RM-2", "RM-9"]
    assert values.named(parameter("target", "RoomId")) == ["RM-1", "RM-2", "RM-9"]
    assert values.named(parameter("category_id", "CategoryId")) == ["CT-1"]


def test_a_speakable_identifier_is_found_by_its_first_word(values: StateValues) -> None:
    assert values.named(parameter("place", "CityName", speakable=True)) == ["Oslo", "Lima"]
    assert values.named(parameter("to", "EmailAddress", speakable=True)) == ["b@example.com"]


def test_last_words_count_only_when_nothing_else_matches(values: StateValues) -> None:
    assert values.named(parameter("max_price")) == [10.0, 30.0]
    assert values.named(parameter("city_name", "CityName", speakable=True)) == ["Oslo", "Lima"]
    assert values.named(parameter("guest_name", examples=("Noor",))) == []


def test_days_moments_and_now_are_collected(values: StateValues) -> None:
    assert values.now == "2026-03-02T10:00"
    assert values.moments == ["2026-03-04T10:00"]
    assert values.days == ["2026-03-03", "2026-03-04", "2026-03-05"]


def test_rows_carry_their_own_id(values: StateValues) -> None:
    assert {**STATES["office.rooms"]["rooms"]["RM-1"], "room_id": "RM-1"} in values.rows
    assert {"email": "b@example.com", "city": "Oslo"} in values.rows


def test_keys_of_tables_are_known_even_where_the_values_are_plain(values: StateValues) -> None:
    assert values.keys() == ["RM-1", "RM-2", "ST-1", "a@example.com", "CT-1"]


@pytest.mark.parametrize(
    ("plural", "one"),
    [("bookings", "booking"), ("entries", "entry"), ("addresses", "address"), ("boxes", "box")],
)
def test_a_table_is_named_after_one_of_its_things(plural: str, one: str) -> None:
    assert singular(plural) == one
