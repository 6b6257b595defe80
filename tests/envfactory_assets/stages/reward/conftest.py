"""A small fake session of two environments, from which the tests make references and attempts."""

import copy
import inspect
from collections.abc import Callable

import pytest

from envfactory_assets.stages.reward.models import Attempt, AttemptedCall, Reference, ReferenceCall

HOTELS = "travel.hotel_booking"
MESSENGER = "lifestyle.messenger"
INITIAL = {
    HOTELS: {
        "clock": {"now": "2026-03-02T09:00", "counters": {"BK": 1}},
        "hotels": {
            "HT-1": {"city": "Paris", "stars": 3, "rooms": 4},
            "HT-2": {"city": "Lisbon", "stars": 4, "rooms": 2},
        },
        "bookings": {"BK-1": {"hotel_id": "HT-2", "guest": "Ana", "nights": 2, "note": ""}},
    },
    MESSENGER: {
        "clock": {"now": "2026-03-02T09:00", "counters": {"MS": 1}},
        "messages": [{"message_id": "MS-1", "to": "ana@example.com", "text": "Welcome!"}],
    },
}


class RefusedError(Exception):
    pass


class FakeSession:
    """Runs calls on a copy of `INITIAL`; a refused call changes nothing."""

    def __init__(self):
        self.states = copy.deepcopy(INITIAL)
        self.produced = []

    def next_id(self, environment_id, prefix):
        counters = self.states[environment_id]["clock"]["counters"]
        counters[prefix] += 1
        self.produced.append(f"{prefix}-{counters[prefix]}")
        return self.produced[-1]

    def search(self, city, stars=3):
        """read"""

    def look(self, hotel_id):
        """read"""
        if hotel_id not in self.states[HOTELS]["hotels"]:
            raise RefusedError

    def show(self, booking_id):
        """read"""
        if booking_id not in self.states[HOTELS]["bookings"]:
            raise RefusedError

    def book(self, hotel_id, guest, nights=1):
        """write"""
        self.look(hotel_id)
        self.states[HOTELS]["hotels"][hotel_id]["rooms"] -= 1
        self.states[HOTELS]["bookings"][self.next_id(HOTELS, "BK")] = {
            "hotel_id": hotel_id,
            "guest": guest,
            "nights": int(nights),
            "note": "",
        }

    def annotate(self, booking_id, note):
        """write"""
        self.show(booking_id)
        self.states[HOTELS]["bookings"][booking_id]["note"] = note

    def cancel(self, booking_id):
        """write"""
        self.show(booking_id)
        booking = self.states[HOTELS]["bookings"].pop(booking_id)
        self.states[HOTELS]["hotels"][booking["hotel_id"]]["rooms"] += 1

    def send(self, to, text):
        """write"""
        message = {"message_id": self.next_id(MESSENGER, "MS"), "to": to, "text": text}
        self.states[MESSENGER]["messages"].append(message)

    def call(self, tool, arguments, knows_produced=True):
        method = getattr(self, tool, None)
        effect = (method.__doc__ if method else None) or "read"
        try:
            bound = inspect.signature(method).bind(**arguments) if method else None
            if bound is None:
                raise RefusedError
            bound.apply_defaults()
            self.produced = []
            method(**bound.arguments)
        except (TypeError, RefusedError):
            return AttemptedCall(tool, arguments, None, ok=False, effect=effect, error="No.")
        produced = tuple(self.produced) if knows_produced else ()
        return AttemptedCall(tool, arguments, dict(bound.arguments), True, effect, None, produced)


@pytest.fixture(scope="session")
def attempt() -> Callable[..., Attempt]:
    """Run calls, given as (tool, arguments), in a session of their own."""

    def run(*calls, format_errors=0, knows_produced=True):
        session = FakeSession()
        records = tuple(session.call(*call, knows_produced=knows_produced) for call in calls)
        return Attempt(records, session.states, format_errors)

    return run


@pytest.fixture(scope="session")
def reference(attempt) -> Callable[..., Reference]:
    """Make a reference of calls; `after` and `masked` are given by index of the call."""

    def make(*calls, after=None, masked=None, is_refusal=False):
        ran = attempt(*calls)
        assert all(call.ok for call in ran.calls)
        reference_calls = tuple(
            ReferenceCall(
                call.tool,
                call.bound,
                call.effect,
                masked=tuple((masked or {}).get(index, ())),
                after=tuple((after or {}).get(index, ())),
                produced=call.produced,
            )
            for index, call in enumerate(ran.calls)
        )
        return Reference(reference_calls, copy.deepcopy(INITIAL), ran.end_states, is_refusal)

    return make


@pytest.fixture(scope="session")
def trip() -> list[tuple[str, dict]]:
    """The calls of the task that most tests use: find, look, book, tell."""
    return [
        ("search", {"city": "Paris"}),
        ("look", {"hotel_id": "HT-1"}),
        ("book", {"hotel_id": "HT-1", "guest": "Bo", "nights": 2}),
        ("send", {"to": "bo@example.com", "text": "Your booking is BK-2."}),
    ]
