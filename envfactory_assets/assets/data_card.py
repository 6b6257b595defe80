"""The asset of the data card."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize
from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.stages.data_card.card import FILES, card_figures, card_text, write_card
from envfactory_assets.stages.data_card.sections import card_sections
from envfactory_assets.stages.data_card.sources import (
    AttemptColumns,
    CardSources,
    DraftColumns,
    EnvironmentColumns,
    QueryColumns,
    ReferenceColumns,
    SplitColumn,
    VersionLine,
)
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.stored_rows import rows_of

_TABLES = (
    "environments",
    "sampled_chains",
    "draft_queries",
    "refined_queries",
    "candidate_trajectories",
    "filtered_trajectories",
)


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"markdown"},
    code_version=code_version(
        "envfactory_assets.stages.data_card", "envfactory_assets.stages.datasets"
    ),
    # The datasets alone: they are made from the other tables, and the card comes after them.
    deps=FILES,
    ins=rows_of("dataset_tasks"),
)
def data_card(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    dataset_tasks: Sequence[DatasetTask],
) -> dg.MaterializeResult:
    """What the datasets hold and how they came about, every figure counted from the tables."""
    exports = Home(warehouse.root).exports
    paths = {name: exports / name / "README.md" for name in FILES}

    def make(_: str | None) -> Made:
        sources = _sources(warehouse, profile, dataset_tasks)
        sections = card_sections(sources)
        texts = {name: card_text(sections, name, sources.splits[name]) for name in FILES}
        files = [str(write_card(texts[name], path)) for name, path in paths.items()]
        shown = {
            "card": dg.MetadataValue.md(texts["sft_dataset"]),
            "files": dg.MetadataValue.json(files),
        }
        return Made(card_figures(sections), len(dataset_tasks), {}, shown)

    def settings(_: str | None) -> JsonValue:
        return [profile.name, profile.seed, *profile.held_out_environments, "/", *_scanned(profile)]

    recipe = Recipe(
        parents=lambda _: _current(warehouse),
        make=make,
        settings=settings,
        columns=("section", "name", "value"),
        has_files=lambda _: all(path.exists() for path in paths.values()),
    )
    return materialize(context, warehouse, recipe)


def _current(warehouse: Warehouse) -> list[ParentKey]:
    own = {*_TABLES, "dataset_tasks", *FILES}
    present = {(each.asset, each.partition) for each in warehouse.versions() if each.asset in own}
    return sorted(present, key=lambda key: (key[0], key[1] or ""))


def _sources(warehouse: Warehouse, profile: Profile, tasks: Sequence[DatasetTask]) -> CardSources:
    versions = [
        version for key in _current(warehouse) if (version := warehouse.current(*key)) is not None
    ]
    return CardSources(
        profile=profile.name,
        seed=profile.seed,
        held_out=profile.held_out_environments,
        contamination_files=_scanned(profile),
        chain_count=sum(each.row_count for each in versions if each.asset == "sampled_chains"),
        tasks=tasks,
        environments=warehouse.read("environments", EnvironmentColumns),
        drafts=warehouse.read("draft_queries", DraftColumns),
        queries=warehouse.read("refined_queries", QueryColumns),
        attempts=warehouse.read("candidate_trajectories", AttemptColumns),
        references=warehouse.read("filtered_trajectories", ReferenceColumns),
        splits={
            name: dict(
                sorted(Counter(row.split for row in warehouse.read(name, SplitColumn)).items())
            )
            for name in FILES
        },
        versions=[
            VersionLine(
                each.asset,
                each.partition or "",
                each.row_count,
                each.data_version,
                each.code_version,
            )
            for each in versions
        ],
    )


def _scanned(profile: Profile) -> list[str]:
    return [Path(name).name for name in profile.contamination_files]
