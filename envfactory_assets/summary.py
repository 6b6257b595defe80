"""The summary of a warehouse: the figures that the main job ends with, read by SQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import WarehouseError


@dataclass(frozen=True, slots=True)
class Summary:
    """What the current versions hold.

    Attributes:
        figures: Numbers by name.
        dropped: Tasks that were dropped, by reason.
        rewards: Mean reward by split and stage of training.
        files: Where things are.
    """

    figures: Mapping[str, int]
    dropped: Mapping[str, int]
    rewards: Mapping[str, Mapping[str, float]]
    files: Mapping[str, Path]


_FIGURES = {
    "environments verified": "SELECT count(*) AS n FROM environments WHERE verified",
    "tools verified": "SELECT coalesce(sum(tool_count), 0) AS n FROM environments WHERE verified",
    "edges kept": "SELECT count(*) AS n FROM tool_graphs WHERE kept",
    "cross-domain links": "SELECT count(*) AS n FROM cross_domain_links WHERE kept",
    "chains": "SELECT count(*) AS n FROM sampled_chains",
    "tasks": "SELECT count(DISTINCT task_id) AS n FROM refined_queries",
    "candidate trajectories": "SELECT count(*) AS n FROM candidate_trajectories",
    "trajectories kept": "SELECT count(*) AS n FROM filtered_trajectories WHERE kept",
    "trajectories dropped": "SELECT count(*) AS n FROM filtered_trajectories WHERE NOT kept",
    "references replayed": (
        "SELECT count(*) AS n FROM filtered_trajectories WHERE kept AND replays"
    ),
    "SFT examples": "SELECT count(*) AS n FROM sft_dataset",
    "RL tasks": "SELECT count(*) AS n FROM rl_dataset",
}
_DROPPED = (
    "SELECT drop_reason AS name, count(*) AS n FROM filtered_trajectories "
    "WHERE NOT kept GROUP BY drop_reason ORDER BY drop_reason"
)
_REWARDS = "SELECT split, stage, reward FROM evaluation_report ORDER BY split, stage"


def summarize(warehouse: Warehouse) -> Summary:
    """Return the figures of the current versions; a table that is not there yet counts as empty."""
    rewards: dict[str, dict[str, float]] = {}
    for row in _rows(warehouse, _REWARDS):
        rewards.setdefault(str(row["split"]), {})[str(row["stage"])] = float(str(row["reward"]))
    return Summary(
        figures={name: _count(warehouse, sql) for name, sql in _FIGURES.items()},
        dropped={str(row["name"]): int(str(row["n"])) for row in _rows(warehouse, _DROPPED)},
        rewards=rewards,
        files={
            "warehouse": warehouse.snapshot_path,
            "datasets": warehouse.root / "exports",
            "checkpoints": warehouse.root / "checkpoints",
        },
    )


def _count(warehouse: Warehouse, sql: str) -> int:
    rows = _rows(warehouse, sql)
    return int(str(rows[0]["n"])) if rows else 0


def _rows(warehouse: Warehouse, sql: str) -> list[dict[str, object]]:
    try:
        return warehouse.query(sql)
    except WarehouseError:
        return []
