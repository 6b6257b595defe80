"""The verified catalog that sessions of an asset's stage are opened from."""

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from pydantic import JsonValue, TypeAdapter

from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog

_ANY: TypeAdapter[object] = TypeAdapter(object)


class UsesEnvironments(Protocol):
    """A row that sessions are opened for."""

    @property
    def domain(self) -> str:
        """The row's partition."""
        ...

    @property
    def environment_ids(self) -> tuple[str, ...]:
        """The environments of its session."""
        ...


def session_catalog(warehouse: Warehouse, pool: SandboxPool) -> Catalog:
    """Return the environments of every domain that passed verification at their present hash.

    Raises:
        UnverifiedEnvironmentError: If one changed since it was verified.
    """
    return pool.verified(warehouse.read("environments", EnvironmentRecord))


def source_hashes(
    catalog: Catalog, rows: Sequence[UsesEnvironments], *settings: object
) -> Callable[[str | None], JsonValue]:
    """Return a recipe's settings: the hashes of the environments its rows use, and more.

    So a change to an environment reaches every partition whose sessions open it, and no other.
    """
    more = cast("list[JsonValue]", [_ANY.dump_python(item, mode="json") for item in settings])

    def of_partition(domain: str | None) -> JsonValue:
        own = [row for row in rows if domain is None or row.domain == domain]
        used = sorted({name for row in own for name in row.environment_ids})
        hashes: list[JsonValue] = [catalog.source(name).source_hash for name in used]
        return [*hashes, *more]

    return of_partition
