"""One write as the caller asked for it, checked, with its rows already in columns."""

from dataclasses import dataclass
from datetime import datetime

from envfactory_resources.clients.warehouse.batch import Batch
from envfactory_resources.clients.warehouse.names import (
    require_asset,
    require_partition,
    version_id_of,
)
from envfactory_resources.clients.warehouse.version import Version


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """Rows for an asset partition, and where they come from."""

    asset: str
    partition: str | None
    batch: Batch
    run_id: str
    code_version: str
    parents: tuple[str, ...]
    fingerprint: str | None
    created_at: datetime

    def __post_init__(self) -> None:
        """Refuse names that cannot be views and folders."""
        require_asset(self.asset)
        require_partition(self.partition)

    def version(self, sequence: int) -> Version:
        """Return the version this becomes as the given number of its asset partition."""
        data_version = self.batch.data_version
        return Version(
            version_id=version_id_of(self.asset, self.partition, sequence, data_version),
            asset=self.asset,
            partition=self.partition,
            run_id=self.run_id,
            code_version=self.code_version,
            data_version=data_version,
            parents=self.parents,
            row_count=self.batch.row_count,
            created_at=self.created_at,
        )
