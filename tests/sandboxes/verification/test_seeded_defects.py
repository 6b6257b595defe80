"""Each test puts one defect into a copy of the hotel environment: it is found and located."""

from collections.abc import Callable

import pytest

from sandboxes.verification.report import Finding, Report

SEARCH = "hotel_booking__search_hotels"
BOOK = "hotel_booking__book_room"
LISTING = "        return RoomList(rooms=sorted(offers, key=lambda offer: offer.price))"


@pytest.fixture
def find(report_on: Callable[..., Report], blamed: Callable) -> Callable[..., Finding]:
    """Verify a copy with defects and give the one finding of a gate."""

    def only(gate: str, *replacements: tuple[str, str]) -> Finding:
        report = report_on(*replacements)
        assert not report.passed
        assert report.outcomes[gate] == "failed"
        (finding,) = blamed(report, gate)
        return finding

    return only


def test_an_ignored_parameter_is_found(find: Callable[..., Finding]) -> None:
    finding = find("parameters", ("if hotel.city != city or not prices", "if not prices"))
    assert (finding.tool, finding.fault) == (SEARCH, "implementation")
    assert "'city'" in finding.expected
    assert "scenario_seed" in finding.call


def test_a_read_that_writes_is_found(find: Callable[..., Finding]) -> None:
    finding = find("state", (LISTING, f"        self.clock.next_id('LOOK')\n{LISTING}"))
    assert (finding.tool, finding.fault) == ("hotel_booking__list_rooms", "implementation")
    assert "a reading tool to change nothing" in finding.expected
    assert "clock.counters.LOOK" in finding.got


def test_a_refused_call_that_leaves_a_change_is_found(find: Callable[..., Finding]) -> None:
    old = "        if guests > room.sleeps:"
    finding = find("state", (old, f"        self.state.favorites['x'] = guest_name\n{old}"))
    assert (finding.tool, finding.fault) == (BOOK, "implementation")
    assert "a refused call to change nothing" in finding.expected
    assert "favorites.x" in finding.got


def test_a_counter_spent_on_a_refused_call_is_found(find: Callable[..., Finding]) -> None:
    check = "        if not self._is_free(room_id, check_in, check_out):\n            raise"
    spend = '        booking_id = self.clock.next_id("BK")\n'
    finding = find("state", (spend, ""), (check, spend + check))
    assert finding.tool == BOOK
    assert "clock.counters.BK" in finding.got


def test_a_write_that_never_writes_is_found(find: Callable[..., Finding]) -> None:
    finding = find("state", ('        booking.status = "cancelled"\n', ""))
    assert (finding.tool, finding.fault) == ("hotel_booking__cancel_booking", "interface")


def test_a_state_that_cannot_be_read_back_is_found(find: Callable[..., Finding]) -> None:
    old = "self.state.favorites[hotel_id] = note"
    finding = find("state", (old, f"{old} and len(note)"))
    assert (finding.tool, finding.fault) == ("hotel_booking__save_favorite", "implementation")
    assert "favorites" in finding.got


def test_an_id_that_does_not_resolve_is_found(find: Callable[..., Finding]) -> None:
    finding = find("state", ("room_id=room_id, kind=", "room_id=room_id.lower(), kind="))
    assert (finding.tool, finding.fault) == ("hotel_booking__list_rooms", "implementation")
    assert "every RoomId in the result" in finding.expected
    assert "'rm-" in finding.got


def test_a_uuid_in_an_id_is_found(report_on: Callable[..., Report]) -> None:
    replacements = (
        ("import random\n", "import random\nfrom uuid import uuid4 as fresh\n"),
        ('booking_id = self.clock.next_id("BK")', 'booking_id = f"BK-{fresh()}"'),
    )
    report = report_on(*replacements)
    places = [(f.gate, f.tool, f.fault, f.got) for f in report.findings]
    assert ("execution", BOOK, "implementation") in [place[:3] for place in places]
    assert "from uuid import uuid4 as fresh" in places[0][3]
    assert report.outcomes["state"] == "skipped"


def test_a_wall_clock_is_found(report_on: Callable[..., Report]) -> None:
    report = report_on(
        ("import random\n", "import random\nimport time\n"),
        (
            "days_left = days_between(self.clock.today,",
            "days_left = days_between(time.strftime('%Y-%m-%d'),",
        ),
    )
    located = [(f.gate, f.tool, f.fault) for f in report.findings]
    assert ("execution", "hotel_booking__cancel_booking", "implementation") in located


def test_an_undeclared_exception_is_found(
    report_on: Callable[..., Report], blamed: Callable
) -> None:
    old = "room = self.state.rooms.get(room_id)"
    report = report_on((old, "room = self.state.rooms[room_id]"))
    finding = blamed(report, "results")[0]
    assert (finding.tool, finding.fault) == (BOOK, "implementation")
    assert "KeyError" in finding.got
    assert "room_id" in finding.call


def test_a_result_that_breaks_its_schema_is_found(
    report_on: Callable[..., Report], blamed: Callable
) -> None:
    report = report_on(
        (LISTING, "        for offer in offers:\n            offer.sleeps = '2'\n" + LISTING)
    )
    located = [(f.tool, f.fault) for f in blamed(report, "results")]
    assert ("hotel_booking__list_rooms", "schema") in located
    assert any("sleeps" in finding.got for finding in blamed(report, "results"))


def test_an_unknown_id_that_is_accepted_is_found(
    report_on: Callable[..., Report], blamed: Callable
) -> None:
    report = report_on(
        (
            "        self._hotel(hotel_id)\n        self.state.favorites",
            "        self.state.favorites",
        )
    )
    finding = blamed(report, "results")[0]
    assert (finding.tool, finding.fault) == ("hotel_booking__save_favorite", "implementation")
    assert "unknown HotelId" in finding.expected


def test_a_failing_case_is_found(report_on: Callable[..., Report], blamed: Callable) -> None:
    report = report_on(("if days_left < hotel.free", "if days_left <= hotel.free"))
    finding = blamed(report, "results")[0]
    assert (finding.tool, finding.fault) == ("hotel_booking__cancel_booking", "implementation")
    assert '"case":' in finding.call


def test_a_missing_description_is_found(find: Callable[..., Finding]) -> None:
    old = 'min_rating: Annotated[int, Field(ge=1, le=5, description="Lowest rating to show")]'
    finding = find("interface", (old, "min_rating: Annotated[int, Field(ge=1, le=5)]"))
    assert (finding.tool, finding.fault) == ("hotel_booking__list_reviews", "schema")
    assert "'min_rating'" in finding.expected


def test_a_missing_description_of_a_result_field_is_found(find: Callable[..., Finding]) -> None:
    old = 'favorite_count: int = Field(description="Number of saved hotels")'
    finding = find("interface", (old, "favorite_count: int"))
    assert (finding.tool, finding.fault) == ("hotel_booking__save_favorite", "schema")
    assert "'favorite_count'" in finding.expected


def test_a_phrasing_that_names_no_argument_is_found(find: Callable[..., Finding]) -> None:
    finding = find("interface", ('("cancel {booking_id}",)', '("cancel {booking}",)'))
    assert (finding.tool, finding.fault) == ("hotel_booking__cancel_booking", "interface")
    assert "no argument 'booking'" in finding.got


def test_the_order_of_a_set_is_found_in_the_source(
    report_on: Callable[..., Report], blamed: Callable
) -> None:
    kinds = "        kinds = {offer.kind for offer in offers}\n"
    rooms = "[offer for kind in kinds for offer in offers if offer.kind == kind]"
    report = report_on((LISTING, f"{kinds}        return RoomList(rooms={rooms})"))
    finding = blamed(report, "execution")[0]
    assert (finding.tool, finding.fault) == ("hotel_booking__list_rooms", "implementation")
    assert "the order of a set" in finding.expected


def test_the_order_of_a_set_is_found_across_hash_seeds(find: Callable[..., Finding]) -> None:
    rooms = "[offer for key in self._keys() for offer in offers if offer.room_id == key]"
    helper = "    def _keys(self) -> set[str]:\n        return set(self.state.rooms)\n\n"
    first_helper = "    def _hotel(self, hotel_id: str) -> Hotel:"
    finding = find(
        "execution",
        (LISTING, f"        return RoomList(rooms={rooms})"),
        (first_helper, helper + first_helper),
    )
    assert (finding.tool, finding.fault) == ("hotel_booking__list_rooms", "implementation")
    assert "another hash seed" in finding.got


def test_a_memory_outside_of_the_state_is_found(find: Callable[..., Finding]) -> None:
    finding = find(
        "execution",
        ("_MAX_NIGHTS = 21\n", "_MAX_NIGHTS = 21\n_CALLS: list[int] = []\n"),
        (
            LISTING,
            f"        _CALLS.append(1)\n        offers = offers[: len(_CALLS) % 7]\n{LISTING}",
        ),
    )
    assert (finding.tool, finding.fault) == ("hotel_booking__list_rooms", "implementation")
    assert "in the same process" in finding.got


def test_a_tool_that_is_never_carried_out_is_found(find: Callable[..., Finding]) -> None:
    finding = find("execution", ('if b.status == "completed"]', 'if b.status == "missed"]'))
    assert (finding.tool, finding.fault) == ("hotel_booking__review_hotel", "implementation")
    assert "none of" in finding.got
