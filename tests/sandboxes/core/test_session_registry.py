import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import (
    ScenarioError,
    SessionClosedError,
    SessionLimitError,
    UnknownEnvironmentError,
)
from sandboxes.core.scenario import Scenario
from sandboxes.core.session_registry import SessionRegistry

HOTELS = "travel.hotel_booking"
SAVE = "hotel_booking__save_favorite"
CATALOG = Catalog.discover().restricted_to([HOTELS])


class FakeClock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def registry(clock):
    return SessionRegistry(CATALOG, limit=3, idle_seconds=60, clock=clock)


def favorites(states):
    return states[HOTELS]["favorites"]


def test_a_handle_leads_to_the_session_that_was_opened(registry):
    first = registry.open(registry.draw(1))
    second = registry.open(registry.draw(2))

    assert registry.find(first).states() == registry.draw(1).states
    assert registry.find(second).states() == registry.draw(2).states


def test_two_sessions_of_one_scenario_share_nothing(registry):
    scenario = registry.draw(1)
    first, second = registry.open(scenario), registry.open(scenario)

    registry.find(first).call(SAVE, {"hotel_id": "HT-1", "note": "mine"})

    assert favorites(registry.find(first).states()) == {"HT-1": "mine"}
    assert registry.find(second).states() == scenario.states


def test_handles_cannot_be_guessed_from_one_another(registry):
    handles = [registry.open(registry.draw(1)) for _ in range(3)]

    assert len(set(handles)) == 3
    assert all(len(handle) == 32 for handle in handles)


def test_without_a_seed_the_registry_draws_from_its_own():
    assert SessionRegistry(CATALOG, seed=7).draw() == Scenario.draw(CATALOG, [HOTELS], 7)


def test_closing_returns_the_end_states(registry):
    handle = registry.open(registry.draw(1))
    registry.find(handle).call(SAVE, {"hotel_id": "HT-1", "note": "mine"})

    assert favorites(registry.close(handle)) == {"HT-1": "mine"}
    assert registry.session_count == 0


def test_a_closed_handle_is_told_to_be_closed(registry):
    handle = registry.open(registry.draw(1))
    registry.close(handle)

    with pytest.raises(SessionClosedError, match=f"'{handle}' was closed; open a new one"):
        registry.find(handle)
    with pytest.raises(SessionClosedError, match="was closed"):
        registry.close(handle)


def test_a_session_found_before_it_was_closed_refuses_later_calls(registry):
    handle = registry.open(registry.draw(1))
    live = registry.find(handle)
    registry.close(handle)

    with pytest.raises(SessionClosedError, match="closed"):
        live.call(SAVE, {"hotel_id": "HT-1", "note": "mine"})


def test_an_unknown_handle_is_told_to_be_unknown(registry):
    with pytest.raises(SessionClosedError, match="There is no session 'nobody'; open one first"):
        registry.find("nobody")


def test_an_idle_session_is_evicted_and_told_so(registry, clock):
    idle, used = registry.open(registry.draw(1)), registry.open(registry.draw(2))
    clock.seconds = 40
    registry.find(used)
    clock.seconds = 61

    with pytest.raises(SessionClosedError, match="idle for 60 seconds and evicted"):
        registry.find(idle)
    assert registry.find(used).states() == registry.draw(2).states
    assert registry.session_count == 1


def test_finding_a_session_keeps_it_alive(registry, clock):
    handle = registry.open(registry.draw(1))
    for clock.seconds in (50, 100, 150):
        registry.find(handle)

    assert registry.session_count == 1


def test_one_session_too_many_is_refused_and_takes_no_place_of_another(registry):
    handles = [registry.open(registry.draw(1)) for _ in range(3)]

    with pytest.raises(SessionLimitError, match="All 3 sessions are in use; close one"):
        registry.open(registry.draw(1))

    assert [registry.find(handle).call_count for handle in handles] == [0, 0, 0]


def test_an_idle_session_makes_place_for_a_new_one(registry, clock):
    for _ in range(3):
        registry.open(registry.draw(1))
    clock.seconds = 61

    registry.open(registry.draw(1))

    assert registry.session_count == 1


def test_a_scenario_of_other_environments_opens_nothing(registry):
    states = {"office.nowhere": {}}

    with pytest.raises(UnknownEnvironmentError, match=r"office\.nowhere"):
        registry.open(Scenario(seed=1, start="2026-03-02T09:00", states=states))
    with pytest.raises(ScenarioError, match="holds no state"):
        registry.open(Scenario(seed=1, start="2026-03-02T09:00", states={}))
    assert registry.session_count == 0


def test_calls_of_many_threads_happen_one_after_the_other(registry):
    live = registry.find(registry.open(registry.draw(1)))
    before = live.states()[HOTELS]["clock"]["counters"]["RV"]
    review = {"hotel_id": _stayed_at(live.states()), "rating": 5, "comment": "Fine"}
    refused = {**review, "hotel_id": "HT-99"}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            calls = [
                threads.submit(live.call, "hotel_booking__review_hotel", arguments)
                for arguments in [review, refused] * 200
            ]
            records = [call.result() for call in calls]
    finally:
        sys.setswitchinterval(interval)

    assert [record.ok for record in records] == [True, False] * 200
    assert live.states()[HOTELS]["clock"]["counters"]["RV"] == before + 200
    assert live.call_count == 400


def _stayed_at(states):
    state = states[HOTELS]
    stays = [row for row in state["bookings"].values() if row["status"] == "completed"]
    return state["rooms"][stays[0]["room_id"]]["hotel_id"]
