"""The published snapshot: a DuckDB file of views over the payloads, replaced in one step.

Views hold absolute paths, so after the home has moved one `publish` mends them. A reader that holds
the old file open keeps what it saw; whoever opens the file next sees the new one.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC
from itertools import product
from pathlib import Path

import duckdb

from envfactory_resources.clients.warehouse.errors import SnapshotError
from envfactory_resources.clients.warehouse.lineage import newest_by_partition
from envfactory_resources.clients.warehouse.names import HISTORY_SUFFIX, VERSIONS_TABLE
from envfactory_resources.clients.warehouse.version import Version
from sandboxes.core.canonical import canonical_json

_VERSIONS_COLUMNS = {
    "version_id": "VARCHAR",
    "asset": "VARCHAR",
    "partition": "VARCHAR",
    "run_id": "VARCHAR",
    "code_version": "VARCHAR",
    "data_version": "VARCHAR",
    "parents": "VARCHAR",
    "row_count": "BIGINT",
    "created_at": "TIMESTAMPTZ",
    "is_current": "BOOLEAN",
    "layout": "VARCHAR",
}


def build_snapshot(
    path: Path,
    versions: Sequence[Version],
    payloads: Mapping[str, Path],
    layouts: Mapping[str, str],
) -> None:
    """Write a new snapshot file.

    Args:
        path: The file; it must not exist.
        versions: All versions, in the order of their commits.
        payloads: The payload file of each version id.
        layouts: The column layout of each version id.

    Raises:
        SnapshotError: If DuckDB cannot build it, for example because a payload is missing.
    """
    current = [newest[0] for newest in newest_by_partition(versions).values()]
    try:
        with closing(duckdb.connect(path)) as connection:
            connection.execute("BEGIN")
            _fill_versions(connection, versions, {each.version_id for each in current}, layouts)
            assets = sorted({version.asset for version in versions})
            for asset, is_history in product(assets, (False, True)):
                chosen = versions if is_history else current
                ids = [each.version_id for each in chosen if each.asset == asset]
                source = _source([payloads[each] for each in ids], {layouts[each] for each in ids})
                connection.execute(_view(asset, source, is_history=is_history))
            connection.execute("COMMIT")
            # Closing would fold the write-ahead file in as well, but stay silent on a full disk.
            connection.execute("CHECKPOINT")
    except duckdb.Error as error:
        raise SnapshotError(
            f"Cannot build the snapshot {str(path)!r}: {error}; every committed version needs its "
            "payload and the disk free space. Restore what is missing, then publish again."
        ) from error


def query_snapshot(path: Path, sql: str) -> list[dict[str, object]]:
    """Run one statement on a snapshot, opened read-only, and return its rows.

    Raises:
        SnapshotError: If there is no snapshot, or the statement fails.
    """
    if not path.exists():
        raise SnapshotError(
            f"No published snapshot at {str(path)!r}; a query needs one. Call publish() first."
        )
    # Attached to a fresh instance: connecting by path would share a file that this process still
    # holds open, and see what was published then.
    with closing(duckdb.connect()) as connection:
        try:
            connection.execute(f"ATTACH {_text(str(path))} AS warehouse (READ_ONLY)")
            connection.execute("USE warehouse")
            connection.execute("SET TimeZone = 'UTC'")
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.description or []]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        except duckdb.Error as error:
            raise SnapshotError(
                f"Query {sql!r} failed on {str(path)!r}: {error}. 'SHOW TABLES' lists what can be "
                "queried; after moving the home, publish() mends the views."
            ) from error


def _fill_versions(
    connection: duckdb.DuckDBPyConnection,
    versions: Sequence[Version],
    current: set[str],
    layouts: Mapping[str, str],
) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in _VERSIONS_COLUMNS.items())
    connection.execute(f"CREATE TABLE {VERSIONS_TABLE} ({columns})")
    rows = [
        (
            each.version_id,
            each.asset,
            each.partition,
            each.run_id,
            each.code_version,
            each.data_version,
            canonical_json([*each.parents]),
            each.row_count,
            each.created_at.astimezone(UTC),
            each.version_id in current,
            layouts[each.version_id],
        )
        for each in versions
    ]
    if rows:
        unnested = ", ".join("unnest(?)" for _ in _VERSIONS_COLUMNS)
        connection.execute(
            f"INSERT INTO {VERSIONS_TABLE} SELECT {unnested}",
            [list(cells) for cells in zip(*rows, strict=True)],
        )


def _view(asset: str, source: str, *, is_history: bool) -> str:
    name = f"{asset}{HISTORY_SUFFIX}" if is_history else asset
    rows = (
        "SELECT * EXCLUDE (_payload), parse_filename(_payload, true) AS version_id "
        f"FROM read_parquet({source})"
    )
    if is_history:
        rows = (
            f"SELECT rows.*, {VERSIONS_TABLE}.created_at FROM ({rows}) AS rows "
            f"JOIN {VERSIONS_TABLE} USING (version_id)"
        )
    return f'CREATE VIEW "{name}" AS {rows}'


def _source(payloads: Sequence[Path], layouts: set[str]) -> str:
    files = ", ".join(_text(re.sub(r"([\[*?])", r"[\1]", str(path))) for path in payloads)
    # Only where layouts differ: by name, every file must be opened to learn the columns.
    return f"[{files}], filename = '_payload', union_by_name = {len(layouts) > 1}"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
