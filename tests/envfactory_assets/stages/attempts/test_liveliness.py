"""What a coder in a hurry hands in: code that looks like the proposal and does nothing."""

import pytest

from envfactory_assets.stages.attempts.candidates import write_candidate
from envfactory_assets.stages.attempts.liveliness import compare_behaviour
from sandboxes.core.catalog import Catalog

LAZY = {
    "a list that is always empty": (
        [("rooms=sorted(rooms,", "rooms=sorted(rooms[:0],")],
        ("results", "meeting_rooms__list_rooms"),
    ),
    "a list that is made up": (
        [
            (
                "return RoomList(rooms=sorted(rooms,",
                'rooms = [RoomDetails(room_id="MR-1", name="Room", seats=9)]\n'
                "        return RoomList(rooms=sorted(rooms,",
            )
        ],
        ("parameters", "meeting_rooms__list_rooms"),
    ),
    "a result that repeats its argument": (
        [
            ("self._room(room_id)\n        bookings = [", "self._room(room_id)\n        made = ["),
            (
                "bookings=sorted(bookings, key=lambda b: (b.day, b.booking_id))",
                'bookings=[BookingDetails(booking_id="MB-1", room_id=room_id, title="Sync", '
                'day="2026-01-01", people=1, status="booked")]',
            ),
        ],
        ("parameters", "meeting_rooms__list_bookings"),
    ),
    "a write that moves a counter only": (
        [
            (
                "        self.state.bookings[booking_id] = Booking(\n            room_id=room_id, "
                'title=title, day=day, people=people, status="booked"\n        )\n'
                "        return self._details(booking_id)",
                "        return BookingDetails(booking_id=booking_id, room_id=room_id, title=title, "
                'day=day, people=people, status="booked")',
            )
        ],
        ("state", "meeting_rooms__book_room"),
    ),
    "a write into a place where nobody looks": (
        [
            ("    bookings: dict[str, Booking]\n", "    bookings: dict[str, Booking]\n    log: dict[str, Booking] = {}\n"),
            ("        self.state.bookings[booking_id] = Booking(\n            room_id=room_id", "        self.state.log[booking_id] = Booking(\n            room_id=room_id"),
            ("        )\n        return self._details(booking_id)", "        )\n        return BookingDetails(booking_id=booking_id, **self.state.log[booking_id].model_dump())"),
        ],
        ("state", "meeting_rooms__book_room"),
    ),
    "a scenario that is always the same": (
        [("state = MeetingRoomsState(", "rng, world = random.Random(7), World.draw(7)\n        state = MeetingRoomsState(")],
        ("execution", None),
    ),
    "ids that are plain text": (
        [('RoomId = Annotated[str, Identifier("RoomId")]', "RoomId = str")],
        ("interface", "meeting_rooms__list_bookings"),
    ),
}  # fmt: skip


@pytest.fixture
def compared(proposal, direct_verifier, tmp_path):
    def compare(text):
        source = write_candidate(tmp_path, proposal, text, ())
        return compare_behaviour(proposal, source, direct_verifier)

    return compare


def test_nothing_is_wrong_with_code_that_works(compared, good):
    assert compared(good) == []


@pytest.mark.parametrize("defect", LAZY)
def test_code_that_does_nothing_is_found_out(compared, changed, defect):
    replacements, expected = LAZY[defect]
    findings = compared(changed(*replacements))

    assert expected in {(finding.gate, finding.tool) for finding in findings}


def test_a_call_that_shows_it_is_named(compared, changed):
    replacements, _ = LAZY["a list that is always empty"]
    (finding,) = [f for f in compared(changed(*replacements)) if f.gate == "results"]

    assert finding.call.startswith('{"arguments":')
    assert '"scenario_seed":0' in finding.call


@pytest.mark.parametrize("environment_id", ["finance.payments", "travel.hotel_booking"])
def test_nothing_is_wrong_with_a_shipped_environment(
    shipped_proposal, direct_verifier, environment_id
):
    _, proposal = shipped_proposal(environment_id)
    source = Catalog.discover().source(environment_id)

    assert compare_behaviour(proposal, source, direct_verifier) == []
