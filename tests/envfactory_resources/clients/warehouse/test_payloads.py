import errno
import io
import random
import resource
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import SnapshotError, StorageError


class FullDisk(io.FileIO):
    """A file on a disk that takes a few bytes and is then full."""

    def write(self, content):
        super().write(bytes(content)[:10])
        raise OSError(errno.ENOSPC, "No space left on device")


def open_on_full_disk(path: Path) -> FullDisk:
    return FullDisk(path, "xb")


@contextmanager
def largest_file(size_bytes):
    """No file of this process may grow beyond a size meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def write(warehouse, note, text):
    return warehouse.write(
        "notes",
        "travel",
        [note(text=text)],
        note,
        run_id="run-1",
        code_version="1",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def payload_names(home):
    return sorted(path.name for path in (home / "payloads").rglob("*") if path.is_file())


def test_a_full_disk_is_one_clear_error_and_leaves_the_warehouse_as_it_was(home, note, put):
    version = put("notes", "travel", ["before"])
    full = Warehouse(home, open_file=open_on_full_disk)
    with pytest.raises(StorageError, match=r"the disk is full.*run again"):
        write(full, note, "after")
    assert payload_names(home) == [f"{version.version_id}.parquet"]
    assert full.read("notes", note) == [note(text="before", likes=6)]
    assert write(Warehouse(home), note, "after").is_new


@pytest.mark.parametrize(
    ("largest_bytes", "where"), [(200, "Cannot use the commit log"), (40_000, "Cannot write to")]
)
def test_a_disk_that_fills_up_under_payload_or_log_loses_nothing(
    home, note, put, largest_bytes, where
):
    put("notes", "travel", ["before"])
    incompressible = random.Random(1).randbytes(50_000).hex()
    with largest_file(largest_bytes), pytest.raises(StorageError, match=where):
        write(Warehouse(home), note, incompressible)
    assert Warehouse(home).read("notes", note) == [note(text="before", likes=6)]
    assert write(Warehouse(home), note, "after").is_new


def test_a_full_disk_while_publishing_leaves_the_old_snapshot(warehouse, put):
    put("notes", None, ["before"])
    warehouse.publish()
    put("notes", None, ["after"])
    with (
        largest_file(100_000),
        pytest.raises(SnapshotError, match=r"File too large.*publish again"),
    ):
        warehouse.publish()
    assert warehouse.query("SELECT text FROM notes") == [{"text": "before"}]
    warehouse.publish()
    assert warehouse.query("SELECT text FROM notes") == [{"text": "after"}]


def test_a_home_that_cannot_be_a_folder_is_named(tmp_path, note):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match=r"file/home.*a file is where a folder.*ENVFACTORY_HOME"):
        write(Warehouse(tmp_path / "file" / "home"), note, "a")
