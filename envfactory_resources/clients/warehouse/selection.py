"""Which versions a read means: the current ones, those of a moment, or a named one."""

from collections.abc import Sequence
from datetime import datetime

from envfactory_resources.clients.warehouse.errors import (
    RequestError,
    UnknownAssetError,
    UnknownPartitionError,
    UnknownVersionError,
)
from envfactory_resources.clients.warehouse.lineage import newest_by_partition
from envfactory_resources.clients.warehouse.log_tables import LogView
from envfactory_resources.clients.warehouse.names import in_utc
from envfactory_resources.clients.warehouse.version import Version


def require_version(log: LogView, version_id: str) -> Version:
    """Return the version with an id.

    Raises:
        UnknownVersionError: If there is none.
    """
    version = log.version(version_id)
    if version is None:
        newest = [each.version_id for each in log.versions()[-5:]]
        raise UnknownVersionError(
            f"Unknown version {version_id!r}; the newest are {newest}. Query the table 'versions' "
            "for all of them."
        )
    return version


def versions_to_read(
    log: LogView,
    asset: str,
    partitions: Sequence[str] | None,
    version_id: str | None,
    as_of: datetime | None,
) -> list[Version]:
    """Return the versions whose rows a read returns, in order: as asked, or by partition.

    Raises:
        RequestError: If arguments exclude each other.
        UnknownAssetError: If the asset has no version.
        UnknownPartitionError: If a partition has none, or had none then.
        UnknownVersionError: If the version does not exist, or not for this asset.
    """
    known = log.versions(asset)
    if not known:
        raise UnknownAssetError(
            f"Unknown asset {asset!r}; the warehouse holds {log.assets()}. Materialize it first."
        )
    if version_id is not None:
        if partitions is not None or as_of is not None:
            raise RequestError(
                f"Version {version_id!r} asked for together with partitions or a time; a version "
                "is one partition at one time. Pass the version alone."
            )
        return [_of_asset(require_version(log, version_id), asset)]
    newest = _newest_by_then(known, as_of)
    if partitions is None:
        return [newest[partition] for partition in sorted(newest, key=lambda name: name or "")]
    missing = [partition for partition in partitions if partition not in newest]
    if missing:
        raise UnknownPartitionError(
            f"No version of {asset!r} for {missing}{_then(as_of)}; available: "
            f"{sorted(name or 'unpartitioned' for name in newest)}. Materialize what is missing."
        )
    return [newest[partition] for partition in partitions]


def _newest_by_then(
    versions: Sequence[Version], as_of: datetime | None
) -> dict[str | None, Version]:
    moment = None if as_of is None else in_utc("as_of", as_of)
    existing = [each for each in versions if moment is None or each.created_at <= moment]
    if not existing:
        first = min(each.created_at for each in versions)
        raise UnknownPartitionError(
            f"No version of {versions[0].asset!r}{_then(as_of)}; the first was created at "
            f"{first.isoformat()}. Ask for a later time."
        )
    return {partition: each[0] for (_, partition), each in newest_by_partition(existing).items()}


def _then(as_of: datetime | None) -> str:
    return "" if as_of is None else f" as of {as_of.isoformat()}"


def _of_asset(version: Version, asset: str) -> Version:
    if version.asset != asset:
        raise UnknownVersionError(
            f"Version {version.version_id!r} is one of {version.asset!r}, not of {asset!r}; read "
            f"it as {version.asset!r}."
        )
    return version
