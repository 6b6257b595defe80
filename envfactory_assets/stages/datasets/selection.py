"""Which proven tasks the datasets hold: none contaminated, none twice, distributed as asked for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.records.record import JsonObject, Record
from envfactory_assets.records.trajectories import FilteredTrajectory
from envfactory_assets.stages.datasets.contamination import BenchmarkQuestions, contaminated
from envfactory_assets.stages.datasets.distribution import (
    MEASURES,
    aims_of,
    chosen_for,
    difficulty_measure,
)
from envfactory_assets.stages.datasets.near_duplicates import Asked, near_duplicates
from envfactory_assets.stages.datasets.settings import DatasetSettings
from envfactory_assets.stages.datasets.splits import split_of
from sandboxes.core.canonical import content_hash

CONTAMINATED = "contaminated"
SAME_PROBLEM = "near_duplicate_within_split"
NEAR_OTHER_SPLIT = "near_duplicate_across_splits"
OVER_TARGET = "over_distribution_target"
NOT_KEPT = "trajectory_not_kept"

_DIFFICULTIES = ("easy", "medium", "hard")


class ProvenTask(Record):
    """The columns of a filtered trajectory that the selection reads."""

    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    turns: int
    messages: tuple[JsonObject, ...]
    queries: tuple[str, ...]
    scenario: JsonObject
    reference_calls: tuple[JsonObject, ...]
    kept: bool
    difficulty: str
    made_by: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One average of the tasks to train on.

    Attributes:
        name: What it is of.
        target: What was asked for; None where nothing was.
        before: Of all of them.
        after: Of those that stay.
        is_met: Whether it is within the tolerance; None without a target.
    """

    name: str
    target: float | None
    before: float
    after: float
    is_met: bool | None


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows of `dataset_tasks`, and what to say about them.

    Attributes:
        rows: One for every task whose trajectory was kept, in order of task id.
        dropped: Tasks that the datasets do not hold, counted by reason.
        contamination: By file: its questions, and the tasks dropped for one of them.
        comparisons: The averages of the tasks to train on, before and after.
    """

    rows: list[DatasetTask]
    dropped: dict[str, int]
    contamination: dict[str, dict[str, int]]
    comparisons: list[Comparison]


def select_tasks(
    tasks: Iterable[ProvenTask], settings: DatasetSettings, files: Sequence[BenchmarkQuestions] = ()
) -> Selection:
    """Return which tasks the datasets hold, and why not the others.

    What is contaminated goes first, then near-duplicates, then what is over a target; targets hold
    for the tasks to train on only, so that a test stays the same whatever the targets are.

    Args:
        tasks: The filtered trajectories, those not kept included.
        settings: The rules.
        files: Questions of public benchmarks.
    """
    given = sorted(tasks, key=lambda task: task.task_id)
    proven = [task for task in given if task.kept]
    rows = {task.task_id: _row(task, settings) for task in proven}
    found = contaminated({task.task_id: task.queries for task in proven}, files)
    for task_id, place in found.items():
        rows[task_id] = _dropped(rows[task_id], CONTAMINATED, place)
    asked = [_asked(task, rows[task.task_id]) for task in proven if rows[task.task_id].kept]
    alike = near_duplicates(asked, settings.similarity_within, settings.similarity_across)
    for task_id, duplicate in alike.items():
        reason = NEAR_OTHER_SPLIT if duplicate.is_across else SAME_PROBLEM
        row = _dropped(rows[task_id], reason, duplicate.of_task)
        rows[task_id] = row.model_copy(update={"similarity": round(duplicate.similarity, 4)})
    trained = [row for row in rows.values() if row.kept and row.split == "train"]
    if settings.targets is not None:
        stays = chosen_for(trained, settings.targets)
        for row in trained:
            if row.task_id not in stays:
                rows[row.task_id] = _dropped(row, OVER_TARGET, None)
    reasons = Counter(row.drop_reason for row in rows.values() if row.drop_reason)
    reasons[NOT_KEPT] = len(given) - len(proven)
    return Selection(
        rows=list(rows.values()),
        dropped={reason: count for reason, count in sorted(reasons.items()) if count},
        contamination=_by_file(found.values(), files),
        comparisons=_comparisons(trained, [rows[row.task_id] for row in trained], settings),
    )


def held_trajectories(
    trajectories: Iterable[FilteredTrajectory], tasks: Iterable[DatasetTask]
) -> list[FilteredTrajectory]:
    """Return the trajectories of the tasks that the datasets hold."""
    held = {task.task_id for task in tasks if task.kept}
    return [row for row in trajectories if row.kept and row.task_id in held]


def _row(task: ProvenTask, settings: DatasetSettings) -> DatasetTask:
    tools = tuple(str(call["tool"]) for call in task.reference_calls)
    roles = [message["role"] for message in task.messages]
    calls = [cast("list[JsonValue]", item.get("tool_calls") or []) for item in task.messages]
    return DatasetTask(
        task_id=task.task_id,
        domain=task.domain,
        environment_ids=task.environment_ids,
        split=split_of(tools, task.environment_ids, settings.held_out),
        kept=True,
        drop_reason=None,
        matched=None,
        similarity=None,
        turns=task.turns,
        steps=roles.count("assistant"),
        tool_calls=sum(map(len, calls)),
        user_interactions=roles.count("user") - task.turns,
        tools=tools,
        difficulty=task.difficulty,
        made_by=task.made_by,
    )


def _dropped(row: DatasetTask, reason: str, matched: str | None) -> DatasetTask:
    return row.model_copy(update={"kept": False, "drop_reason": reason, "matched": matched})


def _asked(task: ProvenTask, row: DatasetTask) -> Asked:
    calls: list[JsonValue] = [[call["tool"], call["arguments"]] for call in task.reference_calls]
    problem = content_hash([task.scenario["states"], calls])
    return Asked(task.task_id, row.split, "\n".join(task.queries), problem)


def _by_file(
    places: Iterable[str], files: Sequence[BenchmarkQuestions]
) -> dict[str, dict[str, int]]:
    hits = Counter(place.rpartition(":")[0] for place in places)
    return {file.name: {"questions": file.count, "tasks": hits[file.name]} for file in files}


def _comparisons(
    before: Sequence[DatasetTask], after: Sequence[DatasetTask], settings: DatasetSettings
) -> list[Comparison]:
    stay = [row for row in after if row.kept]
    aims = {aim.measure.name: aim for aim in aims_of(settings.targets)} if settings.targets else {}
    compared: list[Comparison] = []
    for measure in (*MEASURES, *map(difficulty_measure, _DIFFICULTIES)):
        aim = aims.get(measure.name)
        row = Comparison(measure.name, None, measure.of(before), measure.of(stay), None)
        if aim is not None:
            is_met = abs(row.after - aim.target) <= aim.allowed + 1e-9
            row = replace(row, target=aim.target, is_met=is_met)
        compared.append(row)
    return compared
