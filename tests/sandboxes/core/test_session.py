import json

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import (
    EnvironmentFaultError,
    ScenarioError,
    SessionClosedError,
    UnknownEnvironmentError,
)
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session, ToolCall, replay

ADD = {
    "title": "Tidy up",
    "author": {"email": "a@example.com"},
    "start": "2026-03-02",
    "due": "2026-03-05",
    "remind_at": "2026-03-04T09:00",
}


def test_a_call_is_carried_out_and_logged_with_its_defaults(session: Session) -> None:
    record = session.call("notes__add_note", ADD)
    assert (record.ok, record.effect, record.error) == (True, "write", None)
    assert record.result == {"note_id": "NT-4", "title": "Tidy up"}
    assert record.arguments == ADD
    assert record.bound is not None
    assert record.bound["priority"] == 5
    assert list(session.log) == [record]


def test_sessions_of_one_scenario_do_not_see_each_other(notes: Catalog, scenario: Scenario) -> None:
    one, other = Session.open(scenario, notes), Session.open(scenario, notes)
    before = other.states()
    one.call("notes__add_note", ADD)
    assert other.states() == before
    assert other.call("notes__add_note", ADD).result["note_id"] == "NT-4"


def test_what_a_caller_does_to_states_and_arguments_stays_outside(session: Session) -> None:
    arguments = json.loads(json.dumps(ADD))
    session.call("notes__add_note", arguments)
    before = session.snapshot()
    session.states()["office.notes"]["notes"].clear()
    arguments["author"]["email"] = "other@example.com"
    assert session.snapshot() == before


@pytest.mark.parametrize("tool", ["drop_and_refuse", "drop_and_crash", "drop_and_return_nothing"])
def test_a_call_that_is_not_carried_out_changes_nothing_not_even_a_counter(
    session: Session, tool: str
) -> None:
    before = session.snapshot()
    try:
        assert not session.call(f"notes__{tool}", {}).ok
    except EnvironmentFaultError:
        assert not session.log
    assert session.snapshot() == before


def test_a_refusal_is_one_sentence_in_the_record_and_in_the_reply(session: Session) -> None:
    record = session.call("notes__get_note", {"note_id": "NT-9"})
    assert (record.ok, record.result) == (False, None)
    assert record.bound == {"note_id": "NT-9"}
    assert json.loads(record.reply()) == {"error": "There is no note 'NT-9'."}


def test_arguments_that_do_not_fit_are_refused_unbound(session: Session) -> None:
    record = session.call("notes__get_note", {"note_id": 9})
    assert (record.ok, record.bound) == (False, None)
    assert "should be a valid string, got 9." in record.error


def test_an_unknown_tool_is_refused_with_those_there_are(session: Session) -> None:
    record = session.call("notes__burn_note", {})
    assert not record.ok
    assert record.error.startswith(
        "Unknown tool 'notes__burn_note'; available: notes__add_note, notes__list_notes,"
    )


@pytest.mark.parametrize(
    ("tool", "fault"),
    [("drop_and_crash", "KeyError"), ("drop_and_return_nothing", "None, not a NoteShown")],
)
def test_a_broken_contract_is_our_fault_and_names_the_tool(
    session: Session, tool: str, fault: str
) -> None:
    with pytest.raises(EnvironmentFaultError, match=rf"notes__{tool} raised .*{fault}"):
        session.call(f"notes__{tool}", {})


def test_a_snapshot_can_be_restored_and_the_log_is_kept(session: Session) -> None:
    snapshot = session.snapshot()
    session.call("notes__add_note", ADD)
    session.restore(snapshot)
    assert session.snapshot() == snapshot
    assert len(session.log) == 1
    assert session.call("notes__add_note", ADD).result["note_id"] == "NT-4"


def test_a_snapshot_of_other_environments_is_refused(session: Session) -> None:
    with pytest.raises(ScenarioError, match=r"holds \['travel.hotel_booking'\]"):
        session.restore({"travel.hotel_booking": b"{}"})


def test_a_fork_goes_its_own_way_from_where_the_session_stands(session: Session) -> None:
    session.call("notes__add_note", ADD)
    fork = session.fork()
    assert fork.snapshot() == session.snapshot()
    assert not fork.log
    fork.call("notes__add_note", ADD)
    assert fork.snapshot() != session.snapshot()
    assert session.call("notes__add_note", ADD).result["note_id"] == "NT-5"


def test_a_replay_gives_the_same_results_and_states(notes: Catalog, scenario: Scenario) -> None:
    calls = [
        ToolCall(tool="notes__add_note", arguments=ADD),
        ToolCall(tool="notes__get_note", arguments={"note_id": "NT-99"}),
        ToolCall(tool="notes__drop_and_refuse", arguments={}),
        ToolCall(tool="notes__list_notes", arguments={"min_priority": 4}),
    ]
    first, second = replay(scenario, calls, notes), replay(scenario, calls, notes)
    assert list(first.log) == list(second.log)
    assert first.snapshot() == second.snapshot()


def test_a_closed_session_gives_its_end_states_and_takes_no_calls(session: Session) -> None:
    session.call("notes__add_note", ADD)
    assert "NT-4" in session.close()["office.notes"]["notes"]
    with pytest.raises(SessionClosedError, match="open a new one"):
        session.call("notes__add_note", ADD)


def test_the_clock_moves_forward_in_every_environment_or_in_none(
    notes: Catalog, scenario: Scenario
) -> None:
    session = Session.open(scenario, notes)
    session.advance("2027-01-01T08:00")
    assert session.states()["office.notes"]["clock"]["now"] == "2027-01-01T08:00"
    with pytest.raises(ScenarioError, match="stands at 2027-01-01T08:00"):
        session.advance("2026-12-31T08:00")


def test_further_sessions_can_start_where_one_stands(notes: Catalog, session: Session) -> None:
    session.call("notes__add_note", ADD)
    later = Session.open(session.scenario(seed=7), notes)
    assert later.states() == session.states()


def test_a_scenario_that_does_not_fit_names_the_place(notes: Catalog, scenario: Scenario) -> None:
    state = json.loads(json.dumps(scenario.states["office.notes"]))
    state["notes"]["NT-1"]["priority"] = "high"
    bad = Scenario(seed=0, start=scenario.start, states={"office.notes": state})
    with pytest.raises(ScenarioError, match=r"office\.notes does not fit .*notes\.NT-1\.priority"):
        Session.open(bad, notes)


def test_a_scenario_of_an_unknown_environment_is_refused(notes: Catalog) -> None:
    scenario = Scenario(seed=0, start="2026-03-02T09:00", states={"office.diary": {}})
    with pytest.raises(UnknownEnvironmentError, match=r"'office.diary'; available: office.notes"):
        Session.open(scenario, notes)


def test_an_agents_call_of_what_only_the_user_can_do_is_refused_and_logged(
    session: Session,
) -> None:
    before = session.snapshot()
    record = session.call("notes__sign_note", {"note_id": "NT-1"})
    assert record.error == "Only the user can do that; ask them to sign a note by hand."
    assert (record.ok, record.bound, record.actor, record.effect) == (
        False,
        None,
        "agent",
        "write",
    )
    assert list(session.log) == [record]
    assert session.snapshot() == before


def test_the_users_call_of_it_runs_and_changes_the_states_of_the_session(session: Session) -> None:
    record = session.call("notes__sign_note", {"note_id": "NT-1"}, actor="user")
    assert (record.ok, record.actor) == (True, "user")
    assert session.states()["office.notes"]["notes"]["NT-1"]["tags"][-1] == "signed"
    assert not session.call("notes__sign_note", {"note_id": "NT-9"}, actor="user").ok


def test_agents_are_not_told_of_what_only_the_user_can_do(session: Session) -> None:
    assert "notes__sign_note" in [tool.wire_name for tool in session.tools]
    assert "notes__sign_note" not in [tool.wire_name for tool in session.agent_tools]
    assert "sign_note" not in str(session.call("notes__burn_note", {}).error)


def test_a_replay_makes_the_users_calls_as_the_users(notes: Catalog, scenario: Scenario) -> None:
    calls = [
        ToolCall(tool="notes__sign_note", arguments={"note_id": "NT-1"}, actor=actor)
        for actor in ("agent", "user")
    ]
    assert [record.ok for record in replay(scenario, calls, notes).log] == [False, True]
