import random
from itertools import pairwise

import pytest

from envfactory_assets.stages.queries.wording import mentions
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from envfactory_assets.stages.trajectories.solvers import (
    HONEST,
    WRONG,
    SolverPolicy,
    choose_policies,
    solve,
)

ASKING = (
    SolverPolicy.CLARIFYING,
    SolverPolicy.REDUNDANT_READ,
    SolverPolicy.ERROR_AND_RECOVERY,
)


@pytest.fixture(scope="module")
def rewards(pipeline):
    """The reward of each policy on each task."""
    return [
        {row.solver_policy: row for row in rows}
        for rows in pipeline.by_task(pipeline.candidates).values()
    ]


def test_all_policies_try_every_task_of_the_fixture_set(rewards):
    assert len(rewards) == 24
    assert all(len(by_policy) == len(SolverPolicy) for by_policy in rewards)


@pytest.mark.parametrize("policy", ASKING)
def test_honest_policies_that_ask_always_solve_the_task(rewards, policy):
    assert {by_policy[policy].reward for by_policy in rewards} == {1.0}


def test_going_straight_to_it_solves_a_task_exactly_when_nothing_was_kept_back(rewards, pipeline):
    tasks = pipeline.refined_by_task()
    kept_back = 0
    for by_policy in rewards:
        direct = by_policy[SolverPolicy.DIRECT]
        is_guess = any(query.disclosures for query in tasks[direct.task_id])
        kept_back += is_guess
        assert (direct.reward < 1.0) is is_guess
    assert 4 <= kept_back < len(rewards)


@pytest.mark.parametrize("policy", WRONG)
def test_wrong_policies_earn_less_on_every_task(rewards, policy):
    for by_policy in rewards:
        best = max(by_policy[honest].reward for honest in HONEST)
        assert by_policy[policy].reward < best
        assert not by_policy[policy].kept


def test_doing_nothing_earns_nothing(rewards):
    assert {by_policy[SolverPolicy.IDLE].reward for by_policy in rewards} == {0.0}


def test_a_value_that_was_kept_back_comes_from_the_users_answer(rewards, pipeline):
    tasks = pipeline.refined_by_task()
    seen = 0
    for by_policy in rewards:
        row = by_policy[SolverPolicy.CLARIFYING]
        for query in tasks[row.task_id]:
            for item in query.disclosures:
                seen += 1
                assert said_before(row.messages, item).startswith("Could you tell me the ")
                assert item.value in [
                    call["arguments"].get(item.path)
                    for call in row.calls
                    if call["turn"] == query.turn
                ]
    assert seen >= 4


def said_before(messages, item):
    """Return what the agent said just before the user first said a value."""
    for before, message in pairwise(messages):
        if message["role"] == "user" and mentions(message["content"], item.value):
            return before["content"]
    raise AssertionError(f"The user never says {item.value!r}.")


def test_nothing_is_asked_where_everything_was_said(rewards, pipeline):
    tasks = pipeline.refined_by_task()
    for by_policy in rewards:
        row = by_policy[SolverPolicy.CLARIFYING]
        if not any(query.disclosures for query in tasks[row.task_id]):
            users = [message for message in row.messages if message["role"] == "user"]
            assert [message["content"] for message in users] == [
                query.refined_text for query in tasks[row.task_id]
            ]


def test_each_policy_leaves_its_mark(rewards):
    for by_policy in rewards:
        assert [call["ok"] for call in by_policy[SolverPolicy.ERROR_AND_RECOVERY].calls].count(
            False
        ) == 1
        direct = len(by_policy[SolverPolicy.CLARIFYING].calls)
        assert len(by_policy[SolverPolicy.REDUNDANT_READ].calls) == direct + 1
        assert len(by_policy[SolverPolicy.INCOMPLETE].calls) == direct - 1
        assert len(by_policy[SolverPolicy.REPEATED_WRITE].calls) == direct + 2


def test_every_attempt_has_a_session_of_its_own(pipeline):
    """Ids and states of one attempt do not depend on the attempts before it."""
    queries = next(
        turns
        for turns in pipeline.refined_by_task().values()
        if any(call.tool == "hotel_booking__book_room" for turn in turns for call in turn.calls)
    )
    rest = (pipeline.catalog, RuleUser(), TrajectorySettings())

    def attempt():
        return solve(queries, SolverPolicy.CLARIFYING, *rest)

    first = attempt()
    second = solve(queries, SolverPolicy.REPEATED_WRITE, *rest)
    third = attempt()

    assert first.session is not second.session
    assert first.messages == third.messages
    assert first.session.states() == third.session.states()
    second.session.close()
    assert first.session.call("hotel_booking__list_bookings", {}).ok


@pytest.mark.parametrize("count", range(2, 9))
def test_policies_are_drawn_from_both_kinds_and_one_of_them_asks(count):
    for seed in range(20):
        drawn = choose_policies(count, random.Random(seed))
        assert len(drawn) == len(set(drawn)) == count
        assert set(drawn) & set(ASKING)
        assert set(drawn) & set(WRONG)
