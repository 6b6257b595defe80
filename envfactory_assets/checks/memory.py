"""What was checked before: a suite that passed on the same rows, evidence and code still passes."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from envfactory_assets.code_versions import code_version
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.canonical import content_hash

_CODE = code_version(
    "envfactory_assets.checks", "envfactory_assets.records", "envfactory_assets.stages", "sandboxes"
)
_EVIDENCE = ("environments", "tool_parameters", "tool_graphs", "cross_domain_links")


def check_key(
    warehouse: Warehouse,
    pool: SandboxPool,
    asset: str,
    partitions: Sequence[str] | None,
    watched: JsonValue,
) -> str:
    """Return the hash of everything that the outcome of a suite depends on.

    These are the versions of the rows, those of the tables they are held against, the environments
    as they are now, what the check watches besides, and the code.
    """
    own = [
        version_id
        for (_, partition), version_id in _latest(warehouse, [asset]).items()
        if partitions is None or partition in partitions
    ]
    evidence = list(_latest(warehouse, _EVIDENCE).values())
    sources = [source.source_hash for source in pool.discover().sources]
    return content_hash([_CODE, asset, *own, *evidence, *sources, watched])


def _latest(warehouse: Warehouse, assets: Sequence[str]) -> dict[tuple[str, str | None], str]:
    return {
        (version.asset, version.partition): version.version_id
        for asset in assets
        for version in warehouse.versions(asset)
    }


class PassedSuite(BaseModel):
    """What a passed suite showed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    expectations: str
    rows: int


def passed_before(warehouse: Warehouse, key: str) -> PassedSuite | None:
    """Return what a passed suite showed under a key, or None."""
    try:
        return PassedSuite.model_validate_json(_path(warehouse, key).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None


def remember_passed(warehouse: Warehouse, key: str, shown: PassedSuite) -> None:
    """Keep what a passed suite showed; when it cannot be written, the suite runs again."""
    path = _path(warehouse, key)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(shown.model_dump_json(), encoding="utf-8")
        partial.replace(path)


def _path(warehouse: Warehouse, key: str) -> Path:
    return warehouse.root / "checks" / f"{key}.json"
