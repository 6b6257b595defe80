"""Candidates: K attempts at a task, scored by the reward, and the choice of the best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import CandidateTrajectory
from envfactory_assets.stages.reward.models import Attempt, Reference, Reward
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.state_equality import compare_states
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.judge import Judge
from envfactory_assets.stages.trajectories.reference import build_reference
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import SimulatedUser
from envfactory_assets.stages.trajectories.teacher import Teacher
from envfactory_resources.clients.language_model.progress import map_telling
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall

NOT_SOLVED = "no_candidate_solves_the_task"
LOWER_REWARD = "another_candidate_is_better"
FAILS_TASK = "does_not_solve_the_task"


@dataclass(frozen=True, slots=True)
class Players:
    """Who attempts the tasks, who is asked meanwhile, and who compares the attempts."""

    teacher: Teacher
    user: SimulatedUser
    judge: Judge

    @property
    def made_by(self) -> str:
        """What the rows say about who made them."""
        return f"{self.teacher.made_by},{self.user.made_by}"


@dataclass(frozen=True, slots=True)
class _Scored:
    """An attempt with what it earned against the planned outcome, and what the judge says."""

    policy: str
    conversation: Conversation
    reward: Reward
    judgement: float | None = None


def candidate_trajectories(
    queries: Sequence[RefinedQuery],
    catalog: Catalog,
    settings: TrajectorySettings,
    players: Players,
) -> list[CandidateTrajectory]:
    """Return K scored attempts at every task, tasks in order of the queries.

    At most one of a task's attempts is kept: of those that solve it the one with the highest
    reward, then the one that the judge prefers, then the fewest calls, then the fewest messages.
    As many attempts as the teacher allows run at once, across tasks.
    """
    tasks = [list(turns) for _, turns in groupby(queries, key=lambda query: query.task_id)]
    attempts = _attempts_at(tasks, catalog, settings, players)

    def choose(turns: list[RefinedQuery]) -> list[CandidateTrajectory]:
        return _candidates_of(turns, attempts[turns[0].task_id], catalog, settings, players)

    chosen = map_telling(
        choose,
        tasks,
        max_concurrency=players.judge.max_concurrency,
        what=f"choice of {_told(tasks)}",
        unit="tasks",
    )
    return [row for rows in chosen for row in rows]


def planned_reference(
    queries: Sequence[RefinedQuery], catalog: Catalog, settings: TrajectorySettings
) -> Reference:
    """Return the outcome that a task was built for, from its planned calls."""
    scenario = Scenario.model_validate(queries[0].scenario)
    calls = [
        ToolCall(tool=call.tool, arguments=call.arguments, actor=call.actor)
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


def _attempts_at(
    tasks: Sequence[list[RefinedQuery]],
    catalog: Catalog,
    settings: TrajectorySettings,
    players: Players,
) -> dict[str, list[tuple[str, Conversation]]]:
    """Return the attempts at every task, with their policies, by task."""
    planned = [
        (turns, policy)
        for turns in tasks
        for policy in players.teacher.policies(turns[0].task_id, settings)
    ]

    def run(item: tuple[list[RefinedQuery], str]) -> Conversation:
        return players.teacher.attempt(*item, catalog, players.user, settings)

    done = map_telling(
        run,
        planned,
        max_concurrency=players.teacher.max_concurrency,
        what=_told(tasks),
        unit="attempts",
    )
    attempts: dict[str, list[tuple[str, Conversation]]] = {}
    for (turns, policy), conversation in zip(planned, done, strict=True):
        attempts.setdefault(turns[0].task_id, []).append((policy, conversation))
    return attempts


def _told(tasks: Sequence[list[RefinedQuery]]) -> str:
    """Return what log lines call the candidates of some tasks."""
    return f"candidates[{tasks[0][0].domain}]" if tasks else "candidates"


def _candidates_of(
    queries: list[RefinedQuery],
    attempts: Sequence[tuple[str, Conversation]],
    catalog: Catalog,
    settings: TrajectorySettings,
    players: Players,
) -> list[CandidateTrajectory]:
    reference = planned_reference(queries, catalog, settings)
    scored = [
        _Scored(policy, conversation, evaluate(reference, attempt_of(conversation)))
        for policy, conversation in attempts
    ]
    scored = _judged(queries, scored, settings, players.judge)
    best = _best(scored, settings)
    agreements = _agreements(reference, scored)
    return [
        _row(queries, each, agreement, _drop_reason(each, best, settings), players.made_by)
        for each, agreement in zip(scored, agreements, strict=True)
    ]


def _judged(
    queries: Sequence[RefinedQuery],
    scored: Sequence[_Scored],
    settings: TrajectorySettings,
    judge: Judge,
) -> list[_Scored]:
    """Return the attempts, those that solve the task with a judgement where there are several."""
    solving = [each for each in scored if _is_eligible(each, settings)]
    if len(solving) < 2:
        return list(scored)
    texts = [query.refined_text for query in queries]
    given = judge.rate(texts, [each.conversation.messages for each in solving])
    rated = {id(each): rating for each, rating in zip(solving, given, strict=True)}
    return [replace(each, judgement=rated.get(id(each))) for each in scored]


def _best(scored: Sequence[_Scored], settings: TrajectorySettings) -> _Scored | None:
    solved = [each for each in scored if _is_eligible(each, settings)]
    if not solved:
        return None
    return min(
        solved,
        key=lambda each: (
            -each.reward.total,
            -(each.judgement or 0.0),
            len(each.conversation.calls),
            len(each.conversation.messages),
        ),
    )


def _agreements(reference: Reference, scored: Sequence[_Scored]) -> list[float]:
    """Return for each attempt the share of the others that ended in the same states."""
    found: list[float] = []
    for each in scored:
        own = attempt_of(each.conversation)
        outcome = replace(reference, end_states=own.end_states)
        same = [
            compare_states(outcome, other.conversation.session.states(), 0).is_equal
            for other in scored
            if other is not each
        ]
        found.append(sum(same) / max(len(same), 1))
    return found


def _is_eligible(each: _Scored, settings: TrajectorySettings) -> bool:
    return not each.conversation.fault and _solves(each.reward, settings)


def _solves(reward: Reward, settings: TrajectorySettings) -> bool:
    return min(reward.trajectory, reward.state) >= settings.solved_reward


def _drop_reason(each: _Scored, best: _Scored | None, settings: TrajectorySettings) -> str | None:
    if each is best:
        return None
    if each.conversation.fault:
        return each.conversation.fault
    if best is None:
        return NOT_SOLVED
    return LOWER_REWARD if _solves(each.reward, settings) else FAILS_TASK


def _row(
    queries: Sequence[RefinedQuery],
    each: _Scored,
    agreement: float,
    drop_reason: str | None,
    made_by: str,
) -> CandidateTrajectory:
    attempt, reward = each.conversation, each.reward
    states: JsonObject = dict(attempt.session.close())
    return CandidateTrajectory(
        trajectory_id=f"{queries[0].task_id}/{each.policy}",
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
        made_by=made_by,
        solver_policy=each.policy,
        calls=tuple(call.as_json() for call in attempt.calls),
        end_states=states,
        agreement=agreement,
        judgement=each.judgement,
    )
