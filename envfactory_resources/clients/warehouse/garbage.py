"""What garbage collection removes: leftovers of dead writers, and old versions if told to."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_resources.clients.warehouse.errors import RequestError
from envfactory_resources.clients.warehouse.lineage import newest_by_partition, with_ancestors
from envfactory_resources.clients.warehouse.version import Version


class GarbageReport(BaseModel):
    """What a collection removed, or would remove.

    Files are relative to the home.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    removed_versions: tuple[str, ...]
    removed_files: tuple[str, ...]
    freed_bytes: int
    is_dry_run: bool


def versions_to_forget(versions: Sequence[Version], keep_history: bool | int) -> list[Version]:
    """Return the versions that may go, in the order of their commits.

    Args:
        versions: All versions, in the order of their commits.
        keep_history: True keeps every version; a number keeps so many superseded versions of each
            asset partition, False none. What a kept version descends from is kept too.

    Raises:
        RequestError: If the number is negative.
    """
    if keep_history is True:
        return []
    if keep_history < 0:
        raise RequestError(
            f"keep_history {keep_history!r} is negative; pass True for everything, False for "
            "nothing but the current versions, or how many superseded versions to keep."
        )
    kept = [
        version.version_id
        for newest in newest_by_partition(versions).values()
        for version in newest[: 1 + keep_history]
    ]
    protected = with_ancestors(kept, versions)
    return [version for version in versions if version.version_id not in protected]


def remove_files(files: Sequence[Path], root: Path, *, is_dry_run: bool) -> tuple[list[str], int]:
    """Remove files; return their names relative to the root and how many bytes they took."""
    freed_bytes = sum(path.stat().st_size for path in files)
    if not is_dry_run:
        for path in files:
            path.unlink()
    return [path.relative_to(root).as_posix() for path in files], freed_bytes
