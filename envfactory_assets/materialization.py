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
from envfactory_resources.warehouse import INPUTS_KEY
from sandboxes.core.canonical import content_hash

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
        has_files: Whether the files that `make` writes beside the rows are there; where they are
            not, the rows are made again.
    """

    parents: Callable[[str | None], Sequence[ParentKey]]
    make: Callable[[str | None], Made]
    settings: Callable[[str | None], JsonValue]
    columns: Sequence[str]
    has_files: Callable[[str | None], bool] = lambda _: True


def materialize(
    context: dg.AssetExecutionContext, warehouse: Warehouse, recipe: Recipe
) -> dg.MaterializeResult:
    """Make the partitions of a run whose inputs changed; leave the others as they are.

    The inputs are the code version, the settings and the data versions of the parents: when a
    partition was last made from the same, nothing is read or made, and the IO manager is told of
    the other partitions only. Each partition shows its own counts; Dagster keeps one data version
    a run, so that of a run of several partitions covers them together. In the warehouse each
    partition has its own.

    Raises:
        dagster.Failure: If a parent was never materialized.
    """
    asset = context.asset_key.path[-1]
    rows: list[BaseModel] = []
    data_versions: list[JsonValue] = []
    inputs: dict[str, JsonValue] = {}
    for partition in context.partition_keys if context.assets_def.partitions_def else [None]:
        parents = [_parent(warehouse, key) for key in recipe.parents(partition)]
        fingerprint = _fingerprint(context, parents, recipe.settings(partition))
        current = warehouse.current(asset, partition)
        is_known = warehouse.fingerprint(asset, partition) == fingerprint
        if current is not None and is_known and recipe.has_files(partition):
            shown = _unchanged(context, warehouse, recipe, current)
            data_versions.append(current.data_version)
        else:
            context.log.info(f"Making {_name(asset, partition)}.")
            made = recipe.make(partition)
            shown = _shown(made, recipe.columns)
            data_versions.append(batch_of(made.rows, TABLES[asset]).data_version)
            rows += made.rows
            parent_ids: list[JsonValue] = [parent.version_id for parent in parents]
            inputs[partition or ""] = {"fingerprint": fingerprint, "parents": parent_ids}
        context.add_asset_metadata(shown, partition_key=partition)
    together = data_versions[0] if len(data_versions) == 1 else content_hash(data_versions)
    return dg.MaterializeResult(
        value=rows,
        data_version=dg.DataVersion(str(together)),
        metadata={INPUTS_KEY: dg.MetadataValue.json(inputs)},
    )


def same_partition(*assets: str) -> Callable[[str | None], list[ParentKey]]:
    """Return a recipe's parents: the same partition of some assets."""
    return lambda partition: [(asset, partition) for asset in assets]


def _fingerprint(
    context: dg.AssetExecutionContext, parents: Sequence[Version], settings: JsonValue
) -> str:
    return content_hash(
        {
            "code": context.assets_def.code_versions_by_key[context.asset_key] or "",
            "settings": settings,
            "parents": [f"{parent.asset}:{parent.data_version}" for parent in parents],
        }
    )


def _shown(made: Made, columns: Sequence[str]) -> dict[str, dg.MetadataValue]:
    return {
        "dagster/row_count": dg.MetadataValue.int(len(made.rows)),
        "unchanged": dg.MetadataValue.text("none"),
        "preview": preview(made.rows, columns),
        **made.shown,
        **counts(made.rows_in, len(made.rows), made.dropped),
    }


def _unchanged(
    context: dg.AssetExecutionContext, warehouse: Warehouse, recipe: Recipe, current: Version
) -> dict[str, dg.MetadataValue]:
    """Return what an unchanged partition shows: what it showed when it was made."""
    asset, partition = current.asset, current.partition
    last = _last_shown(context, partition)
    if not last:
        rows = warehouse.read(asset, TABLES[asset], [partition] if partition else None)
        last = {"preview": preview(rows, recipe.columns)}
    return {
        **last,
        "dagster/row_count": dg.MetadataValue.int(current.row_count),
        "unchanged": dg.MetadataValue.text(partition or asset),
    }


def _last_shown(context: dg.AssetExecutionContext, partition: str | None) -> Shown:
    """Return what the page showed when the partition was made: it still holds."""
    filters = dg.AssetRecordsFilter(
        asset_key=context.asset_key, asset_partitions=[partition] if partition else None
    )
    records = context.instance.fetch_materializations(filters, limit=1).records
    last = records[0].asset_materialization if records else None
    return {key: value for key, value in last.metadata.items() if key != INPUTS_KEY} if last else {}


def _parent(warehouse: Warehouse, key: ParentKey) -> Version:
    version = warehouse.current(*key)
    if version is None:
        raise dg.Failure(f"{_name(*key)} was never materialized; materialize it first.")
    return version


def _name(asset: str, partition: str | None) -> str:
    return f"{asset}[{partition}]" if partition else asset
