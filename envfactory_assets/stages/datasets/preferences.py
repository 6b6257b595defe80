"""Preference pairs: where a losing attempt parts from the reference, both ways to go on.

The prompt is what the two have in common, word for word, so a pair compares what the agent did and
nothing else. Each side ends where the user speaks again: what a user said is nothing to learn.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.datasets import DatasetTask, PreferencePair
from envfactory_assets.records.record import JsonObject, Record
from envfactory_assets.stages.trajectories.user_actions import as_heard

SMALL_MARGIN = "margin_too_small"
USERS_FAULT = "users_fault"
OTHER_PROMPT = "user_or_tool_said_otherwise"
PARTS_BY_ASKING = "loses_after_a_question_only"
HARMLESS = "parts_without_harm"

_Messages = Sequence[JsonObject]


class ChosenAttempt(Record):
    """The columns of a filtered trajectory that pairs are made from."""

    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    messages: tuple[JsonObject, ...]
    queries: tuple[str, ...]
    tools: tuple[JsonObject, ...]
    reward: float
    difficulty: str


class LosingAttempt(Record):
    """The columns of a candidate that pairs are made from."""

    trajectory_id: str
    task_id: str
    solver_policy: str
    messages: tuple[JsonObject, ...]
    calls: tuple[JsonObject, ...]
    reward: float
    kept: bool
    drop_reason: str | None
    made_by: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """The pairs, and the losing attempts that give none, counted by reason."""

    rows: list[PreferencePair]
    losing: int
    dropped: dict[str, int]


def preference_pairs(
    trajectories: Sequence[ChosenAttempt],
    candidates: Sequence[LosingAttempt],
    tasks: Sequence[DatasetTask],
    margin: float,
) -> Preferences:
    """Return a pair for every losing attempt that can be told from the reference by its reward.

    Args:
        trajectories: The references; those of tasks that the datasets do not hold are left out.
        candidates: The attempts.
        tasks: Say which tasks the datasets hold, and in which split.
        margin: By how much the reference's reward must exceed the attempt's.
    """
    held = {task.task_id: task for task in tasks if task.kept}
    by_task = {row.task_id: row for row in trajectories if row.task_id in held}
    rows: list[PreferencePair] = []
    dropped: Counter[str] = Counter()
    losing = [row for row in candidates if row.task_id in by_task and not row.kept]
    for rejected in sorted(losing, key=lambda row: row.trajectory_id):
        chosen = by_task[rejected.task_id]
        pair = _pair(chosen, rejected, held[chosen.task_id], margin)
        if isinstance(pair, str):
            dropped[pair] += 1
        else:
            rows.append(pair)
    return Preferences(rows, len(losing), dict(sorted(dropped.items())))


def _pair(
    chosen: ChosenAttempt, rejected: LosingAttempt, task: DatasetTask, margin: float
) -> PreferencePair | str:
    """Return the pair, or why there is none."""
    if (rejected.drop_reason or "").startswith("user_"):
        return USERS_FAULT
    if chosen.reward - rejected.reward < margin:
        return SMALL_MARGIN
    good, bad = _numbered(chosen.messages), _numbered(rejected.messages)
    common = next(
        (at for at, (one, other) in enumerate(zip(good, bad, strict=False)) if one != other),
        min(len(good), len(bad)),
    )
    good_end, bad_end = _stretch(good, common), _stretch(bad, common)
    if not good_end or not bad_end:
        return OTHER_PROMPT
    own = _calls(bad_end)
    heard = bad[common + len(bad_end) :][:1]
    if not own and heard and heard[0]["content"] not in chosen.queries and _calls(good_end):
        return PARTS_BY_ASKING
    before = len(_calls(bad[:common]))
    by_agent = [call for call in rejected.calls if call.get("actor") != "user"]
    made = by_agent[before : before + len(own)]
    if _is_harmless(_calls(good_end), own, made):
        return HARMLESS
    return _row(chosen, rejected, task, (good[:common], good_end, bad_end))


def _row(
    chosen: ChosenAttempt,
    rejected: LosingAttempt,
    task: DatasetTask,
    messages: tuple[_Messages, _Messages, _Messages],
) -> PreferencePair:
    prompt, good, bad = messages
    turn = _turn(prompt, chosen.queries)
    return PreferencePair(
        pair_id=f"{chosen.task_id}/{turn}/{rejected.solver_policy}",
        task_id=chosen.task_id,
        domain=chosen.domain,
        environment_ids=chosen.environment_ids,
        split=task.split,
        turn=turn,
        prompt=tuple(prompt),
        chosen=tuple(good),
        rejected=tuple(bad),
        tools=chosen.tools,
        chosen_reward=chosen.reward,
        rejected_reward=rejected.reward,
        margin=chosen.reward - rejected.reward,
        rejected_policy=rejected.solver_policy,
        difficulty=chosen.difficulty,
        made_by=rejected.made_by,
    )


def _stretch(messages: _Messages, start: int) -> list[JsonObject]:
    """Return what the agent does from a place on, until the user speaks; nothing if others do."""
    if start >= len(messages) or messages[start]["role"] != "assistant":
        return []
    ends = [at for at in range(start, len(messages)) if messages[at]["role"] == "user"]
    return list(messages[start : ends[0] if ends else len(messages)])


def _numbered(messages: _Messages) -> list[JsonObject]:
    """Return messages with the ids of calls numbered in order, so that two attempts compare."""
    names: dict[str, str] = {}
    numbered: list[JsonObject] = []
    for message in messages:
        calls = cast("list[JsonObject]", message.get("tool_calls") or [])
        for call in calls:
            names[str(call["id"])] = f"call_{len(names)}"
        if calls:
            renamed: list[JsonValue] = [{**call, "id": names[str(call["id"])]} for call in calls]
            numbered.append({**message, "tool_calls": renamed})
        elif message["role"] == "tool":
            own = names.get(str(message["tool_call_id"]), "")
            numbered.append({**message, "tool_call_id": own})
        else:
            numbered.append(as_heard(message))
    return numbered


def _calls(messages: _Messages) -> list[tuple[str, str]]:
    return [
        (str(function["name"]), str(function["arguments"]))
        for message in messages
        for call in cast("list[JsonObject]", message.get("tool_calls") or [])
        for function in [cast("JsonObject", call["function"])]
    ]


def _is_harmless(
    good: Sequence[tuple[str, str]],
    bad: Sequence[tuple[str, str]],
    made: Sequence[Mapping[str, JsonValue]],
) -> bool:
    """Return whether an attempt does all that the reference does here, and beyond only looks."""
    missing = Counter(good) - Counter(bad)
    more = Counter(bad) - Counter(good)
    writes = any(
        call["effect"] == "write" for own, call in zip(bad, made, strict=True) if own in more
    )
    return not missing and not writes and bool(good)


def _turn(prompt: _Messages, queries: Sequence[str]) -> int:
    """Return the turn that a prompt ends in: what else the user says answers questions."""
    begun = 0
    for message in prompt:
        is_request = begun < len(queries) and message.get("content") == queries[begun]
        begun += message["role"] == "user" and is_request
    return begun - 1
