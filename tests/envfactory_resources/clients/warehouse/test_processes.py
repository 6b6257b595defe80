"""What several processes do to one warehouse at once, and what a killed one leaves behind."""

import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import BaseModel

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.milestones import Milestone

PROCESSES = Path(__file__).parent / "processes"
REPOSITORY = Path(__file__).parents[4]
WRITERS = ("a", "b", "c", "d")
ROUNDS = 4
BEFORE_COMMIT = {
    Milestone.PAYLOAD_OPENED,
    Milestone.PAYLOAD_SYNCED,
    Milestone.PAYLOAD_RENAMED,
    Milestone.VERSION_INSERTED,
}


class CrowdRow(BaseModel):
    writer: str
    number: int


class Row(BaseModel):
    text: str


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, PROCESSES / script, *map(str, arguments)],
        cwd=REPOSITORY,
        env={"PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process):
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output.split()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Four writers at once, while a reader holds the first snapshot open from start to end."""
    warehouse = Warehouse(tmp_path_factory.mktemp("crowd") / "home")
    finish(start("writer.py", warehouse.root, "first", 1))
    reader = start("reader.py", warehouse.snapshot_path)
    assert reader.stdout.readline() == "open\n"
    writers = [start("writer.py", warehouse.root, name, ROUNDS) for name in WRITERS]
    acknowledged = [version_id for writer in writers for version_id in finish(writer)]
    return warehouse, acknowledged, finish(reader)


def test_four_writers_at_once_lose_nothing(crowd):
    warehouse, acknowledged, _ = crowd
    assert len(acknowledged) == len(set(acknowledged)) == 2 * ROUNDS * len(WRITERS)
    assert set(acknowledged) <= {version.version_id for version in warehouse.versions()}
    for name in WRITERS:
        rows = [
            warehouse.read("rows", CrowdRow, version_id=version.version_id)
            for version in warehouse.versions("rows", name)
        ]
        assert rows == [[CrowdRow(writer=name, number=number)] for number in range(ROUNDS)]


def test_writers_of_one_partition_take_turns(crowd):
    warehouse, _, _ = crowd
    shared = warehouse.versions("rows", "shared")
    assert len(shared) == ROUNDS * len(WRITERS) + 1
    for sequence, version in enumerate(shared, start=1):
        assert version.version_id.startswith(f"rows.shared.v{sequence}.")
        (row,) = warehouse.read("rows", CrowdRow, version_id=version.version_id)
        assert version.run_id == f"run-of-{row.writer}"


def test_the_last_of_several_publishers_leaves_everything_in_the_snapshot(crowd):
    warehouse, _, _ = crowd
    published = warehouse.query("SELECT version_id FROM versions")
    assert [row["version_id"] for row in published] == [
        version.version_id for version in warehouse.versions()
    ]


def test_a_reader_that_holds_the_database_open_sees_one_unchanging_snapshot(crowd):
    _, _, seen = crowd
    assert seen == ["2", "2"]


def test_writers_leave_no_garbage(crowd):
    warehouse, _, _ = crowd
    assert warehouse.collect_garbage(dry_run=True).removed_files == ()


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    homes = tmp_path_factory.mktemp("killed")
    output = finish(start("killed_writers.py", homes))
    assert dict(zip(output[::2], output[1::2], strict=True)) == {
        milestone.value: str(-signal.SIGKILL) for milestone in Milestone
    }
    return homes


@pytest.mark.parametrize("milestone", Milestone)
def test_a_writer_killed_anywhere_leaves_what_was_committed_readable(killed, milestone):
    warehouse = Warehouse(killed / milestone)
    wanted = "before" if milestone in BEFORE_COMMIT else "after"
    assert warehouse.read("rows", Row) == [Row(text=wanted)]
    assert len(warehouse.query("SELECT text FROM rows")) == 1
    for version in warehouse.versions():
        assert len(warehouse.read("rows", Row, version_id=version.version_id)) == 1


@pytest.mark.parametrize("milestone", Milestone)
def test_after_a_killed_writer_the_next_one_goes_on_and_garbage_can_go(killed, milestone):
    warehouse = Warehouse(killed / milestone)
    killed_left = warehouse.collect_garbage(dry_run=True).removed_files
    version = warehouse.write(
        "rows",
        "travel",
        [Row(text="after")],
        Row,
        run_id="run-2",
        code_version="1",
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    assert version.is_new == (milestone in BEFORE_COMMIT)
    warehouse.publish()
    assert warehouse.query("SELECT text FROM rows") == [{"text": "after"}]
    removed = warehouse.collect_garbage().removed_files
    assert set(removed) <= set(killed_left)
    assert warehouse.collect_garbage(dry_run=True).removed_files == ()
    assert not list((killed / milestone).glob(".*.tmp*"))
