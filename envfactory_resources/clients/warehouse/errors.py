"""What can go wrong with the warehouse, one type a boundary.

WarehouseError
├── RequestError            the call is wrong: a name, a time without zone, clashing arguments
├── RecordError             these rows or this record class do not fit a table, or the stored rows
├── UnknownAssetError       nothing was ever written under this asset
├── UnknownPartitionError   the asset has no version of this partition (at that time)
├── UnknownVersionError     no such version, or it belongs to another asset
├── StorageError            the disk: full, not writable, a payload missing or damaged
├── CommitLogError          the commit log: missing, damaged, busy, or of another format
└── SnapshotError           the published DuckDB file: not there, held for writing, a bad query
"""

import errno
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


class WarehouseError(Exception):
    """Anything the warehouse refuses or cannot do; what was committed before stays readable."""


class RequestError(WarehouseError):
    """The caller asks for something that makes no sense."""


class RecordError(WarehouseError):
    """Rows and record class do not fit each other, or do not fit a table."""


class UnknownAssetError(WarehouseError):
    """No version of this asset exists."""


class UnknownPartitionError(WarehouseError):
    """No version of this partition exists, or existed at the time asked for."""


class UnknownVersionError(WarehouseError):
    """No version has this id, or it is not a version of the asset asked for."""


class StorageError(WarehouseError):
    """The file system does not do what a write or a read needs."""


class CommitLogError(WarehouseError):
    """The commit log cannot be used."""


class SnapshotError(WarehouseError):
    """The published snapshot cannot be built, opened or queried."""


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would exceed the size limit of this process",
    errno.EACCES: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EEXIST: "a file is where a folder is needed",
}


@contextmanager
def reporting_storage(action: str, path: Path) -> Generator[None]:
    """Turn an `OSError` raised inside into a `StorageError` that names the path and the way out."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise StorageError(
            f"Cannot {action} {str(path)!r}: {reason}; the warehouse needs a writable folder with "
            "free space. Mend that or point ENVFACTORY_HOME elsewhere, then run again: every "
            "committed version is unharmed."
        ) from error
