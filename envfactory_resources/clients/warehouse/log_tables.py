"""The table of the commit log, and the statements that read and change it."""

import json
import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime

from envfactory_resources.clients.warehouse.version import Version
from sandboxes.core.canonical import canonical_json

FORMAT = 1

SCHEMA = f"""
BEGIN;
CREATE TABLE versions (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    version_id TEXT NOT NULL UNIQUE,
    asset TEXT NOT NULL,
    partition TEXT,
    sequence INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    code_version TEXT NOT NULL,
    data_version TEXT NOT NULL,
    parents TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    layout TEXT NOT NULL,
    fingerprint TEXT
);
CREATE UNIQUE INDEX versions_in_order ON versions (asset, coalesce(partition, ''), sequence);
CREATE TABLE published (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), stamp TEXT NOT NULL);
PRAGMA user_version = {FORMAT};
COMMIT;
"""

_VERSION = (
    "version_id, asset, partition, run_id, code_version, data_version, parents, row_count,"
    " created_at"
)
_NEWEST = (
    " FROM versions WHERE asset = ? AND coalesce(partition, '') = coalesce(?, '')"
    " ORDER BY sequence DESC LIMIT 1"
)


class LogView:
    """What the log says, at one moment."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read through a connection that is inside a transaction."""
        self._connection = connection

    def current(self, asset: str, partition: str | None) -> Version | None:
        """Return the newest version of an asset partition."""
        row = self._connection.execute(f"SELECT {_VERSION}{_NEWEST}", (asset, partition)).fetchone()
        return None if row is None else _version(row)

    def fingerprint(self, asset: str, partition: str | None) -> str | None:
        """Return the input fingerprint of the newest version of an asset partition."""
        row = self._connection.execute(
            f"SELECT fingerprint{_NEWEST}", (asset, partition)
        ).fetchone()
        return None if row is None else row[0]

    def version(self, version_id: str) -> Version | None:
        """Return the version with an id."""
        row = self._connection.execute(
            f"SELECT {_VERSION} FROM versions WHERE version_id = ?", (version_id,)
        ).fetchone()
        return None if row is None else _version(row)

    def versions(self, asset: str | None = None, partition: str | None = None) -> list[Version]:
        """Return versions in the order of their commits; None selects everything."""
        rows = self._connection.execute(
            f"SELECT {_VERSION} FROM versions WHERE (?1 IS NULL OR asset = ?1)"
            " AND (?2 IS NULL OR partition = ?2) ORDER BY position",
            (asset, partition),
        )
        return [_version(row) for row in rows]

    def assets(self) -> list[str]:
        """Return the names of all assets."""
        rows = self._connection.execute("SELECT DISTINCT asset FROM versions ORDER BY asset")
        return [asset for (asset,) in rows]

    def layouts(self) -> dict[str, str]:
        """Return the column layout of every version, by version id."""
        return dict(self._connection.execute("SELECT version_id, layout FROM versions").fetchall())

    def state(self) -> tuple[int, int]:
        """Return what changes whenever the set of versions does: count and last position."""
        count, last = self._connection.execute(
            "SELECT count(*), coalesce(max(position), 0) FROM versions"
        ).fetchone()
        return count, last

    def published_stamp(self) -> str | None:
        """Return what the last publication noted of itself."""
        row = self._connection.execute("SELECT stamp FROM published").fetchone()
        return None if row is None else row[0]


class LogEditor(LogView):
    """What the log says, and the changes one transaction makes to it."""

    def next_sequence(self, asset: str, partition: str | None) -> int:
        """Return the number that the next version of an asset partition gets."""
        newest = self._connection.execute(
            f"SELECT sequence{_NEWEST}", (asset, partition)
        ).fetchone()
        return 1 if newest is None else newest[0] + 1

    def add(self, version: Version, *, sequence: int, layout: str, fingerprint: str | None) -> None:
        """Append a version, as the newest of its asset partition."""
        self._connection.execute(
            f"INSERT INTO versions ({_VERSION}, sequence, layout, fingerprint)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                version.version_id,
                version.asset,
                version.partition,
                version.run_id,
                version.code_version,
                version.data_version,
                canonical_json([*version.parents]),
                version.row_count,
                version.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
                sequence,
                layout,
                fingerprint,
            ),
        )

    def confirm(self, version_id: str, fingerprint: str) -> None:
        """Note that a version was found again under this input fingerprint."""
        self._connection.execute(
            "UPDATE versions SET fingerprint = ? WHERE version_id = ?", (fingerprint, version_id)
        )

    def forget(self, version_ids: Collection[str]) -> None:
        """Remove versions from the log."""
        self._connection.executemany(
            "DELETE FROM versions WHERE version_id = ?", [(each,) for each in sorted(version_ids)]
        )

    def note_published(self, stamp: str) -> None:
        """Remember what the newest publication is made of."""
        self._connection.execute("INSERT OR REPLACE INTO published VALUES (1, ?)", (stamp,))


def _version(row: tuple[str, str, str | None, str, str, str, str, int, str]) -> Version:
    version_id, asset, partition, run_id, code_version, data_version, parents, count, created = row
    return Version(
        version_id=version_id,
        asset=asset,
        partition=partition,
        run_id=run_id,
        code_version=code_version,
        data_version=data_version,
        parents=tuple(json.loads(parents)),
        row_count=count,
        created_at=datetime.fromisoformat(created),
    )
