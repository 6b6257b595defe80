"""The filter: what the chosen candidate did not need is removed, and the rest is proven."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, cast

from pydantic import JsonValue

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.reward.models import Attempt, Reference, Reward
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.state_equality import compare_states
from envfactory_assets.stages.trajectories.alternatives import alternative_references
from envfactory_assets.stages.trajectories.candidates import (
    FAILS_TASK,
    LOWER_REWARD,
    NOT_SOLVED,
    planned_reference,
)
from envfactory_assets.stages.trajectories.reference import build_reference, reference_json
from envfactory_assets.stages.trajectories.reference_actions import reference_actions
from envfactory_assets.stages.trajectories.replaying import replay_calls
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import is_needless
from envfactory_assets.stages.trajectories.stored_calls import (
    attempted_call,
    stored_attempt,
    stored_call,
)
from sandboxes.core.canonical import canonical_json, content_hash
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall

Difficulty = Literal["easy", "medium", "hard"]

DUPLICATE = "same_request_as_another_task"
DOES_NOT_REPLAY = "reference_does_not_replay"
DO_NOTHING = "doing_nothing_earns_reward"


@dataclass(frozen=True, slots=True)
class FilterOutcome:
    """The filtered rows of a domain, dropped tasks included, and the drop reasons counted."""

    rows: list[FilteredTrajectory]
    dropped: dict[str, int]


def filter_trajectories(
    queries: Sequence[RefinedQuery],
    candidates: Sequence[CandidateTrajectory],
    catalog: Catalog,
    settings: TrajectorySettings,
) -> FilterOutcome:
    """Return one row a task: its best candidate as proven reference, or why it was dropped."""
    by_task = {key: list(rows) for key, rows in groupby(candidates, key=lambda row: row.task_id)}
    rows: list[FilteredTrajectory] = []
    seen: set[str] = set()
    for task_id, turns in groupby(queries, key=lambda query: query.task_id):
        row = _filter_task(list(turns), by_task[task_id], catalog, settings, seen)
        rows.append(row)
    reasons = sorted(row.drop_reason for row in rows if row.drop_reason)
    return FilterOutcome(rows, {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)})


def _filter_task(
    queries: list[RefinedQuery],
    candidates: list[CandidateTrajectory],
    catalog: Catalog,
    settings: TrajectorySettings,
    seen: set[str],
) -> FilteredTrajectory:
    chosen = next((row for row in candidates if row.kept), None)
    best = chosen or max(candidates, key=lambda row: row.reward)
    planned = planned_reference(queries, catalog, settings)
    kept_calls = _without_needless(best, planned) if chosen else list(range(len(best.calls)))
    if chosen is None:
        reference = planned
    else:
        scenario = Scenario.model_validate(queries[0].scenario)
        calls = [stored_call(best.calls[index]) for index in kept_calls]
        reference, _ = build_reference(scenario, calls, catalog, settings, best.task_id)
    proof = _prove(queries, best, kept_calls, reference, planned, catalog, chosen is not None)
    request = " ".join(query.refined_text.casefold() for query in queries)
    drop_reason = _drop_reason(chosen is not None, proof, request in seen, settings)
    if drop_reason is None:
        seen.add(request)
    return _row(
        queries, candidates, best, kept_calls, reference, proof, planned, catalog, drop_reason
    )


def _without_needless(best: CandidateTrajectory, planned: Reference) -> list[int]:
    """Return the indexes of the calls that stay: refused and redundant ones go."""
    reward = evaluate(planned, stored_attempt(best))
    return [
        index
        for index, call in enumerate(best.calls)
        if call["ok"] and (index not in reward.redundant or call["effect"] == "write")
    ]


@dataclass(frozen=True, slots=True)
class _Proof:
    replays: bool
    reward: Reward
    do_nothing_reward: float


def _prove(
    queries: list[RefinedQuery],
    best: CandidateTrajectory,
    kept_calls: list[int],
    reference: Reference,
    planned: Reference,
    catalog: Catalog,
    is_solved: bool,
) -> _Proof:
    scenario = Scenario.model_validate(queries[0].scenario)
    calls = [
        ToolCall(tool=call.tool, arguments=dict(call.arguments), actor=call.actor)
        for call in reference.calls
    ]
    again = replay_calls(scenario, calls, catalog)
    recorded = best.end_states if is_solved else dict(reference.end_states)
    same = canonical_json(dict(again.states)) == canonical_json(cast("JsonObject", recorded))
    idle = Attempt(calls=(), end_states=dict(scenario.states))
    attempt = Attempt(
        calls=tuple(attempted_call(best.calls[index]) for index in kept_calls),
        end_states=cast("dict[str, JsonObject]", best.end_states),
    )
    return _Proof(
        replays=same and again.is_clean,
        reward=evaluate(planned, attempt),
        do_nothing_reward=evaluate(reference, idle).total,
    )


def _drop_reason(
    is_solved: bool, proof: _Proof, is_duplicate: bool, settings: TrajectorySettings
) -> str | None:
    if not is_solved:
        return NOT_SOLVED
    if not proof.replays:
        return DOES_NOT_REPLAY
    if proof.do_nothing_reward > settings.do_nothing_limit:
        return DO_NOTHING
    return DUPLICATE if is_duplicate else None


def _row(
    queries: list[RefinedQuery],
    candidates: list[CandidateTrajectory],
    best: CandidateTrajectory,
    kept_calls: list[int],
    reference: Reference,
    proof: _Proof,
    planned: Reference,
    catalog: Catalog,
    drop_reason: str | None,
) -> FilteredTrajectory:
    messages = _messages(best, kept_calls)
    reference_calls = _reference_calls(queries, best, kept_calls, reference)
    solved = sum(min(row.reward_trajectory, row.reward_state) > 0.999 for row in candidates)
    end_states = cast("JsonObject", dict(reference.end_states))
    return FilteredTrajectory(
        trajectory_id=best.trajectory_id,
        task_id=best.task_id,
        domain=best.domain,
        environment_ids=best.environment_ids,
        turns=best.turns,
        messages=tuple(messages),
        reward=proof.reward.total,
        reward_trajectory=proof.reward.trajectory,
        reward_state=proof.reward.state,
        reward_length=proof.reward.length,
        reward_format=proof.reward.format,
        kept=drop_reason is None,
        drop_reason=drop_reason,
        made_by=best.made_by,
        queries=tuple(query.refined_text for query in queries),
        disclosures=tuple(_disclosures(queries)),
        user_actions=tuple(reference_actions(queries, reference_calls, catalog)),
        scenario=queries[0].scenario,
        tools=tuple(_functions(best.environment_ids, catalog)),
        reference_calls=tuple(reference_calls),
        end_states=end_states,
        end_state_hash=content_hash(end_states),
        replays=proof.replays,
        do_nothing_reward=proof.do_nothing_reward,
        removed_steps=_steps(best.messages) - _steps(messages),
        difficulty=_difficulty(len(reference.calls), queries, solved / len(candidates)),
        solved_share=solved / len(candidates),
        alternatives=tuple(_alternatives(candidates, best, planned, reference, catalog)),
    )


def _alternatives(
    candidates: Sequence[CandidateTrajectory],
    best: CandidateTrajectory,
    planned: Reference,
    reference: Reference,
    catalog: Catalog,
) -> list[JsonObject]:
    """Return other ways to the reference's outcome, of attempts that nothing is against."""
    attempts = {
        row.trajectory_id: [
            stored_call(row.calls[index]) for index in _without_needless(row, planned)
        ]
        for row in candidates
        if row is not best
        and best.kept
        and row.drop_reason in (LOWER_REWARD, FAILS_TASK)
        and compare_states(reference, stored_attempt(row).end_states, 0).is_equal
    }
    return alternative_references(reference, attempts, catalog) if attempts else []


def _disclosures(queries: list[RefinedQuery]) -> list[JsonObject]:
    return [
        {"turn": query.turn, **item.model_dump(mode="json")}
        for query in queries
        for item in query.disclosures
    ]


def _functions(environment_ids: Sequence[str], catalog: Catalog) -> list[JsonObject]:
    return [
        tool.as_function()
        for environment_id in environment_ids
        for tool in catalog.load(environment_id).tools.values()
        if tool.actor == "agent"
    ]


def _reference_calls(
    queries: list[RefinedQuery],
    best: CandidateTrajectory,
    kept_calls: list[int],
    reference: Reference,
) -> list[JsonObject]:
    rows = cast("list[JsonObject]", reference_json(reference)["calls"])
    if len(rows) == len(kept_calls):
        turns = [best.calls[index]["turn"] for index in kept_calls]
    else:
        turns = [query.turn for query in queries for _ in query.calls]
    return [{"turn": turn, **row} for turn, row in zip(turns, rows, strict=True)]


def _messages(best: CandidateTrajectory, kept_calls: list[int]) -> list[JsonObject]:
    """Return the conversation without needless questions and the removed calls, numbered anew."""
    own = [index for index, call in enumerate(best.calls) if call.get("actor") != "user"]
    before = {index: number for number, index in enumerate(own)}
    kept = [index for index in kept_calls if index in before]
    numbers = {f"call_{before[index]}": f"call_{number}" for number, index in enumerate(kept)}
    messages: list[JsonObject] = []
    for message in _without_needless_questions(best.messages):
        calls = cast("list[JsonObject]", message.get("tool_calls") or [])
        if calls and calls[0]["id"] in numbers:
            renumbered = {**calls[0], "id": numbers[str(calls[0]["id"])]}
            messages.append({**message, "tool_calls": [renumbered]})
        elif message["role"] == "tool" and message["tool_call_id"] in numbers:
            own = numbers[str(message["tool_call_id"])]
            messages.append({**message, "tool_call_id": own})
        elif not calls and message["role"] != "tool":
            messages.append(message)
    return messages


def _without_needless_questions(messages: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Yield the messages but for those that were in vain, with what the user answered."""
    following = [*messages[1:], None]
    is_answer = False
    for message, after in zip(messages, following, strict=True):
        if is_answer:
            is_answer = False
        elif (
            after is not None
            and after["role"] == "user"
            and is_needless(str(after["content"]))
            and not any(cast("JsonObject", done)["ok"] for done in _done_by_user(after))
            and message["role"] == "assistant"
        ):
            is_answer = True
        else:
            yield message


def _done_by_user(message: JsonObject) -> list[JsonValue]:
    return cast("list[JsonValue]", message.get("actions") or [])


def _steps(messages: Sequence[JsonObject]) -> int:
    return sum(message["role"] == "assistant" for message in messages)


def _difficulty(steps: int, queries: list[RefinedQuery], solved_share: float) -> Difficulty:
    """Grade a task by its length, by what is kept back, and by how many attempts agree on it."""
    weight = steps + 2 * sum(len(query.disclosures) for query in queries) + len(queries)
    if weight <= 4 and solved_share >= 0.5:
        return "easy"
    return "medium" if weight <= 8 and solved_share >= 0.25 else "hard"
