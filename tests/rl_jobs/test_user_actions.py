"""Training sessions of turns in which only the user can do a part."""

import dataclasses
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.trajectories.user_actions import is_request
from rl_jobs.config import SessionLimits
from rl_jobs.task_session import TaskSession

STAGES = Path(__file__).parents[1] / "envfactory_assets" / "stages"
SIGN = "hotel_booking__sign_registration"
SAID = "0.city 0.check_in 0.check_out 1.check_in 1.check_out 2.guest_name 2.check_in 2.check_out"
BOUND = {
    "1.hotel_id": "0:hotels[].hotel_id",
    "2.room_id": "1:rooms[].room_id",
    "3.booking_id": "2:booking_id",
}


@pytest.fixture(scope="module")
def signed():
    """Tasks in which the user signs a form: of a new booking, in one turn or a later one."""
    whole_pipeline = SimpleNamespace(
        **runpy.run_path(str(STAGES / "processes" / "whole_pipeline.py"))
    )
    tools = (*whole_pipeline.STAY, SIGN)
    chains = [
        whole_pipeline.chain(f"signed-{number}", "travel", tools, BOUND, SAID, turns)
        for number, turns in enumerate([(4,), (3, 1), (1, 3), (4,)])
    ]
    listed = ("hotel_booking__list_bookings", SIGN, "hotel_booking__get_booking")
    one = {"1.booking_id": "0:bookings[].booking_id", "2.booking_id": "0:bookings[].booking_id"}
    chains.append(whole_pipeline.chain("listed", "travel", listed, one, "", (3,)))
    return whole_pipeline.run_pipeline(chains, QuerySettings(ambiguity=0.5))


@pytest.fixture(scope="module")
def turns(signed):
    """The training turns in which the user acts."""
    found = [task for task in signed.rl if task.user_actions]
    assert len(found) == len(signed.filtered)
    return found


def played(task, catalog, *, asks=True, early=False, limits=None):
    """Play the agent's part of a reference in a training session."""
    session = TaskSession.open(task, catalog, limits or SessionLimits())
    (action,) = task.user_actions
    question = f"Could you please {action['deed']}?"
    said = [session.answer(question)] if early else []
    for call in task.reference["calls"]:
        if call["actor"] == "agent":
            session.execute(call["tool"], call["arguments"])
        elif asks:
            assert is_request(question)
            said.append(session.answer(question))
    return session.close(), said


def test_in_training_a_question_brings_the_user_to_act(turns, signed):
    for task in turns:
        outcome, said = played(task, signed.catalog)
        assert said[0].startswith("Done, I signed the registration form")
        assert outcome.reward.total == 1.0
        assert outcome.calls == sum(c["actor"] == "agent" for c in task.reference["calls"])


def test_in_training_who_does_not_ask_misses_the_state(turns, signed):
    for task in turns:
        outcome, _ = played(task, signed.catalog, asks=False)
        assert outcome.reward.state == 0.0
        assert outcome.reward.total <= 0.5
        assert any("The user was not brought to" in line for line in outcome.reward.explanation)


def test_in_training_asked_too_early_the_user_acts_when_asked_again(turns, signed):
    booked = [task for task in turns if task.user_actions[0]["made"]]
    assert booked
    for task in booked:
        outcome, said = played(task, signed.catalog, early=True)
        assert said[0].startswith("I tried to sign")
        assert said[1].startswith("Done, I signed")
        assert outcome.reward.total == 1.0


def test_in_training_the_users_calls_are_not_counted_against_the_agent(turns, signed):
    for task in turns:
        own = sum(call["actor"] == "agent" for call in task.reference["calls"])
        outcome, _ = played(task, signed.catalog, limits=SessionLimits(max_calls=max(own, 1)))
        assert outcome.reward.total == 1.0


def test_a_fault_of_the_environment_while_the_user_acts_is_a_fault(turns, signed):
    session = TaskSession.open(turns[0], signed.catalog)
    for call in turns[0].reference["calls"]:
        if call["actor"] == "agent":
            session.execute(call["tool"], call["arguments"])
    broken = dataclasses.replace(session, limits=SessionLimits(call_timeout_seconds=1e-9))
    broken.answer("Could you please sign the registration form on your phone?")
    assert broken.close().reward is None
