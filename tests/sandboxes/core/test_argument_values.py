import random
from typing import Annotated

import pytest

from sandboxes.core.annotations import Identifier
from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import Parameter
from sandboxes.core.scenario import Scenario
from sandboxes.core.tool import Result, tool

HotelId = Annotated[str, Identifier("HotelId")]
RoomId = Annotated[str, Identifier("RoomId")]


def values_of(of: MethodTool, scenario: Scenario, seed: int = 0, **known: list) -> ArgumentValues:
    return ArgumentValues(of, scenario.states, random.Random(seed), known)


def leaf(of: MethodTool, path: str) -> Parameter:
    return next(parameter for parameter in of.inputs if parameter.path == path)


@pytest.fixture
def add_note(notes: Catalog) -> MethodTool:
    return notes.load("office.notes").methods["add_note"]


def test_every_draw_keeps_the_schema(add_note: MethodTool, scenario: Scenario) -> None:
    values = values_of(add_note, scenario)
    for _ in range(200):
        add_note.bind(values.draw())


def test_the_same_generator_gives_the_same_draws(add_note: MethodTool, scenario: Scenario) -> None:
    one, again, other = (values_of(add_note, scenario, seed) for seed in (1, 1, 2))
    drawn = [one.draw() for _ in range(10)]
    assert drawn == [again.draw() for _ in range(10)]
    assert drawn != [other.draw() for _ in range(10)]


def test_required_arguments_are_always_there_and_optional_ones_half_the_time(
    add_note: MethodTool, scenario: Scenario
) -> None:
    values = values_of(add_note, scenario)
    drawn = [values.draw() for _ in range(200)]
    assert all("title" in arguments and "email" in arguments["author"] for arguments in drawn)
    assert 70 < sum("priority" in arguments for arguments in drawn) < 130
    assert 70 < sum("nickname" in arguments["author"] for arguments in drawn) < 130


def test_successive_days_and_moments_ascend(add_note: MethodTool, scenario: Scenario) -> None:
    values = values_of(add_note, scenario)
    for _ in range(100):
        arguments = values.draw()
        assert arguments["start"] < arguments["due"] < arguments["remind_at"]


def test_lists_hold_as_many_items_as_allowed(add_note: MethodTool, scenario: Scenario) -> None:
    values = values_of(add_note, scenario)
    drawn = [values.draw() for _ in range(100)]
    steps = [step for arguments in drawn for step in arguments.get("steps", [])]
    assert steps
    assert {step["text"] for step in steps} == {"Call", "Write"}


def test_ids_come_from_the_state_and_from_what_tools_returned(
    notes: Catalog, scenario: Scenario
) -> None:
    get_note = notes.tools["notes__get_note"]
    (note_id,) = get_note.inputs
    assert values_of(get_note, scenario).candidates(note_id) == ["NT-1", "NT-2", "NT-3"]
    known = values_of(get_note, scenario, NoteId=["NT-7"]).candidates(note_id)
    assert known == ["NT-7", "NT-1", "NT-2", "NT-3"]


def test_candidates_are_literals_bounds_and_values_of_the_state(
    add_note: MethodTool, scenario: Scenario
) -> None:
    values = values_of(add_note, scenario)
    emails = [note["author_email"] for note in scenario.states["office.notes"]["notes"].values()]
    assert values.candidates(leaf(add_note, "kind")) == ["plain", "list"]
    assert values.candidates(leaf(add_note, "is_pinned")) == [True, False]
    assert values.candidates(leaf(add_note, "author.email")) == emails
    assert values.candidates(leaf(add_note, "priority"))[:2] == [1, 9]
    assert values.candidates(leaf(add_note, "weight"))[:2] == [0.5, 1.5]
    assert values.candidates(leaf(add_note, "steps[].text")) == ["Call", "Write"]


def test_candidates_are_few_and_different(add_note: MethodTool, scenario: Scenario) -> None:
    values = values_of(add_note, scenario)
    for parameter in add_note.inputs:
        candidates = values.candidates(parameter)
        assert 1 <= len(candidates) <= 12
        assert len({repr(value) for value in candidates}) == len(candidates)
        assert candidates == values.candidates(parameter)


def test_ids_that_belong_together_are_often_drawn_together() -> None:
    @tool(effect="read")
    def show_room(_self, hotel_id: HotelId, room_id: RoomId) -> Result:
        del hotel_id, room_id
        return Result()

    catalog = Catalog.discover()
    scenario = Scenario.draw(catalog, ["travel.hotel_booking"], seed=0)
    rooms = scenario.states["travel.hotel_booking"]["rooms"]
    values = values_of(MethodTool("tests", "show_room", show_room), scenario)
    drawn = [values.draw() for _ in range(100)]
    assert sum(rooms[pair["room_id"]]["hotel_id"] == pair["hotel_id"] for pair in drawn) > 40


def test_a_city_is_never_the_name_of_something_else() -> None:
    catalog = Catalog.discover()
    scenario = Scenario.draw(catalog, ["travel.hotel_booking"], seed=0)
    hotels = scenario.states["travel.hotel_booking"]["hotels"]
    values = values_of(catalog.tools["hotel_booking__search_hotels"], scenario)
    cities = {hotel["city"] for hotel in hotels.values()}
    assert {values.draw()["city"] for _ in range(50)} == cities
