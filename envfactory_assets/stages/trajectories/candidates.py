"""Candidates: K attempts at a task, scored by the reward, and the choice of the best."""

import random
from collections.abc import Sequence
from itertools import groupby

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import CandidateTrajectory
from envfactory_assets.stages.reward.models import Attempt, Reference, Reward
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.reference import build_reference
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import SimulatedUser
from envfactory_assets.stages.trajectories.solvers import (
    MADE_BY,
    SolverPolicy,
    choose_policies,
    solve,
)
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall

NOT_SOLVED = "no_candidate_solves_the_task"
LOWER_REWARD = "another_candidate_is_better"
FAILS_TASK = "does_not_solve_the_task"


def candidate_trajectories(
    queries: Sequence[RefinedQuery],
    catalog: Catalog,
    settings: TrajectorySettings,
    user: SimulatedUser,
) -> list[CandidateTrajectory]:
    """Return K scored attempts at every task, tasks in order of the queries.

    At most one of a task's attempts is kept: of those that solve it the one with the highest
    reward, then the fewest calls, then the fewest messages.
    """
    rows: list[CandidateTrajectory] = []
    for _, turns in groupby(queries, key=lambda query: query.task_id):
        rows += _candidates_of(list(turns), catalog, settings, user)
    return rows


def planned_reference(
    queries: Sequence[RefinedQuery], catalog: Catalog, settings: TrajectorySettings
) -> Reference:
    """Return the outcome that a task was built for, from its planned calls."""
    scenario = Scenario.model_validate(queries[0].scenario)
    calls = [
        ToolCall(tool=call.tool, arguments=call.arguments)
        for query in queries
        for call in query.calls
    ]
    reference, _ = build_reference(scenario, calls, catalog, settings, queries[0].task_id)
    return reference


def attempt_of(conversation: Conversation) -> Attempt:
    """Return a conversation as the reward reads it."""
    return Attempt(
        calls=tuple(call.attempted() for call in conversation.calls),
        end_states=conversation.session.states(),
    )


def _candidates_of(
    queries: list[RefinedQuery],
    catalog: Catalog,
    settings: TrajectorySettings,
    user: SimulatedUser,
) -> list[CandidateTrajectory]:
    reference = planned_reference(queries, catalog, settings)
    rng = random.Random(f"policies:{settings.seed}:{queries[0].task_id}")
    policies = choose_policies(settings.candidates, rng)
    attempts = [solve(queries, policy, catalog, user, settings.seed) for policy in policies]
    rewards = [evaluate(reference, attempt_of(attempt)) for attempt in attempts]
    best = _best(attempts, rewards, settings)
    return [
        _row(queries, policy, attempt, reward, _drop_reason(index, best, reward, settings))
        for index, (policy, attempt, reward) in enumerate(
            zip(policies, attempts, rewards, strict=True)
        )
    ]


def _best(
    attempts: Sequence[Conversation], rewards: Sequence[Reward], settings: TrajectorySettings
) -> int | None:
    solved = [index for index, reward in enumerate(rewards) if _solves(reward, settings)]
    if not solved:
        return None
    return min(
        solved,
        key=lambda index: (
            -rewards[index].total,
            len(attempts[index].calls),
            len(attempts[index].messages),
            index,
        ),
    )


def _solves(reward: Reward, settings: TrajectorySettings) -> bool:
    return min(reward.trajectory, reward.state) >= settings.solved_reward


def _drop_reason(
    index: int, best: int | None, reward: Reward, settings: TrajectorySettings
) -> str | None:
    if index == best:
        return None
    if best is None:
        return NOT_SOLVED
    return LOWER_REWARD if _solves(reward, settings) else FAILS_TASK


def _row(
    queries: Sequence[RefinedQuery],
    policy: SolverPolicy,
    attempt: Conversation,
    reward: Reward,
    drop_reason: str | None,
) -> CandidateTrajectory:
    states: JsonObject = dict(attempt.session.close())
    return CandidateTrajectory(
        trajectory_id=f"{queries[0].task_id}/{policy}",
        task_id=queries[0].task_id,
        domain=queries[0].domain,
        environment_ids=queries[0].environment_ids,
        turns=len(queries),
        messages=tuple(attempt.messages),
        reward=reward.total,
        reward_trajectory=reward.trajectory,
        reward_state=reward.state,
        reward_length=reward.length,
        reward_format=reward.format,
        kept=drop_reason is None,
        drop_reason=drop_reason,
        made_by=f"{MADE_BY},{attempt.user.made_by}",
        solver_policy=policy.value,
        calls=tuple(call.as_json() for call in attempt.calls),
        end_states=states,
    )
