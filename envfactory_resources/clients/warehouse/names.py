"""The names a warehouse accepts, and the ids it derives from them."""

import re
from datetime import UTC, datetime

from envfactory_resources.clients.warehouse.errors import RequestError

_ASSET = re.compile(r"[a-z][a-z0-9_]{0,62}")
_PARTITION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_UNPARTITIONED = "_all"

HISTORY_SUFFIX = "__history"
VERSIONS_TABLE = "versions"


def require_asset(asset: str) -> None:
    """Refuse an asset name that cannot be a view and a folder.

    Raises:
        RequestError: If the name is not of the allowed form, or is reserved.
    """
    if not _ASSET.fullmatch(asset):
        raise RequestError(
            f"Asset name {asset!r} is not allowed: it becomes a view and a folder, so use lower "
            "case letters, digits and '_', a letter first, at most 63 characters."
        )
    if asset == VERSIONS_TABLE or asset.endswith(HISTORY_SUFFIX):
        raise RequestError(
            f"Asset name {asset!r} is reserved for a view of the warehouse; choose a name other "
            f"than {VERSIONS_TABLE!r} that does not end in {HISTORY_SUFFIX!r}."
        )


def require_partition(partition: str | None) -> None:
    """Refuse a partition name that cannot be a folder.

    Raises:
        RequestError: If the name is not of the allowed form.
    """
    if partition is not None and not _PARTITION.fullmatch(partition):
        raise RequestError(
            f"Partition {partition!r} is not allowed: it becomes a folder, so use letters, digits, "
            "'.', '_' and '-', a letter or digit first, at most 100 characters; None means "
            "unpartitioned."
        )


def in_utc(name: str, moment: datetime) -> datetime:
    """Return the same instant in UTC.

    Raises:
        RequestError: If the time has no zone, so that it names no instant.
    """
    if moment.tzinfo is None:
        raise RequestError(
            f"{name} {moment.isoformat()!r} has no time zone; pass an aware datetime, for example "
            "with tzinfo=UTC."
        )
    return moment.astimezone(UTC)


def partition_folder(partition: str | None) -> str:
    """Return the folder name of a partition; no partition can have the unpartitioned one."""
    return _UNPARTITIONED if partition is None else partition


def version_id_of(asset: str, partition: str | None, sequence: int, data_version: str) -> str:
    """Return the id of a version: readable, and the same in every run that writes the same.

    Two partitions never share one: the asset holds no '.', and the last two parts never do.
    """
    return f"{asset}.{partition_folder(partition)}.v{sequence}.{data_version[:12]}"
