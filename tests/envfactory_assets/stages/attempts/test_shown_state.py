import json

from envfactory_assets.stages.attempts.shown_state import state_text

STATE = {
    "clock": {"now": "2026-03-02T09:00", "counters": {"RM": 100, "BK": 1}},
    "rooms": {f"RM-{number}": {"name": "Oak"} for number in range(1, 101)},
    "bookings": {"BK-1": {"room_id": "RM-1"}},
}


def test_a_small_state_is_shown_as_it_is():
    assert json.loads(state_text(STATE, 100_000)) == STATE


def test_a_large_table_is_cut_and_a_note_says_so():
    shown, note = state_text(STATE, 600).split("\n")

    assert len(json.loads(shown)["rooms"]) == 10
    assert json.loads(shown)["clock"] == STATE["clock"]
    assert note == "(shortened: rooms holds 100 entries, 10 are shown)"
