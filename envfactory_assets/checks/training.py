"""Checks of the trained policies."""

from collections.abc import Sequence

from envfactory_assets.checks.suite import Frame, one_of, row_count, table_check, within
from envfactory_assets.records.training import TrainedPolicy
from envfactory_resources.clients.warehouse.client import Warehouse


def _frame(rows: Sequence[TrainedPolicy], warehouse: Warehouse) -> Frame:
    return {
        "has_checkpoint": [(warehouse.root / row.checkpoint).is_dir() for row in rows],
        "train_steps": [len(row.metrics) for row in rows],
    }


CHECKS = [
    table_check(
        asset,
        "The checkpoint is there and training measured its steps.",
        _frame,
        [row_count(1), one_of("has_checkpoint", [True]), within("train_steps", 1, None)],
        is_partitioned=False,
    )
    for asset in ("sft_policy", "grpo_policy")
]
