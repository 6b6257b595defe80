"""Checks of the evaluations."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import row_count, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.training import EvaluationRow


def _frame(rows: Sequence[EvaluationRow], _: Evidence) -> Frame:
    return {
        "row": [f"{row.stage} on {row.split}, {row.slice}" for row in rows],
        "reward": [row.reward for row in rows],
        "pass_1": [row.pass_1 or 0.0 for row in rows],
        "gain_of_more_tries": [
            row.pass_k - row.pass_1 if row.pass_k is not None and row.pass_1 is not None else 0.0
            for row in rows
        ],
        "task_count": [row.task_count for row in rows],
        "fault_share": [row.fault_count / max(row.task_count, 1) for row in rows],
    }


CHECKS = [
    table_check(
        asset,
        EvaluationRow,
        "Rewards and pass@k lie in [0, 1], more tries never hurt, environment faults are rare.",
        _frame,
        [
            row_count(1),
            within("reward", 0, 1),
            within("pass_1", 0, 1),
            within("gain_of_more_tries", -1e-9, 1),
            within("task_count", 1, None),
            within("fault_share", 0, 0.05, "warning"),
        ],
        is_partitioned=False,
    )
    for asset in ("evaluation_report", "endpoint_evaluation")
]
