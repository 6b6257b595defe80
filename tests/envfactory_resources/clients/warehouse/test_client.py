import pickle
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import (
    RecordError,
    RequestError,
    StorageError,
    UnknownVersionError,
)


def test_opening_and_reading_an_empty_warehouse_creates_nothing(warehouse, home):
    assert warehouse.current("notes", "travel") is None
    assert warehouse.versions() == []
    assert warehouse.fingerprint("notes", "travel") is None
    assert warehouse.collect_garbage().removed_files == ()
    assert not home.exists()


def test_rows_come_back_in_the_order_they_were_written_in(warehouse, note, put):
    put("notes", "travel", ["b", "a", "c"])
    assert [row.text for row in warehouse.read("notes", note)] == ["b", "a", "c"]


def test_a_version_says_where_it_comes_from(put):
    parent = put("drafts", None, ["x"])
    version = put("notes", "travel", ["a", "b"], parents=[parent.version_id])
    assert version.version_id == f"notes.travel.v1.{version.data_version[:12]}"
    assert (version.asset, version.partition, version.row_count) == ("notes", "travel", 2)
    assert (version.run_id, version.code_version) == ("run-1", "code-1")
    assert version.parents == (parent.version_id,)
    assert version.created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert version.is_new


def test_current_is_the_newest_version(warehouse, put):
    put("notes", "travel", ["a"])
    newest = put("notes", "travel", ["b"])
    assert warehouse.current("notes", "travel") == newest.model_copy(update={"is_new": False})


def test_the_same_content_makes_no_new_version_but_moves_the_fingerprint(warehouse, put):
    first = put("notes", "travel", ["a"], fingerprint="inputs-1")
    again = put("notes", "travel", ["a"], fingerprint="inputs-2")
    assert (again.version_id, again.is_new) == (first.version_id, False)
    assert len(warehouse.versions()) == 1
    assert warehouse.fingerprint("notes", "travel") == "inputs-2"


def test_the_same_content_without_a_fingerprint_keeps_the_known_one(warehouse, put):
    put("notes", "travel", ["a"], fingerprint="inputs-1")
    put("notes", "travel", ["a"])
    assert warehouse.fingerprint("notes", "travel") == "inputs-1"


def test_new_content_without_a_fingerprint_has_none(warehouse, put):
    put("notes", "travel", ["a"], fingerprint="inputs-1")
    put("notes", "travel", ["b"])
    assert warehouse.fingerprint("notes", "travel") is None


def test_content_that_returns_after_a_change_is_a_new_version(put):
    first = put("notes", "travel", ["a"])
    put("notes", "travel", ["b"])
    third = put("notes", "travel", ["a"])
    assert third.is_new
    assert third.data_version == first.data_version
    assert third.version_id == f"notes.travel.v3.{first.data_version[:12]}"


def test_the_order_of_rows_is_part_of_the_content(put):
    assert put("notes", "a", ["x", "y"]).data_version != put("notes", "b", ["y", "x"]).data_version


def test_two_warehouses_written_alike_have_the_same_ids(tmp_path, note):
    ids = [
        Warehouse(tmp_path / name)
        .write(
            "notes",
            None,
            [note(text="a")],
            note,
            run_id=f"run-{name}",
            code_version="1",
            created_at=datetime(2026, 1, day, tzinfo=UTC),
        )
        .version_id
        for day, name in enumerate(("one", "two"), start=1)
    ]
    assert ids[0] == ids[1]


def test_partitions_are_read_as_asked_or_all_in_order_of_name(warehouse, note, put):
    put("notes", "travel", ["t"])
    put("notes", "finance", ["f"])
    put("notes", "office", ["o"])
    assert [row.text for row in warehouse.read("notes", note)] == ["f", "o", "t"]
    read = warehouse.read("notes", note, ["travel", "finance"])
    assert [row.text for row in read] == ["t", "f"]
    assert warehouse.read("notes", note, []) == []


def test_versions_are_listed_oldest_first_and_by_asset_and_partition(warehouse, put):
    made = [put("notes", "a", ["1"]), put("drafts", None, ["2"]), put("notes", "b", ["3"])]
    ids = [version.version_id for version in made]
    assert [version.version_id for version in warehouse.versions()] == ids
    assert [each.version_id for each in warehouse.versions("notes")] == [ids[0], ids[2]]
    assert [each.version_id for each in warehouse.versions("notes", "b")] == [ids[2]]


def test_a_pickled_warehouse_reads_what_the_original_wrote(warehouse, note, put):
    put("notes", None, ["a"])
    assert pickle.loads(pickle.dumps(warehouse)).read("notes", note) == [note(text="a", likes=1)]


def test_a_parent_that_does_not_exist_is_refused_and_nothing_is_written(warehouse, put):
    with pytest.raises(UnknownVersionError, match=r"Unknown version 'drafts\._all\.v9\.abc'"):
        put("notes", None, ["a"], parents=["drafts._all.v9.abc"])
    assert warehouse.versions() == []


@pytest.mark.parametrize("asset", ["Notes", "9notes", "no tes", "../notes", "", "a" * 64])
def test_an_asset_name_that_is_no_view_name_is_refused(put, asset):
    with pytest.raises(RequestError, match="lower case letters"):
        put(asset, None, ["a"])


@pytest.mark.parametrize("asset", ["versions", "notes__history"])
def test_an_asset_name_that_the_views_need_is_refused(put, asset):
    with pytest.raises(RequestError, match="reserved"):
        put(asset, None, ["a"])


@pytest.mark.parametrize("partition", ["", "..", "_all", "a/b", ".hidden", "a" * 101])
def test_a_partition_that_is_no_folder_name_is_refused(put, partition):
    with pytest.raises(RequestError, match="becomes a folder"):
        put("notes", partition, ["a"])


def test_a_time_without_a_zone_is_refused(put):
    with pytest.raises(RequestError, match="no time zone"):
        put("notes", None, ["a"], created_at=datetime(2026, 1, 1))  # noqa: DTZ001


def test_a_field_added_later_takes_its_default_in_old_versions(warehouse, put):
    class Newer(BaseModel):
        text: str
        mood: str = "calm"

    put("notes", None, ["a"])
    assert warehouse.read("notes", Newer) == [Newer(text="a", mood="calm")]


def test_a_required_field_that_the_stored_version_lacks_is_named(warehouse, put):
    class Newer(BaseModel):
        text: str
        mood: str

    version = put("notes", None, ["a"])
    with pytest.raises(RecordError, match=f"{version.version_id}.*'Newer': 'mood'"):
        warehouse.read("notes", Newer)


def test_a_missing_payload_is_named(warehouse, home, note, put):
    version = put("notes", None, ["a"])
    (home / "payloads/notes/_all" / f"{version.version_id}.parquet").unlink()
    with pytest.raises(StorageError, match=version.version_id):
        warehouse.read("notes", note)


def test_a_damaged_payload_is_named(warehouse, home, note, put):
    version = put("notes", None, ["a"])
    path = home / "payloads/notes/_all" / f"{version.version_id}.parquet"
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(StorageError, match=version.version_id):
        warehouse.read("notes", note)
