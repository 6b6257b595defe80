"""A task as a live session: what every trainer and the evaluation roll out and score.

Bounded in calls, questions and seconds a call. A fault (an environment that broke its contract, a
call that ran out of time) is recorded as a fault and scores nothing, which is not a reward of 0.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from pydantic import JsonValue

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.queries import Disclosure, UserAction
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall, Reference, Reward
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_assets.stages.trajectories.reference import reference_from_json
from envfactory_assets.stages.trajectories.replaying import ids_created
from envfactory_assets.stages.trajectories.simulated_user import RuleUser, SimulatedUser
from envfactory_assets.stages.trajectories.user_actions import carry_out
from rl_jobs.config import SessionLimits
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session
from sandboxes.verification.time_limit import TimeLimitExceededError, time_limit

NO_CALLS_LEFT = '{"error":"No calls are left in this turn; tell the user what you did."}'
FAULTY = '{"error":"The environment failed; this turn is over."}'
NO_QUESTIONS_LEFT = "I have nothing to add; please finish."
_DEFAULT_LIMITS = SessionLimits()
_DEFAULT_REWARD = RewardSettings()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rollout ended.

    Attributes:
        reward: The reward with its components; None after a fault.
        fault: What broke on our side; None when nothing did.
        calls: How many calls of the agent reached the session.
        format_errors: How many calls could not be read.
        attempt: What was done.
    """

    reward: Reward | None
    fault: str | None
    calls: int
    format_errors: int
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Place:
    """Where attempts run: the environments, what an attempt may do, how it is scored."""

    catalog: Catalog
    limits: SessionLimits = _DEFAULT_LIMITS
    reward: RewardSettings = _DEFAULT_REWARD

    def open(self, task: RlTask) -> "TaskSession":
        """Start a session of a task; see `TaskSession.open`."""
        return TaskSession.open(task, self.catalog, self.limits, self.reward)


@dataclass(slots=True)
class TaskSession:
    """One turn of a task, live, from its scenario to its reward.

    Attributes:
        task: The row.
        session: The environments.
        reference: What the attempt is scored against.
        user: Who answers questions.
        limits: How much an attempt may do.
        reward: The weights of the reward.
        fault: What broke, if anything did.
        format_errors: How many calls could not be read.
    """

    task: RlTask
    session: Session
    reference: Reference
    user: SimulatedUser
    limits: SessionLimits
    reward: RewardSettings
    fault: str | None = None
    format_errors: int = 0
    _questions: int = 0
    _disclosures: tuple[Disclosure, ...] = ()
    _actions: list[UserAction] = field(default_factory=list[UserAction])
    _calls: list[AttemptedCall] = field(default_factory=list[AttemptedCall])

    @classmethod
    def open(
        cls,
        task: RlTask,
        catalog: Catalog,
        limits: SessionLimits = _DEFAULT_LIMITS,
        reward: RewardSettings = _DEFAULT_REWARD,
    ) -> Self:
        """Start a session of a task.

        Raises:
            UnknownEnvironmentError: If the catalog lacks an environment of the task.
            ScenarioError: If the scenario does not fit its environments.
        """
        scenario = Scenario.model_validate(task.scenario)
        return cls(
            task=task,
            session=Session.open(scenario, catalog),
            reference=reference_from_json(task.reference),
            user=RuleUser(),
            limits=limits,
            reward=reward,
            _disclosures=tuple(_disclosure(item) for item in task.disclosures),
            _actions=[UserAction.model_validate_json(json.dumps(a)) for a in task.user_actions],
        )

    @property
    def functions(self) -> tuple[JsonObject, ...]:
        """The tools that the agent sees, as functions with JSON schemas."""
        return self.task.tools

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be done: a fault, or no calls left."""
        return self.fault is not None or self._call_count() >= self.limits.max_calls

    def execute(self, tool: str, arguments: Mapping[str, JsonValue]) -> str:
        """Make a call and return the text that the agent gets."""
        if self.fault is not None:
            return FAULTY
        if self._call_count() >= self.limits.max_calls:
            return NO_CALLS_LEFT
        before = self.session.counters()
        try:
            with time_limit(self.limits.call_timeout_seconds):
                record = self.session.call(tool, arguments)
        except EnvironmentFaultError as error:
            self.fault = str(error)
            return FAULTY
        except TimeLimitExceededError:
            self.fault = f"{tool} ran longer than {self.limits.call_timeout_seconds} s."
            return FAULTY
        self._calls.append(AttemptedCall.of(record, ids_created(before, self.session.counters())))
        return record.reply()

    def note_format_error(self) -> None:
        """Count a call that could not be read."""
        self.format_errors += 1

    def answer(self, question: str) -> str:
        """Ask the user and return the answer; what the user does when asked is done then."""
        self._questions += 1
        if self._questions > self.limits.max_questions + len(self.task.user_actions):
            return NO_QUESTIONS_LEFT
        reply = self.user.answer(question, self._disclosures, tuple(self._actions))
        told = [self._act(action) for action in reply.actions]
        return " ".join([reply.text, *told] if reply.text else told) or reply.text

    def _act(self, action: UserAction) -> str:
        """Carry out what only the user can do, and return what the user says of it."""
        try:
            with time_limit(self.limits.call_timeout_seconds):
                acted = carry_out(action, self.session, self._calls)
        except EnvironmentFaultError as error:
            self.fault = str(error)
            return FAULTY
        except TimeLimitExceededError:
            self.fault = f"{action.tool} ran longer than {self.limits.call_timeout_seconds} s."
            return FAULTY
        if acted.record is not None:
            self._calls.append(AttemptedCall.of(acted.record, acted.produced))
        if acted.is_done:
            self._actions.remove(action)
        return acted.told

    def _call_count(self) -> int:
        return sum(call.actor == "agent" for call in self._calls)

    def note_fault(self, fault: str) -> None:
        """Record that something broke on our side; the attempt then has no reward."""
        self.fault = self.fault or fault

    def end(self) -> Attempt:
        """End the session and return what was done in it."""
        return Attempt(tuple(self._calls), self.session.close(), self.format_errors)

    def close(self) -> Outcome:
        """End the session and return what the attempt earned."""
        attempt = self.end()
        earned = None if self.fault else evaluate(self.reference, attempt, self.reward)
        return Outcome(earned, self.fault, self._call_count(), self.format_errors, attempt)


def _disclosure(value: JsonObject) -> Disclosure:
    known = {key: item for key, item in value.items() if key in Disclosure.model_fields}
    return Disclosure.model_validate(known)
