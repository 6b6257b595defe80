"""Tasks that an agent cannot do alone, by rules through all stages."""

import json

import pytest

from envfactory_assets.stages.queries.refinement import query_violations
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.trajectories.candidates import Players, candidate_trajectories
from envfactory_assets.stages.trajectories.filtering import filter_trajectories
from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_assets.stages.trajectories.model_teacher import ModelTeacher
from envfactory_assets.stages.trajectories.recorded import replays_as_recorded
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from envfactory_resources.clients.fake_messages.replies import TextReply, ToolCallsReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages

SIGN = "hotel_booking__sign_registration"
SAID = "0.city 0.check_in 0.check_out 1.check_in 1.check_out 2.guest_name 2.check_in 2.check_out"
BOUND = {
    "1.hotel_id": "0:hotels[].hotel_id",
    "2.room_id": "1:rooms[].room_id",
    "3.booking_id": "2:booking_id",
}


@pytest.fixture(scope="module")
def signed(whole_pipeline):
    """Tasks in which the user signs a form: of a new booking, in one turn or a later one."""
    tools = (*whole_pipeline.STAY, SIGN)
    chains = [
        whole_pipeline.chain(f"signed-{number}", "travel", tools, BOUND, SAID, turns)
        for number, turns in enumerate([(4,), (3, 1), (1, 3), (4,)])
    ]
    listed = ("hotel_booking__list_bookings", SIGN, "hotel_booking__get_booking")
    one = {"1.booking_id": "0:bookings[].booking_id", "2.booking_id": "0:bookings[].booking_id"}
    chains.append(whole_pipeline.chain("listed", "travel", listed, one, "", (3,)))
    return whole_pipeline.run_pipeline(chains, QuerySettings(ambiguity=0.5))


def test_they_are_kept_with_a_proven_reference_and_doing_nothing_earns_nothing(signed):
    assert (signed.dropped, signed.filter_dropped) == ({}, {})
    for row in signed.filtered:
        assert (row.kept, row.replays, row.reward, row.do_nothing_reward) == (True, True, 1.0, 0.0)
        assert replays_as_recorded(row, signed.catalog)
        by_user = [call for call in row.reference_calls if call["actor"] == "user"]
        assert [call["tool"] for call in by_user] == [SIGN]
        assert by_user[0]["masked"] == []


def test_played_as_the_agents_the_users_calls_would_not_replay(signed):
    for row in signed.filtered:
        calls = tuple({**call, "actor": "agent"} for call in row.reference_calls)
        assert not replays_as_recorded(
            row.model_copy(update={"reference_calls": calls}), signed.catalog
        )


def test_no_agent_is_shown_the_users_tool_and_no_request_asks_for_it(signed):
    for row in signed.filtered:
        assert SIGN not in json.dumps([row.tools, [m.get("tool_calls") for m in row.messages]])
        assert any("let me know when to sign" in text.lower() for text in row.queries)
    for queries in signed.refined_by_task().values():
        assert query_violations(queries, signed.catalog) == []


def test_whoever_does_not_bring_the_user_to_act_loses(signed):
    poor = [row for row in signed.candidates if row.solver_policy in ("idle", "incomplete")]
    assert poor
    for row in poor:
        assert row.reward_state == 0.0
        assert not row.kept


def test_every_honest_policy_asks_and_the_user_acts(signed):
    for row in signed.candidates:
        if row.solver_policy == "direct":
            assert [call["ok"] for call in row.calls if call["actor"] == "user"] == [True]


def test_what_learners_read_holds_no_trace_of_the_users_calls_but_its_words(signed):
    for row in (*signed.sft, *signed.rl):
        messages = row.messages if hasattr(row, "messages") else row.prompt
        assert all("actions" not in message for message in messages)
        assert SIGN not in json.dumps(row.tools)
    for row in signed.sft:
        assert any(str(m["content"]).startswith("Done, I signed") for m in row.messages)


LOOK = ToolCallsReply([("hotel_booking__list_bookings", {})])
ASK = TextReply("Could you please sign the registration form on your phone?")
TOLD = TextReply("You have signed the form; the booking is shown above.")


@pytest.fixture
def listed(signed):
    """The task that lists bookings, has one signed and shows it."""
    (row,) = [row for row in signed.filtered if len(row.reference_calls) == 3]
    return signed.refined_by_task()[row.task_id]


@pytest.fixture
def rolled_out(model_at, signed, listed):
    """Let a model play the teacher by a script, once a rollout; return attempts and requests."""

    def run(*replies, **settings):
        get = listed[0].calls[2]
        shown = ToolCallsReply([(get.tool, get.arguments)])
        lines = [ScriptLine(reply) for _ in range(2) for reply in (*replies, shown, TOLD)]
        with FakeMessages(lines) as fake:
            teacher = ModelTeacher(model_at(fake))
            teacher.max_concurrency = 1
            players = Players(teacher, RuleUser(), RuleJudge())
            chosen = TrajectorySettings(candidates=2, **settings)
            return candidate_trajectories(listed, signed.catalog, chosen, players), fake.requests

    return run


@pytest.mark.parametrize("mode", ["conversational", "non_conversational"])
def test_a_model_that_asks_brings_the_user_to_act(rolled_out, mode):
    rows, requests = rolled_out(LOOK, ASK, mode=mode)
    assert [(row.reward, row.reward_state) for row in rows] == [(1.0, 1.0)] * 2
    assert [call["actor"] for call in rows[0].calls] == ["agent", "user", "agent"]
    assert SIGN not in [tool["name"] for tool in requests[0].body["tools"]]


def test_a_model_that_tries_it_itself_is_told_to_ask(rolled_out, listed):
    call = listed[0].calls[1]
    rows, _ = rolled_out(LOOK, ToolCallsReply([(call.tool, call.arguments)]), ASK)
    refused = [call["error"] for call in rows[0].calls if not call["ok"]]
    assert refused == [
        "Only the user can do that; ask them to sign the registration form of a confirmed booking "
        "on their own phone."
    ]
    assert (rows[0].reward, rows[0].reward_state) == (1.0, 1.0)


def test_a_model_that_never_asks_misses_the_state(rolled_out):
    rows, _ = rolled_out(LOOK)
    assert [row.reward_state for row in rows] == [0.0, 0.0]


def test_asking_too_early_is_cut_out_of_the_reference(model_at, signed):
    row = next(row for row in signed.filtered if row.turns == 1 and len(row.reference_calls) == 4)
    queries = signed.refined_by_task()[row.task_id]
    calls = [
        ToolCallsReply([(call["tool"], call["arguments"])])
        for call in row.reference_calls
        if call["actor"] == "agent"
    ]
    lines = [ScriptLine(reply) for _ in range(2) for reply in (ASK, *calls, ASK, TOLD)]
    settings = TrajectorySettings(candidates=2)
    with FakeMessages(lines) as fake:
        teacher = ModelTeacher(model_at(fake))
        teacher.max_concurrency = 1
        players = Players(teacher, RuleUser(), RuleJudge())
        attempts = candidate_trajectories(queries, signed.catalog, settings, players)
    assert "I tried to sign" in json.dumps(attempts[0].messages)

    (kept,) = filter_trajectories(queries, attempts, signed.catalog, settings).rows
    assert (kept.kept, kept.replays, kept.removed_steps) == (True, True, 1)
    assert "I tried to sign" not in json.dumps(kept.messages)
    assert [call["actor"] for call in kept.reference_calls] == ["agent", "agent", "agent", "user"]
