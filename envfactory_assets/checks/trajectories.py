"""Checks of `candidate_trajectories` and `filtered_trajectories`."""

from collections import Counter
from collections.abc import Sequence

from envfactory_assets.checks.expectations import (
    all_zero,
    mean_at_least,
    one_of,
    row_count,
    unique,
    within,
)
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.trajectories.recorded import replays_as_recorded


def _candidates(rows: Sequence[CandidateTrajectory], _: Evidence) -> Frame:
    kept = Counter(row.task_id for row in rows if row.kept)
    return {
        "trajectory_id": [row.trajectory_id for row in rows],
        "reward": [row.reward for row in rows],
        "is_explained": [row.kept or bool(row.drop_reason) for row in rows],
        "kept_of_task": [kept[row.task_id] for row in rows],
    }


def _filtered(rows: Sequence[FilteredTrajectory], evidence: Evidence) -> Frame:
    catalog = evidence.catalog()
    return {
        "trajectory_id": [row.trajectory_id for row in rows],
        "is_explained": [row.kept or bool(row.drop_reason) for row in rows],
        "kept": [float(row.kept) for row in rows],
        # Not the row's own word for it: every reference is run again.
        "kept_without_replay": [
            int(row.kept and not (row.replays and replays_as_recorded(row, catalog)))
            for row in rows
        ],
        "kept_do_nothing_reward": [row.do_nothing_reward if row.kept else 0.0 for row in rows],
        "kept_reward": [row.reward if row.kept else 1.0 for row in rows],
        "kept_without_calls": [int(row.kept and not row.reference_calls) for row in rows],
    }


CHECKS = [
    table_check(
        "candidate_trajectories",
        CandidateTrajectory,
        "Rewards lie in [0, 1], at most one candidate of a task is kept, drops have a reason.",
        _candidates,
        [
            row_count(1),
            unique("trajectory_id"),
            within("reward", 0, 1),
            one_of("is_explained", [True]),
            within("kept_of_task", 0, 1),
        ],
    ),
    table_check(
        "filtered_trajectories",
        FilteredTrajectory,
        "Every kept reference replays to its recorded end state, and doing nothing earns nothing.",
        _filtered,
        [
            row_count(1),
            unique("trajectory_id"),
            one_of("is_explained", [True]),
            all_zero("kept_without_replay"),
            within("kept_do_nothing_reward", 0, 0.05),
            within("kept_reward", 0.999, 1),
            all_zero("kept_without_calls"),
            mean_at_least("kept", 0.6),
        ],
    ),
]
