import re

import pytest

from envfactory_assets.records.queries import PlannedArgument, PlannedCall, Referent
from envfactory_assets.stages.trajectories.answers import DoneCall, answer_for


def done(shipped, step, tool, result, *provenance, **arguments):
    plan = PlannedCall(
        step=step,
        tool=tool,
        effect=shipped.tools[tool].effect,
        arguments=arguments,
        provenance=provenance,
    )
    return DoneCall(plan, arguments, result)


def said(path, value):
    return PlannedArgument(path=path, value=value, source="user", required=True, noun=path)


BOOKING = PlannedArgument(
    path="booking_id",
    value="BK-1",
    source="result",
    required=True,
    source_step=0,
    source_path="bookings[0].booking_id",
    referents=(Referent(kind="label", text="the Casa Azul booking"),),
    noun="booking",
)
BOOKED = {
    "booking_id": "BK-1",
    "hotel_id": "HT-1",
    "hotel_name": "Casa Azul",
    "room_kind": "double",
    "guest_name": "Ana",
    "check_in": "2026-05-01",
    "check_out": "2026-05-03",
    "guests": 2,
    "total": 180.5,
    "status": "confirmed",
}
LIST = "hotel_booking__list_bookings"
MOVE = "hotel_booking__change_dates"


def test_a_deed_is_told_in_the_users_words_with_what_came_of_it(shipped):
    dates = (said("check_in", "2026-05-01"), said("check_out", "2026-05-03"))
    arguments = {"booking_id": "BK-1", "check_in": "2026-05-01", "check_out": "2026-05-03"}
    move = done(shipped, 1, MOVE, BOOKED, BOOKING, *dates, **arguments)

    assert answer_for([move], shipped) == (
        "I moved the Casa Azul booking to 2026-05-01 until 2026-05-03 (guests: 2, total: 180.5)."
    )


def test_what_was_done_is_told_and_not_what_was_planned(shipped):
    dates = (said("check_in", "2026-05-01"), said("check_out", "2026-05-03"))
    arguments = {"booking_id": "BK-1", "check_in": "2026-05-02", "check_out": "2026-05-03"}
    move = done(shipped, 1, MOVE, BOOKED, BOOKING, *dates, **arguments)

    assert "to 2026-05-02 until" in answer_for([move], shipped)


def test_a_list_is_told_by_its_first_names(shipped):
    names = ["Casa Azul", "Old Mill", "Park Terrace", "Green Door", "Northlight"]
    rows = [{**BOOKED, "hotel_name": name} for name in names]

    def told(count):
        return answer_for([done(shipped, 0, LIST, {"bookings": rows[:count]})], shipped)

    assert told(5) == "I found 5 bookings: Casa Azul, Old Mill, Park Terrace and 2 more."
    assert told(1) == "I found 1 booking: Casa Azul."
    assert told(0) == "I found no bookings."


def test_one_thing_is_told_by_its_name_and_facts(shipped):
    show = done(shipped, 1, "hotel_booking__get_booking", BOOKED, BOOKING, booking_id="BK-1")
    assert answer_for([show], shipped).startswith("Casa Azul: ")


def test_a_look_up_that_a_later_call_built_on_is_not_told(shipped):
    listed = done(shipped, 0, LIST, {"bookings": [BOOKED]})
    cancel = done(shipped, 1, "hotel_booking__cancel_booking", BOOKED, BOOKING, booking_id="BK-1")

    assert answer_for([listed, cancel], shipped).startswith("I cancelled the Casa Azul booking (")


def test_nothing_done_is_said(shipped):
    assert answer_for([], shipped) == "I could not do that."


@pytest.fixture
def reports(pipeline):
    """Every closing text of every kept trajectory."""
    return [
        message["content"]
        for row in pipeline.filtered
        for message in row.messages
        if message["role"] == "assistant" and not message.get("tool_calls")
    ]


def test_reports_hold_no_ids_no_tool_names_and_no_raw_times(reports, pipeline):
    names = {tool.name for tool in pipeline.catalog.tools.values() if "_" in tool.name}
    assert len(reports) > 40
    for text in reports:
        assert not re.search(r"\b[A-Z]{2}-\d+\b", text)
        assert not re.search(r"\d{4}-\d{2}-\d{2}T", text)
        assert not [name for name in names if name in text]
        assert text.endswith((".", "?"))
        assert len(text) < 700
