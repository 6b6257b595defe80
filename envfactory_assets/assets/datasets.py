"""The assets of both datasets: tables, and files for trainers."""

from collections.abc import Callable, Sequence
from pathlib import Path

import dagster as dg

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize
from envfactory_assets.partitions import DOMAINS
from envfactory_assets.records.datasets import RlTask, SftExample
from envfactory_assets.records.trajectories import FilteredTrajectory
from envfactory_assets.stages.datasets.building import rl_tasks, sft_examples
from envfactory_assets.stages.datasets.exports import write_rl, write_sft
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of

_CODE = code_version(
    "envfactory_assets.stages.datasets",
    "envfactory_assets.stages.trajectories",
    "envfactory_assets.stages.reward",
    "envfactory_assets.stages.queries",
    "envfactory_assets.stages.model_role",
    "sandboxes.core",
)


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"jsonl"},
    code_version=_CODE,
    ins=rows_of("filtered_trajectories"),
)
def sft_dataset(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    filtered_trajectories: Sequence[FilteredTrajectory],
) -> dg.MaterializeResult:
    """One conversation to imitate for every kept trajectory; also JSONL files by split."""
    folder = Home(warehouse.root).exports / "sft_dataset"

    def make(_: str | None) -> Made:
        rows = sft_examples(filtered_trajectories, profile.held_out_environments)
        files = write_sft(rows, folder)
        return _made(rows, filtered_trajectories, files)

    recipe = Recipe(
        parents=_present_domains(warehouse),
        make=make,
        settings=lambda _: list(profile.held_out_environments),
        columns=("example_id", "split", "environment_ids", "assistant_turns", "difficulty"),
        has_files=lambda _: any(folder.glob("*")),
    )
    return materialize(context, warehouse, recipe)


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"jsonl", "parquet"},
    code_version=_CODE,
    ins=rows_of("filtered_trajectories"),
)
def rl_dataset(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    filtered_trajectories: Sequence[FilteredTrajectory],
) -> dg.MaterializeResult:
    """One task a turn of every kept trajectory; also JSONL and verl's Parquet files by split."""
    catalog = session_catalog(warehouse, sandbox_pool)
    folder = Home(warehouse.root).exports / "rl_dataset"

    def make(_: str | None) -> Made:
        rows = rl_tasks(filtered_trajectories, catalog, profile.held_out_environments)
        files = write_rl(rows, folder)
        return _made(rows, filtered_trajectories, files)

    settings = source_hashes(
        catalog, warehouse, "filtered_trajectories", profile.held_out_environments
    )
    recipe = Recipe(
        parents=_present_domains(warehouse),
        make=make,
        settings=settings,
        columns=("row_id", "split", "environment_ids", "turn", "difficulty"),
        has_files=lambda _: any(folder.glob("*")),
    )
    return materialize(context, warehouse, recipe)


def _present_domains(warehouse: Warehouse) -> Callable[[str | None], Sequence[ParentKey]]:
    def parents(_: str | None) -> Sequence[ParentKey]:
        return [
            ("filtered_trajectories", domain)
            for domain in DOMAINS.get_partition_keys()
            if warehouse.current("filtered_trajectories", domain)
        ]

    return parents


def _made(
    rows: Sequence[SftExample] | Sequence[RlTask],
    trajectories: Sequence[FilteredTrajectory],
    files: Sequence[Path],
) -> Made:
    splits = [row.split for row in rows]
    shown = {
        "rows_by_split": dg.MetadataValue.json(
            {split: splits.count(split) for split in sorted(set(splits))}
        ),
        "files": dg.MetadataValue.json([str(path) for path in files]),
    }
    dropped = sum(not row.kept for row in trajectories)
    return Made(rows, len(trajectories), {"trajectory_not_kept": dropped} if dropped else {}, shown)
