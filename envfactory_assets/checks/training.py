"""Checks of the trained policies."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from envfactory_assets.checks.expectations import one_of, row_count, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.training import TrainedPolicy
from envfactory_resources.clients.warehouse.client import Warehouse


def _frame(rows: Sequence[TrainedPolicy], evidence: Evidence) -> Frame:
    return {
        "policy_id": [row.policy_id for row in rows],
        "has_checkpoint": [(evidence.warehouse.root / row.checkpoint).is_dir() for row in rows],
        "train_steps": [len(row.metrics) for row in rows],
    }


def _missing_checkpoints(asset: str) -> Callable[[Warehouse], JsonValue]:
    """Return what to watch: a checkpoint can be lost while its row stays."""

    def watch(warehouse: Warehouse) -> JsonValue:
        rows = warehouse.read(asset, TrainedPolicy)
        return [row.policy_id for row in rows if not (warehouse.root / row.checkpoint).is_dir()]

    return watch


CHECKS = [
    table_check(
        asset,
        TrainedPolicy,
        "The checkpoint is there and training measured its steps.",
        _frame,
        [row_count(1), one_of("has_checkpoint", [True]), within("train_steps", 1, None)],
        is_partitioned=False,
        watch=_missing_checkpoints(asset),
    )
    for asset in ("sft_policy", "grpo_policy")
]
