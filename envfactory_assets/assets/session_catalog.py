"""The verified catalog that sessions of an asset's stage are opened from."""

from collections.abc import Callable
from typing import cast

import dagster as dg
from pydantic import JsonValue, TypeAdapter

from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_assets.records.record import Record
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import UnknownEnvironmentError

_ANY: TypeAdapter[object] = TypeAdapter(object)


class OpenedEnvironments(Record):
    """The environments that a row's sessions open: the two columns of it that say so."""

    domain: str
    environment_ids: tuple[str, ...]


def session_catalog(warehouse: Warehouse, pool: SandboxPool) -> Catalog:
    """Return the environments of every domain that passed verification as they are now."""
    return pool.verified(warehouse.read("environments", EnvironmentRecord))


def source_hashes(
    catalog: Catalog, warehouse: Warehouse, asset: str, *settings: object
) -> Callable[[str | None], JsonValue]:
    """Return a recipe's settings: the hashes of the environments an asset's rows use, and more.

    So a change to an environment reaches every partition whose sessions open it, and no other.

    Raises:
        dagster.Failure: When a partition needs an environment that is not verified as it is now.
    """
    more = cast("list[JsonValue]", [_ANY.dump_python(item, mode="json") for item in settings])

    def of_partition(domain: str | None) -> JsonValue:
        partitions = [domain] if domain else None
        own = warehouse.read(asset, OpenedEnvironments, partitions)
        used = sorted({name for row in own for name in row.environment_ids})
        return [*(verified_hash(catalog, name) for name in used), *more]

    return of_partition


def verified_hash(catalog: Catalog, environment_id: str) -> str:
    """Return the source hash of an environment of the session catalog.

    Raises:
        dagster.Failure: When it is not verified as it is now.
    """
    try:
        return catalog.source(environment_id).source_hash
    except UnknownEnvironmentError as error:
        domain = environment_id.split(".")[0]
        raise dg.Failure(
            f"{environment_id} is needed and is not verified as it is now; materialize "
            f"environments[{domain}] and what follows from it."
        ) from error
