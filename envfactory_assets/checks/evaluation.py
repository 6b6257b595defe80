"""Checks of `evaluation_report`."""

from collections.abc import Sequence

from envfactory_assets.checks.suite import Frame, row_count, table_check, within
from envfactory_assets.records.training import EvaluationRow
from envfactory_resources.clients.warehouse.client import Warehouse


def _frame(rows: Sequence[EvaluationRow], _: Warehouse) -> Frame:
    return {
        "reward": [row.reward for row in rows],
        "task_count": [row.task_count for row in rows],
        "fault_share": [row.fault_count / max(row.task_count, 1) for row in rows],
    }


CHECKS = [
    table_check(
        "evaluation_report",
        "Rewards lie in [0, 1], and environment faults are rare.",
        _frame,
        [
            row_count(1),
            within("reward", 0, 1),
            within("task_count", 1, None),
            within("fault_share", 0, 0.05, "warning"),
        ],
        is_partitioned=False,
    )
]
