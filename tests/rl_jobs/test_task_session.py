import dataclasses

import pytest

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import SessionLimits
from rl_jobs.task_session import FAULTY, NO_CALLS_LEFT, NO_QUESTIONS_LEFT, TaskSession
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.session import CallRecord, Session

RIGHT = {"category": "leisure", "monthly_limit": 250.0}


class BrokenSession(Session):
    def call(self, tool: str, arguments: object) -> CallRecord:
        raise EnvironmentFaultError(f"{tool} raised KeyError: 'balance'")


class HangingSession(Session):
    def call(self, tool: str, arguments: object) -> CallRecord:
        while True:
            pass


def with_session(session: TaskSession, kind: type[Session]) -> TaskSession:
    live = session.session
    broken = kind({key: live._environments[key] for key in live.environment_ids})
    return dataclasses.replace(session, session=broken)


def test_the_reference_earns_one(budget_task: RlTask, catalog: Catalog) -> None:
    session = TaskSession.open(budget_task, catalog)
    session.execute("payments__set_budget", RIGHT)
    outcome = session.close()
    assert outcome.reward is not None
    assert outcome.reward.total == 1.0
    assert outcome.calls == 1


def test_doing_nothing_earns_nothing(budget_task: RlTask, catalog: Catalog) -> None:
    outcome = TaskSession.open(budget_task, catalog).close()
    assert outcome.reward is not None
    assert outcome.reward.total == 0.0
    assert outcome.fault is None


def test_unreadable_calls_cost(budget_task: RlTask, catalog: Catalog) -> None:
    session = TaskSession.open(budget_task, catalog)
    session.note_format_error()
    session.execute("payments__set_budget", RIGHT)
    outcome = session.close()
    assert outcome.reward is not None
    assert outcome.reward.format > 0.0
    assert outcome.reward.total < 1.0


def test_a_refused_call_gives_one_plain_sentence(budget_task: RlTask, catalog: Catalog) -> None:
    session = TaskSession.open(budget_task, catalog)
    reply = session.execute("payments__set_budget", {"category": "leisure"})
    assert reply == (
        '{"error":"Missing required argument \'monthly_limit\' of payments__set_budget."}'
    )


def test_the_user_answers_what_was_kept_back(budget_task: RlTask, catalog: Catalog) -> None:
    session = TaskSession.open(budget_task, catalog)
    assert session.answer("What is the monthly limit?") == "The monthly limit should be 250."
    assert session.answer("And the monthly limit again?") == NO_QUESTIONS_LEFT


def test_calls_beyond_the_limit_are_not_made(budget_task: RlTask, catalog: Catalog) -> None:
    session = TaskSession.open(budget_task, catalog, SessionLimits(max_calls=1))
    session.execute("payments__list_accounts", {})
    assert session.is_over
    assert session.execute("payments__set_budget", RIGHT) == NO_CALLS_LEFT
    outcome = session.close()
    assert outcome.calls == 1
    assert outcome.reward is not None
    assert outcome.reward.total == 0.0


@pytest.mark.parametrize("kind", [BrokenSession, HangingSession])
def test_a_fault_is_no_reward_of_zero(
    budget_task: RlTask, catalog: Catalog, kind: type[Session]
) -> None:
    limits = SessionLimits(call_timeout_seconds=0.05)
    session = with_session(TaskSession.open(budget_task, catalog, limits), kind)
    assert session.execute("payments__set_budget", RIGHT) == FAULTY
    assert session.is_over
    outcome = session.close()
    assert outcome.reward is None
    assert outcome.fault is not None
    assert "payments__set_budget" in outcome.fault


def test_sessions_of_one_task_do_not_meet(budget_task: RlTask, catalog: Catalog) -> None:
    first, second = (TaskSession.open(budget_task, catalog) for _ in range(2))
    first.execute("payments__set_budget", RIGHT)
    outcome = second.close()
    assert outcome.reward is not None
    assert outcome.reward.total == 0.0
