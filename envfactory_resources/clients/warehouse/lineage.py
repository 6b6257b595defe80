"""Which versions a version was made from."""

from collections.abc import Iterable, Sequence

from envfactory_resources.clients.warehouse.version import Version


def with_ancestors(version_ids: Iterable[str], versions: Sequence[Version]) -> set[str]:
    """Return the ids given and those of everything they descend from, transitively."""
    parents = {version.version_id: version.parents for version in versions}
    found: set[str] = set()
    waiting = list(version_ids)
    while waiting:
        version_id = waiting.pop()
        if version_id not in found:
            found.add(version_id)
            waiting.extend(parents.get(version_id, ()))
    return found


def newest_by_partition(versions: Sequence[Version]) -> dict[tuple[str, str | None], list[Version]]:
    """Return the versions of each asset partition, the newest first.

    Args:
        versions: In the order of their commits.
    """
    grouped: dict[tuple[str, str | None], list[Version]] = {}
    for version in reversed(versions):
        grouped.setdefault((version.asset, version.partition), []).append(version)
    return grouped
