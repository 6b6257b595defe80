"""The assets of the datasets: which tasks they hold, tables, and files for trainers."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import dagster as dg

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize
from envfactory_assets.metadata import markdown_table, picture
from envfactory_assets.partitions import DOMAINS
from envfactory_assets.records.datasets import DatasetTask, PreferencePair, RlTask, SftExample
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.datasets.building import rl_tasks, sft_examples
from envfactory_assets.stages.datasets.contamination import questions_of, questions_text
from envfactory_assets.stages.datasets.distribution_picture import draw_distribution
from envfactory_assets.stages.datasets.exports import write_preferences, write_rl, write_sft
from envfactory_assets.stages.datasets.preferences import (
    ChosenAttempt,
    LosingAttempt,
    preference_pairs,
)
from envfactory_assets.stages.datasets.selection import (
    NOT_KEPT,
    ProvenTask,
    Selection,
    held_trajectories,
    select_tasks,
)
from envfactory_assets.stages.viewing.corpus import Corpus, DraftMaker, ShownTurn
from envfactory_assets.stages.viewing.writing import write_viewer
from envfactory_resources.clients.warehouse.batch import batch_of
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog

_CODE = code_version(
    "envfactory_assets.stages.datasets",
    "envfactory_assets.stages.trajectories",
    "envfactory_assets.stages.reward",
    "envfactory_assets.stages.queries",
    "envfactory_assets.stages.model_role",
    "envfactory_assets.stages.viewing",
    "sandboxes.core",
)
_SHOWN = ("draft_queries", "refined_queries", "candidate_trajectories")


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"python"},
    code_version=code_version("envfactory_assets.stages.datasets", "sandboxes.core"),
    deps=["filtered_trajectories"],
)
def dataset_tasks(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
) -> dg.MaterializeResult:
    """Which proven tasks the datasets hold: none contaminated, none twice, distributed as asked."""
    settings = profile.datasets
    paths = [warehouse.root / name for name in profile.contamination_files]
    texts = [questions_text(path) for path in paths]

    def make(_: str | None) -> Made:
        files = [
            questions_of(path.name, text, settings.contamination_words)
            for path, text in zip(paths, texts, strict=True)
        ]
        proven = warehouse.read("filtered_trajectories", ProvenTask)
        selection = select_tasks(proven, settings, files)
        return Made(selection.rows, len(proven), selection.dropped, _shown(selection))

    recipe = Recipe(
        parents=_present_domains(warehouse),
        make=make,
        settings=lambda _: [settings.model_dump(mode="json"), *map(content_hash, texts)],
        columns=("task_id", "split", "kept", "drop_reason", "matched", "turns", "tool_calls"),
    )
    return materialize(context, warehouse, recipe)


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"jsonl"},
    code_version=_CODE,
    ins=rows_of("filtered_trajectories", "dataset_tasks"),
)
def sft_dataset(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    filtered_trajectories: Sequence[FilteredTrajectory],
    dataset_tasks: Sequence[DatasetTask],
) -> dg.MaterializeResult:
    """One conversation to imitate for every kept trajectory; also JSONL files by split."""
    folder = Home(warehouse.root).exports / "sft_dataset"

    def make(_: str | None) -> Made:
        held = held_trajectories(filtered_trajectories, dataset_tasks)
        rows = sft_examples(held, profile.held_out_environments)
        files = write_sft(rows, folder)
        return _made(rows, filtered_trajectories, dataset_tasks, files)

    recipe = Recipe(
        parents=_with_tasks(warehouse),
        make=make,
        settings=lambda _: list(profile.held_out_environments),
        columns=("example_id", "split", "environment_ids", "assistant_turns", "difficulty"),
        has_files=lambda _: any(folder.glob("*.jsonl")),
    )
    return materialize(context, warehouse, recipe)


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"jsonl", "parquet"},
    code_version=_CODE,
    deps=_SHOWN,
    ins=rows_of("filtered_trajectories", "dataset_tasks"),
)
def rl_dataset(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    filtered_trajectories: Sequence[FilteredTrajectory],
    dataset_tasks: Sequence[DatasetTask],
) -> dg.MaterializeResult:
    """One task a turn of every kept trajectory; also files by split, and a page to read them on."""
    catalog = session_catalog(warehouse, sandbox_pool)
    folder = Home(warehouse.root).exports / "rl_dataset"

    def make(_: str | None) -> Made:
        held = held_trajectories(filtered_trajectories, dataset_tasks)
        rows = rl_tasks(held, catalog, profile.held_out_environments)
        files = write_rl(rows, folder)
        made = _made(rows, filtered_trajectories, dataset_tasks, files)
        shown = _page(rows, warehouse, filtered_trajectories, dataset_tasks, catalog)
        return replace(made, shown={**made.shown, **shown})

    settings = source_hashes(
        catalog, warehouse, "filtered_trajectories", profile.held_out_environments
    )
    recipe = Recipe(
        parents=_with_tasks(warehouse, *_SHOWN),
        make=make,
        settings=settings,
        columns=("row_id", "split", "environment_ids", "turn", "difficulty"),
        has_files=lambda _: any(folder.glob("*.jsonl")) and _has_page(warehouse),
    )
    return materialize(context, warehouse, recipe)


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"jsonl"},
    code_version=code_version("envfactory_assets.stages.datasets"),
    deps=["candidate_trajectories", "filtered_trajectories"],
    ins=rows_of("dataset_tasks"),
)
def preference_dataset(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    dataset_tasks: Sequence[DatasetTask],
) -> dg.MaterializeResult:
    """Two ways to go on from the same prompt, one of them better; also JSONL files by split."""
    folder = Home(warehouse.root).exports / "preference_dataset"
    margin = profile.datasets.preference_margin

    def make(_: str | None) -> Made:
        chosen = warehouse.read("filtered_trajectories", ChosenAttempt)
        attempts = warehouse.read("candidate_trajectories", LosingAttempt)
        pairs = preference_pairs(chosen, attempts, dataset_tasks, margin)
        files = write_preferences(pairs.rows, folder)
        return Made(pairs.rows, pairs.losing, pairs.dropped, _pairs_shown(pairs.rows, files))

    recipe = Recipe(
        parents=_with_tasks(warehouse, "candidate_trajectories"),
        make=make,
        settings=lambda _: margin,
        columns=("pair_id", "split", "chosen_reward", "rejected_reward", "rejected_policy"),
        has_files=lambda _: any(folder.glob("*.jsonl")),
    )
    return materialize(context, warehouse, recipe)


def _present_domains(
    warehouse: Warehouse, *more: str
) -> Callable[[str | None], Sequence[ParentKey]]:
    """Return a recipe's parents: every domain of the trajectories, and of more assets."""

    def parents(_: str | None) -> Sequence[ParentKey]:
        return [
            (asset, domain)
            for asset in ("filtered_trajectories", *more)
            for domain in DOMAINS.get_partition_keys()
            if warehouse.current(asset, domain)
        ]

    return parents


def _with_tasks(warehouse: Warehouse, *more: str) -> Callable[[str | None], Sequence[ParentKey]]:
    present = _present_domains(warehouse, *more)
    return lambda partition: [*present(partition), ("dataset_tasks", None)]


def _made(
    rows: Sequence[SftExample] | Sequence[RlTask],
    trajectories: Sequence[FilteredTrajectory],
    tasks: Sequence[DatasetTask],
    files: Sequence[Path],
) -> Made:
    shown = {
        "rows_by_split": dg.MetadataValue.json(_counted([row.split for row in rows])),
        "files": dg.MetadataValue.json([str(path) for path in files]),
    }
    dropped = _counted([task.drop_reason for task in tasks if task.drop_reason])
    not_kept = sum(not row.kept for row in trajectories)
    return Made(
        rows, len(trajectories), dropped | ({NOT_KEPT: not_kept} if not_kept else {}), shown
    )


def _page(
    rows: Sequence[RlTask],
    warehouse: Warehouse,
    trajectories: Sequence[FilteredTrajectory],
    tasks: Sequence[DatasetTask],
    catalog: Catalog,
) -> dict[str, dg.MetadataValue]:
    """Write the page on which a person reads this version, and return where it is."""
    path = _page_path(warehouse, batch_of(rows, RlTask).data_version)
    corpus = Corpus(
        filtered=trajectories,
        candidates=warehouse.read("candidate_trajectories", CandidateTrajectory),
        queries=warehouse.read("refined_queries", ShownTurn),
        drafts=warehouse.read("draft_queries", DraftMaker),
        selected=tasks,
        title=path.stem.replace("trajectories.", "rl_dataset "),
    )
    write_viewer(path, corpus, catalog)
    return {
        "trajectories": dg.MetadataValue.path(str(path)),
        "read_trajectories": dg.MetadataValue.url(path.as_uri()),
    }


def _page_path(warehouse: Warehouse, data_version: str) -> Path:
    folder = Home(warehouse.root).exports / "rl_dataset"
    return folder / f"trajectories.{data_version[:12]}.html"


def _has_page(warehouse: Warehouse) -> bool:
    version = warehouse.current("rl_dataset", None)
    return version is not None and _page_path(warehouse, version.data_version).exists()


def _pairs_shown(
    rows: Sequence[PreferencePair], files: Sequence[Path]
) -> dict[str, dg.MetadataValue]:
    return {
        "rows_by_split": dg.MetadataValue.json(_counted([row.split for row in rows])),
        "rows_by_policy": dg.MetadataValue.json(_counted([row.rejected_policy for row in rows])),
        "files": dg.MetadataValue.json([str(path) for path in files]),
    }


def _counted(names: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _shown(selection: Selection) -> dict[str, dg.MetadataValue]:
    head = ("to train on", "target", "as sampled", "in the dataset", "met")
    compared = [
        (
            item.name,
            "none" if item.target is None else item.target,
            item.before,
            item.after,
            {True: "yes", False: "NO", None: ""}[item.is_met],
        )
        for item in selection.comparisons
    ]
    return {
        "distribution": dg.MetadataValue.md(markdown_table(head, compared)),
        "distribution_picture": picture(draw_distribution(selection.rows, selection.comparisons)),
        "contamination": dg.MetadataValue.json(selection.contamination),
        "tasks_by_split": dg.MetadataValue.json(
            _counted([row.split for row in selection.rows if row.kept])
        ),
    }
