"""The summary of a warehouse: the figures that the main job ends with, read by SQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envfactory_resources.clients.warehouse.client import Warehouse


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
    "environments verified": ("environments", "count(*) FILTER (verified)"),
    "tools verified": ("environments", "coalesce(sum(tool_count) FILTER (verified), 0)"),
    "edges kept": ("tool_graphs", "count(*) FILTER (kept)"),
    "cross-domain links": ("cross_domain_links", "count(*) FILTER (kept)"),
    "chains": ("sampled_chains", "count(*)"),
    "tasks": ("refined_queries", "count(DISTINCT task_id)"),
    "candidate trajectories": ("candidate_trajectories", "count(*)"),
    "trajectories kept": ("filtered_trajectories", "count(*) FILTER (kept)"),
    "trajectories dropped": ("filtered_trajectories", "count(*) FILTER (NOT kept)"),
    "references replayed": ("filtered_trajectories", "count(*) FILTER (kept AND replays)"),
    "SFT examples": ("sft_dataset", "count(*)"),
    "RL tasks": ("rl_dataset", "count(*)"),
}
_DROPPED = (
    "SELECT drop_reason AS name, count(*) AS n FROM filtered_trajectories "
    "WHERE NOT kept GROUP BY drop_reason ORDER BY drop_reason"
)
_REWARDS = "SELECT * FROM evaluation_report ORDER BY split, stage"


def summarize(warehouse: Warehouse) -> Summary:
    """Return the figures of the current versions; a table that is not there yet counts as empty.

    Raises:
        WarehouseError: If the warehouse cannot be read.
    """
    present = {version.asset for version in warehouse.versions()}
    if present:
        # A run that was killed may have left versions that no view shows yet.
        warehouse.publish()

    def rows(table: str, sql: str) -> list[dict[str, object]]:
        return warehouse.query(sql) if table in present else []

    def count(table: str, counted: str) -> int:
        found = rows(table, f"SELECT {counted} AS n FROM {table}")
        return int(str(found[0]["n"])) if found else 0

    rewards: dict[str, dict[str, float]] = {}
    for row in rows("evaluation_report", _REWARDS):
        # A report of an earlier version has no slices: all of its rows are whole splits.
        if row.get("slice_by", "all") != "all":
            continue
        rewards.setdefault(str(row["split"]), {})[str(row["stage"])] = float(str(row["reward"]))
    dropped = rows("filtered_trajectories", _DROPPED)
    return Summary(
        figures={name: count(*figure) for name, figure in _FIGURES.items()},
        dropped={str(row["name"]): int(str(row["n"])) for row in dropped},
        rewards=rewards,
        files={
            "warehouse": warehouse.snapshot_path,
            "datasets": warehouse.root / "exports",
            "checkpoints": warehouse.root / "checkpoints",
        },
    )
