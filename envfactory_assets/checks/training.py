"""Checks of the trained policies."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import one_of, row_count, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.training import TrainedPolicy


def _frame(rows: Sequence[TrainedPolicy], evidence: Evidence) -> Frame:
    return {
        "policy_id": [row.policy_id for row in rows],
        "has_checkpoint": [(evidence.warehouse.root / row.checkpoint).is_dir() for row in rows],
        "train_steps": [len(row.metrics) for row in rows],
    }


CHECKS = [
    table_check(
        asset,
        TrainedPolicy,
        "The checkpoint is there and training measured its steps.",
        _frame,
        [row_count(1), one_of("has_checkpoint", [True]), within("train_steps", 1, None)],
        is_partitioned=False,
    )
    for asset in ("sft_policy", "grpo_policy")
]
