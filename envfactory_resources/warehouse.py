"""The warehouse as Dagster resource and IO manager."""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import dagster as dg
from pydantic import BaseModel

from envfactory_assets.records.tables import TABLES
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import RecordError
from envfactory_resources.home import Home
from envfactory_resources.stored_rows import ROWS, StoredRows

INPUTS_KEY = "envfactory/inputs"
"""Output metadata by which an asset tells fingerprints and parents, by partition."""


class WarehouseResource(dg.ConfigurableResource[Warehouse]):
    """Hands assets the plain warehouse client.

    Attributes:
        home: The home; empty for what `ENVFACTORY_HOME` names when the run starts.
    """

    home: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Warehouse:
        """Return the client."""
        return Warehouse(home_of(self.home).root)


class WarehouseIOManager(dg.ConfigurableIOManager):
    """Stores lists of records as versions, and loads current rows as lists of records.

    An output of several partitions is split by the rows' `domain`; an input of several partitions
    is one list. The asset tells fingerprints and parents through its output metadata.

    Attributes:
        home: The home; empty for what `ENVFACTORY_HOME` names when the run starts.
    """

    home: str = ""

    def handle_output(self, context: dg.OutputContext, obj: Sequence[BaseModel]) -> None:
        """Write one version a partition and publish the views once.

        Raises:
            RecordError: If a row belongs to a partition that the run does not make.
        """
        warehouse = Warehouse(home_of(self.home).root)
        asset = context.asset_key.path[-1]
        partitions: list[str | None] = [None]
        if context.has_asset_partitions:
            # Sorted: Dagster gives the partitions of a range in an order that varies.
            partitions = [*sorted(context.asset_partition_keys)]
            _require_partitions(asset, obj, partitions)
        given = context.output_metadata.get(INPUTS_KEY)
        inputs = cast("dict[str, dict[str, object]]", given.value if given else {})
        if given:
            # The asset found the other partitions unchanged and returned no rows of them.
            partitions = [partition for partition in partitions if (partition or "") in inputs]
        for partition in partitions:
            rows = [row for row in obj if partition is None or _domain(row) == partition]
            known = inputs.get(partition or "", {})
            version = warehouse.write(
                asset,
                partition,
                rows,
                TABLES[asset],
                run_id=context.run_id,
                code_version=context.asset_spec.code_version or "",
                parents=cast("list[str]", known.get("parents", [])),
                fingerprint=cast("str | None", known.get("fingerprint")),
                created_at=datetime.fromtimestamp(time.time(), UTC),
            )
            context.log.info(
                f"{version.version_id}: {version.row_count} rows, "
                f"{'new version' if version.is_new else 'unchanged'}."
            )
        warehouse.publish()

    def load_input(self, context: dg.InputContext) -> Sequence[BaseModel]:
        """Give the current rows of the partitions asked for; all of them when all are.

        Where the input is of type `ROWS`, they are read when first looked at.
        """
        asset = context.asset_key.path[-1]
        partitions = None
        if context.has_asset_partitions:
            every = context.asset_partitions_def.get_partition_keys()
            asked = sorted(context.asset_partition_keys)
            partitions = None if asked == sorted(every) else asked
        rows = StoredRows(Warehouse(home_of(self.home).root), asset, TABLES[asset], partitions)
        return rows if context.dagster_type is ROWS else list(rows)


def home_of(named: str) -> Home:
    """Return the home that a resource was configured with, else the environment's."""
    return Home.from_variables({"ENVFACTORY_HOME": named} if named else os.environ)


def _require_partitions(
    asset: str, rows: Sequence[BaseModel], partitions: Sequence[str | None]
) -> None:
    strays = sorted({_domain(row) for row in rows} - set(partitions))
    if strays:
        raise RecordError(
            f"Rows of {asset!r} belong to {strays}, but this run makes {list(partitions)}; return "
            "rows of those partitions only."
        )


def _domain(row: BaseModel) -> str:
    return cast("str", getattr(row, "domain"))  # noqa: B009 - rows of partitioned tables have it
