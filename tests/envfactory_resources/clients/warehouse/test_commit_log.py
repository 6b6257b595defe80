import sqlite3
from contextlib import closing

import pytest

from envfactory_resources.clients.warehouse.errors import CommitLogError


def test_a_damaged_log_is_one_clear_error_for_every_call(warehouse, home, note, put):
    put("notes", None, ["a"])
    (home / "commits.sqlite").write_bytes(b"this is no database, " * 400)
    for call in (
        warehouse.versions,
        warehouse.publish,
        lambda: warehouse.read("notes", note),
        lambda: put("notes", None, ["b"]),
    ):
        with pytest.raises(CommitLogError, match=r"commits\.sqlite.*Restore it from a copy"):
            call()


def test_a_log_lost_beside_its_payloads_is_refused_instead_of_started_over(warehouse, home, put):
    put("notes", None, ["a"])
    (home / "commits.sqlite").unlink()
    with pytest.raises(CommitLogError, match="is missing, yet there are payloads"):
        put("notes", None, ["b"])
    with pytest.raises(CommitLogError, match="is missing, yet there are payloads"):
        warehouse.versions()


def test_a_log_of_another_format_is_refused(warehouse, home, put):
    put("notes", None, ["a"])
    with closing(sqlite3.connect(home / "commits.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(CommitLogError, match="has format 7; this release reads format 1"):
        warehouse.versions()


def test_nothing_stays_open_between_calls(warehouse, home, put):
    put("notes", None, ["a"])
    warehouse.publish()
    assert sorted(path.name for path in home.iterdir()) == [
        "commits.sqlite",
        "locks",
        "payloads",
        "warehouse.duckdb",
    ]
