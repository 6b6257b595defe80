import pytest

from envfactory_assets.records.queries import PlannedArgument, PlannedCall, Referent
from envfactory_assets.stages.queries.drafting import Turn
from envfactory_assets.stages.queries.phrasing import Clause, say


class Wording:
    """Turns written down tersely."""

    @staticmethod
    def said(path, value, *, required=True):
        """An argument that the user says."""
        return PlannedArgument(path=path, value=value, source="user", required=required, noun=path)

    @staticmethod
    def taken(path, value, source, noun, *ways):
        """An argument from a result; `ways` are pairs of kind and text."""
        step, _, where = source.partition(":")
        return PlannedArgument(
            path=path,
            value=value,
            source="result",
            required=True,
            source_step=int(step),
            source_path=where,
            referents=tuple(Referent(kind=kind, text=text) for kind, text in ways),
            noun=noun,
        )

    @staticmethod
    def clause(step, tool, template, *provenance):
        """A clause that says all of its arguments."""
        arguments = {item.path: item.value for item in provenance}
        is_read = any(tool.split("__")[1].startswith(verb) for verb in ("search", "list", "get"))
        call = PlannedCall(
            step=step,
            tool=tool,
            effect="read" if is_read else "write",
            arguments=arguments,
            provenance=provenance,
        )
        return Clause(call, template, {item.path: say(item, 0) for item in provenance})

    @staticmethod
    def turn(*clauses, number=0, opening="Please "):
        """A turn."""
        return Turn(number=number, opening=opening, clauses=clauses)


@pytest.fixture
def wording():
    return Wording


@pytest.fixture
def stay(wording):
    """Three clauses: search hotels, list the rooms of one, book one of them."""
    dates = (wording.said("check_in", "2026-05-01"), wording.said("check_out", "2026-05-04"))
    hotel = wording.taken(
        "hotel_id",
        "HT-1",
        "0:hotels[0].hotel_id",
        "hotel",
        ("label", "Casa Azul"),
        ("extremum", "the cheapest hotel"),
        ("position", "the first hotel on the list"),
    )
    room = wording.taken(
        "room_id", "RM-1", "1:rooms[0].room_id", "room", ("label", "the double room")
    )
    return (
        wording.clause(
            0,
            "hotel_booking__search_hotels",
            "find a hotel in {city} from {check_in} to {check_out}[ under {max_price} a night]",
            wording.said("city", "Lisbon"),
            *dates,
        ),
        wording.clause(
            1,
            "hotel_booking__list_rooms",
            "see which rooms are free at {hotel_id} from {check_in} to {check_out}",
            hotel,
            *dates,
        ),
        wording.clause(
            2,
            "hotel_booking__book_room",
            "book {room_id} for {guest_name} from {check_in} to {check_out}[ for {guests} guests]",
            room,
            wording.said("guest_name", "Ana Brandt"),
            *dates,
        ),
    )
