"""The commit log: one SQLite row a version; the moment the row commits, the version exists."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from envfactory_resources.clients.warehouse.durable_files import (
    locked,
    make_folder,
    replace_durably,
)
from envfactory_resources.clients.warehouse.errors import (
    CommitLogError,
    StorageError,
    reporting_storage,
)
from envfactory_resources.clients.warehouse.log_tables import FORMAT, SCHEMA, LogEditor, LogView

_BUSY_TIMEOUT_SECONDS = 60.0
_DISK_TROUBLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
}


class CommitLog:
    """The log of one warehouse; opened for each use, never kept open."""

    def __init__(self, root: Path) -> None:
        """Name the log of a home."""
        self._root = root
        self._path = root / "commits.sqlite"
        self._lock = root / "locks" / "commit.lock"

    def create(self) -> None:
        """Make an empty log where there is none, so that it exists whole or not at all."""
        if self._path.exists():
            return
        make_folder(self._root)
        with locked(self._lock):
            if self._path.exists():
                return
            self._refuse_lost_log()
            temporary = self._root / ".commits.sqlite.tmp"
            temporary.unlink(missing_ok=True)
            with (
                _translated(self._path),
                closing(sqlite3.connect(temporary, isolation_level=None)) as connection,
            ):
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
            replace_durably(temporary, self._path)

    @contextmanager
    def reading(self) -> Generator[LogView]:
        """Open one consistent view of the log; an empty one where nothing was written yet."""
        with (
            reporting_storage("read", self._path),
            _translated(self._path),
            closing(self._connect()) as connection,
        ):
            connection.execute("BEGIN")
            yield LogView(connection)

    @contextmanager
    def writing(self) -> Generator[LogEditor]:
        """Open the log for one change: committed at the end, undone when the body raises.

        The file lock makes writers queue in the kernel instead of polling, and keeps a writer from
        committing while another one, the last to leave, folds the write-ahead log back.
        """
        with (
            locked(self._lock),
            _translated(self._path),
            closing(self._connect()) as connection,
        ):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield LogEditor(connection)
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def _connect(self) -> sqlite3.Connection:
        if not self._path.exists():
            self._refuse_lost_log()
            empty = sqlite3.connect(":memory:", isolation_level=None)
            empty.executescript(SCHEMA)
            return empty
        connection = sqlite3.connect(
            f"file:{quote(str(self._path))}?mode=rw",
            uri=True,
            timeout=_BUSY_TIMEOUT_SECONDS,
            isolation_level=None,
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            (found,) = connection.execute("PRAGMA user_version").fetchone()
        except BaseException:
            connection.close()
            raise
        if found != FORMAT:
            connection.close()
            raise CommitLogError(
                f"Commit log {str(self._path)!r} has format {found}; this release reads format "
                f"{FORMAT}. Use the release that wrote it, or another ENVFACTORY_HOME."
            )
        return connection

    def _refuse_lost_log(self) -> None:
        if any((self._root / "payloads").glob("*/*/*.parquet")):
            raise CommitLogError(
                f"Commit log {str(self._path)!r} is missing, yet there are payloads beside it; a "
                "warehouse needs both. Restore the log from a copy, or remove the folder "
                f"{str(self._root / 'payloads')!r} to start over."
            )


@contextmanager
def _translated(path: Path) -> Generator[None]:
    """Turn what SQLite raises inside into an error of the warehouse."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _DISK_TROUBLE:
            raise StorageError(
                f"Cannot use the commit log {str(path)!r}: {error}; it needs a writable folder "
                "with free space. Mend that, then run again: every committed version is unharmed."
            ) from error
        if code == sqlite3.SQLITE_BUSY:
            raise CommitLogError(
                f"Commit log {str(path)!r} stayed locked for {_BUSY_TIMEOUT_SECONDS:.0f} s; only "
                "the warehouse may write to it. Close the program that holds it, then run again."
            ) from error
        raise CommitLogError(
            f"Commit log {str(path)!r} cannot be used: {error}; expected the SQLite file that the "
            "warehouse wrote. Restore it from a copy together with the payloads, or move the "
            "whole home away to start over."
        ) from error
