"""The one way to write and read the warehouse.

Under the home lie `payloads/` (one Parquet file a version), `commits.sqlite` (the commit log),
`warehouse.duckdb` (the published views) and `locks/`. A version exists from the moment its row
commits; everything before that is garbage that no reader sees.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from envfactory_resources.clients.warehouse.batch import Row, batch_of, records_of
from envfactory_resources.clients.warehouse.columns import columns_of
from envfactory_resources.clients.warehouse.commit_log import CommitLog
from envfactory_resources.clients.warehouse.durable_files import (
    locked,
    make_folder,
    replace_durably,
    sync_file,
)
from envfactory_resources.clients.warehouse.errors import reporting_storage
from envfactory_resources.clients.warehouse.garbage import (
    GarbageReport,
    remove_files,
    versions_to_forget,
)
from envfactory_resources.clients.warehouse.lineage import with_ancestors
from envfactory_resources.clients.warehouse.milestones import Milestone, MilestoneHook, pass_by
from envfactory_resources.clients.warehouse.names import in_utc
from envfactory_resources.clients.warehouse.parquet import parquet_bytes, read_columns
from envfactory_resources.clients.warehouse.payloads import FileOpener, Payloads, create_file
from envfactory_resources.clients.warehouse.selection import require_version, versions_to_read
from envfactory_resources.clients.warehouse.snapshot import build_snapshot, query_snapshot
from envfactory_resources.clients.warehouse.version import Version
from envfactory_resources.clients.warehouse.write_request import WriteRequest
from sandboxes.core.canonical import canonical_json


class Warehouse:
    """Immutable versions of asset partitions, written and read by any number of processes.

    Making one is free and touches no disk; it holds nothing open between calls, so it may be
    pickled, and used by threads and forked children. Every method raises a `WarehouseError`.
    """

    def __init__(
        self,
        root: Path,
        *,
        open_file: FileOpener = create_file,
        reached: MilestoneHook = pass_by,
    ) -> None:
        """Name a warehouse.

        Args:
            root: The home; made by the first write.
            open_file: Creates payload files.
            reached: Told of each milestone of a write; for tests that stop a process there.
        """
        self.root = root.absolute()
        self.snapshot_path = self.root / "warehouse.duckdb"
        self._reached = reached
        self._payloads = Payloads(self.root, open_file, reached)
        self._log = CommitLog(self.root)
        self._locks = self.root / "locks"

    def write(
        self,
        asset: str,
        partition: str | None,
        rows: Sequence[Row],
        record: type[Row],
        *,
        run_id: str,
        code_version: str,
        parents: Sequence[str] = (),
        fingerprint: str | None = None,
        created_at: datetime,
    ) -> Version:
        """Make a new version of an asset partition, unless its content is already current.

        Returns the version that is now current; `is_new` tells whether this write made it.

        Args:
            asset: The asset; its views get this name.
            partition: The partition; None where the asset has none.
            rows: All rows of the partition, in order.
            record: The class of every row.
            run_id: The run that made the rows.
            code_version: The code, prompts included, that made them.
            parents: The versions they were made from.
            fingerprint: What identifies the inputs, so that the next run can skip the work; the
                same content under another one makes no version and updates it.
            created_at: When, with a time zone.
        """
        request = WriteRequest(
            asset=asset,
            partition=partition,
            batch=batch_of(rows, record),
            run_id=run_id,
            code_version=code_version,
            parents=tuple(parents),
            fingerprint=fingerprint,
            created_at=in_utc("created_at", created_at),
        )
        return self._write(request)

    def read(
        self,
        asset: str,
        record: type[Row],
        partitions: Sequence[str] | None = None,
        *,
        version_id: str | None = None,
        as_of: datetime | None = None,
    ) -> list[Row]:
        """Return rows as records, in the order they were written in.

        Args:
            asset: The asset.
            record: The class to return. A field that a stored version lacks takes its default;
                stored columns without a field are left out.
            partitions: These partitions, in this order; None for all, in order of name.
            version_id: Exactly this version instead of current ones.
            as_of: The versions that were current then.
        """
        with self._log.reading() as log:
            chosen = versions_to_read(log, asset, partitions, version_id, as_of)
        names = [column.name for column in columns_of(record)]
        rows: list[Row] = []
        for version in chosen:
            stored, row_count = read_columns(self._payload_path(version), names)
            rows.extend(records_of(stored, row_count, record, version.version_id))
        return rows

    def current(self, asset: str, partition: str | None) -> Version | None:
        """Return the current version of an asset partition, None where there is none."""
        with self._log.reading() as log:
            return log.current(asset, partition)

    def versions(self, asset: str | None = None, partition: str | None = None) -> list[Version]:
        """Return versions, oldest first; None selects every asset, every partition."""
        with self._log.reading() as log:
            return log.versions(asset, partition)

    def fingerprint(self, asset: str, partition: str | None) -> str | None:
        """Return the input fingerprint under which the current version was last made or found."""
        with self._log.reading() as log:
            return log.fingerprint(asset, partition)

    def lineage(self, version_id: str) -> list[Version]:
        """Return everything a version descends from, transitively, oldest first."""
        with self._log.reading() as log:
            require_version(log, version_id)
            versions = log.versions()
        ancestors = with_ancestors([version_id], versions) - {version_id}
        return [version for version in versions if version.version_id in ancestors]

    def publish(self) -> Path:
        """Bring `warehouse.duckdb` up to date with the commit log; return its path.

        Safe from any number of processes: they take turns, so the file never goes back in time.
        Nothing happens where it is up to date. After the home has moved, this mends the views.
        """
        with reporting_storage("publish", self.snapshot_path):
            make_folder(self.root)
            with locked(self._locks / "publish.lock"):
                self._log.create()
                self._publish()
        return self.snapshot_path

    def query(self, sql: str) -> list[dict[str, object]]:
        """Run one SQL statement on the published snapshot, read-only; times come in UTC."""
        return query_snapshot(self.snapshot_path, sql)

    def collect_garbage(
        self, keep_history: bool | int = True, *, dry_run: bool = False
    ) -> GarbageReport:
        """Remove what dead writers left behind and, if told to, superseded versions.

        Args:
            keep_history: True keeps every version; a number keeps so many superseded versions of
                each asset partition, False none. Current versions stay, and with every version
                that stays all it descends from.
            dry_run: Only report.
        """
        if not self.root.exists():
            return GarbageReport(
                removed_versions=(), removed_files=(), freed_bytes=0, is_dry_run=dry_run
            )
        with (
            reporting_storage("collect garbage in", self.root),
            locked(self._locks / "write.lock"),
        ):
            versions = self.versions()
            forgotten = {each.version_id for each in versions_to_forget(versions, keep_history)}
            if forgotten and not dry_run:
                # First the log, then the files: a killed collection leaves garbage, not gaps.
                with self._log.writing() as log:
                    log.forget(forgotten)
                self._reached(Milestone.VERSIONS_FORGOTTEN)
                self.publish()
            kept = {
                self._payload_path(each) for each in versions if each.version_id not in forgotten
            }
            unlisted = [path for path in self._payloads.committed_names() if path not in kept]
            files = [*self._payloads.temporary_names(), *unlisted]
            names, freed_bytes = remove_files(files, self.root, is_dry_run=dry_run)
        return GarbageReport(
            removed_versions=tuple(sorted(forgotten)),
            removed_files=tuple(names),
            freed_bytes=freed_bytes,
            is_dry_run=dry_run,
        )

    def _payload_path(self, version: Version) -> Path:
        return self._payloads.path(version.asset, version.partition, version.version_id)

    def _write(self, request: WriteRequest) -> Version:
        with reporting_storage("write to", self.root):
            make_folder(self.root)
            # Shared by all writers: garbage collection waits for them, and they for it.
            with locked(self._locks / "write.lock", shared=True):
                self._log.create()
                return self._stage_and_commit(request)

    def _stage_and_commit(self, request: WriteRequest) -> Version:
        known = self.current(request.asset, request.partition)
        is_known = known is not None and known.data_version == request.batch.data_version
        staged = None if is_known else self._stage(request)
        try:
            return self._commit(request, staged)
        finally:
            if staged is not None:
                staged.unlink(missing_ok=True)

    def _stage(self, request: WriteRequest) -> Path:
        content = parquet_bytes(request.batch)
        return self._payloads.stage(request.asset, request.partition, content)

    def _commit(self, request: WriteRequest, staged: Path | None) -> Version:
        with self._log.writing() as log:
            current = log.current(request.asset, request.partition)
            if current is not None and current.data_version == request.batch.data_version:
                if request.fingerprint is not None:
                    log.confirm(current.version_id, request.fingerprint)
                return current
            for parent in request.parents:
                require_version(log, parent)
            sequence = log.next_sequence(request.asset, request.partition)
            version = request.version(sequence)
            # Nothing is staged where the content was current until another process changed it.
            self._payloads.put(staged or self._stage(request), self._payload_path(version))
            log.add(
                version,
                sequence=sequence,
                layout=request.batch.layout(),
                fingerprint=request.fingerprint,
            )
            self._reached(Milestone.VERSION_INSERTED)
        self._reached(Milestone.VERSION_COMMITTED)
        return version.model_copy(update={"is_new": True})

    def _publish(self) -> None:
        with self._log.reading() as log:
            state, published = log.state(), log.published_stamp()
            if published is not None and published == self._stamp(state):
                return
            versions, layouts = log.versions(), log.layouts()
        temporary = self.root / ".warehouse.duckdb.tmp"
        for leftover in (temporary, self.root / ".warehouse.duckdb.tmp.wal"):
            leftover.unlink(missing_ok=True)
        paths = {each.version_id: self._payload_path(each) for each in versions}
        build_snapshot(temporary, versions, paths, layouts)
        sync_file(temporary)
        self._reached(Milestone.SNAPSHOT_BUILT)
        replace_durably(temporary, self.snapshot_path)
        self._reached(Milestone.SNAPSHOT_REPLACED)
        stamp = self._stamp(state)
        if stamp is not None:
            with self._log.writing() as log:
                log.note_published(stamp)

    def _stamp(self, state: tuple[int, int]) -> str | None:
        """Return what tells this very file, made from this state of the log, from any other."""
        if not self.snapshot_path.exists():
            return None
        file = self.snapshot_path.stat()
        return canonical_json([*state, str(self.root), file.st_ino, file.st_mtime_ns, file.st_size])
