"""How an asset is materialized: only what changed is made, and every version knows its parents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import dagster as dg
from pydantic import BaseModel, JsonValue

from envfactory_assets.metadata import counts, preview
from envfactory_assets.records.tables import TABLES
from envfactory_resources.clients.warehouse.batch import batch_of
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.version import Version
from sandboxes.core.canonical import content_hash

INPUTS_KEY = "envfactory/inputs"
"""Metadata by which the IO manager learns fingerprints and parents, by partition."""

Shown = Mapping[str, dg.MetadataValue]
ParentKey = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Made:
    """What a stage made for one partition.

    Attributes:
        rows: The rows, in order.
        rows_in: How many rows it made them from.
        dropped: What was dropped, counted by reason.
        shown: More for the asset page.
    """

    rows: Sequence[BaseModel]
    rows_in: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    shown: Shown = field(default_factory=dict[str, dg.MetadataValue])


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one asset is made.

    Attributes:
        parents: The asset partitions that a partition is made from.
        make: Makes the rows of a partition (None where the asset has none).
        settings: Whatever else the rows depend on.
        columns: The columns of the preview.
    """

    parents: Callable[[str | None], Sequence[ParentKey]]
    make: Callable[[str | None], Made]
    settings: Callable[[str | None], JsonValue]
    columns: Sequence[str]


def materialize(
    context: dg.AssetExecutionContext, warehouse: Warehouse, recipe: Recipe
) -> dg.MaterializeResult:
    """Make the partitions of a run whose inputs changed; take the others from the warehouse.

    The inputs are the code version, the settings and the data versions of the parents: when a
    partition was last made from the same, its rows are read instead of made.

    Raises:
        dagster.Failure: If a parent was never materialized.
    """
    asset = context.asset_key.path[-1]
    code = context.assets_def.code_versions_by_key[context.asset_key] or ""
    partitions = list(context.partition_keys) if context.has_partition_key else [None]
    rows: list[BaseModel] = []
    inputs: dict[str, JsonValue] = {}
    shown: dict[str, dg.MetadataValue] = {}
    reused: list[str] = []
    for partition in partitions:
        parents = [_parent(warehouse, key) for key in recipe.parents(partition)]
        fingerprint = content_hash(
            {
                "code": code,
                "settings": recipe.settings(partition),
                "parents": [f"{item.asset}:{item.data_version}" for item in parents],
            }
        )
        if warehouse.fingerprint(asset, partition) == fingerprint:
            made = Made(_read(warehouse, asset, partition))
            reused.append(partition or asset)
        else:
            context.log.info(f"Making {asset}{f'[{partition}]' if partition else ''}.")
            made = recipe.make(partition)
            shown |= counts(made.rows_in, len(made.rows), made.dropped) | dict(made.shown)
        rows += made.rows
        parent_ids: list[JsonValue] = [item.version_id for item in parents]
        inputs[partition or ""] = {"fingerprint": fingerprint, "parents": parent_ids}
    return dg.MaterializeResult(
        value=rows,
        data_version=dg.DataVersion(batch_of(rows, TABLES[asset]).data_version),
        metadata={
            **shown,
            "dagster/row_count": dg.MetadataValue.int(len(rows)),
            "preview": preview(rows, recipe.columns),
            "unchanged": dg.MetadataValue.text(", ".join(reused) or "none"),
            INPUTS_KEY: dg.MetadataValue.json(inputs),
        },
    )


def same_partition(*assets: str) -> Callable[[str | None], list[ParentKey]]:
    """Return a recipe's parents: the same partition of some assets."""
    return lambda partition: [(asset, partition) for asset in assets]


def _parent(warehouse: Warehouse, key: ParentKey) -> Version:
    version = warehouse.current(*key)
    if version is None:
        name = f"{key[0]}[{key[1]}]" if key[1] else key[0]
        raise dg.Failure(f"{name} was never materialized; materialize it first.")
    return version


def _read(warehouse: Warehouse, asset: str, partition: str | None) -> list[BaseModel]:
    partitions = [partition] if partition else None
    return list(warehouse.read(asset, TABLES[asset], partitions))
