from datetime import UTC, datetime

import pytest

from envfactory_resources.clients.warehouse.errors import (
    RequestError,
    UnknownAssetError,
    UnknownPartitionError,
    UnknownVersionError,
)


def day(number):
    return datetime(2026, 1, number, tzinfo=UTC)


def texts(rows):
    return [row.text for row in rows]


def test_a_version_reads_as_it_was_written_whatever_came_later(warehouse, note, put):
    first = put("notes", "travel", ["old"])
    put("notes", "travel", ["new"])
    assert texts(warehouse.read("notes", note, version_id=first.version_id)) == ["old"]


def test_a_moment_reads_what_was_current_then(warehouse, note, put):
    put("notes", "travel", ["t1"], created_at=day(1))
    put("notes", "office", ["o2"], created_at=day(2))
    put("notes", "travel", ["t3"], created_at=day(3))
    assert texts(warehouse.read("notes", note, as_of=day(1))) == ["t1"]
    assert texts(warehouse.read("notes", note, as_of=day(2))) == ["o2", "t1"]
    assert texts(warehouse.read("notes", note, as_of=day(4))) == ["o2", "t3"]
    assert texts(warehouse.read("notes", note, ["travel"], as_of=day(2))) == ["t1"]


def test_an_unknown_asset_is_named_with_the_known_ones(warehouse, note, put):
    put("drafts", None, ["a"])
    with pytest.raises(UnknownAssetError, match=r"Unknown asset 'notes'.*\['drafts'\]"):
        warehouse.read("notes", note)


def test_an_unknown_partition_is_named_with_the_known_ones(warehouse, note, put):
    put("notes", "travel", ["a"])
    with pytest.raises(UnknownPartitionError, match=r"\['office'\].*available: \['travel'\]"):
        warehouse.read("notes", note, ["travel", "office"])


def test_a_partition_that_did_not_exist_yet_is_refused(warehouse, note, put):
    put("notes", "travel", ["a"], created_at=day(1))
    put("notes", "office", ["a"], created_at=day(3))
    with pytest.raises(UnknownPartitionError, match=r"\['office'\] as of 2026-01-02"):
        warehouse.read("notes", note, ["office"], as_of=day(2))


def test_a_moment_before_the_first_version_says_when_that_was(warehouse, note, put):
    put("notes", "travel", ["a"], created_at=day(5))
    with pytest.raises(UnknownPartitionError, match="the first was created at 2026-01-05"):
        warehouse.read("notes", note, as_of=day(1))


def test_an_unknown_version_is_named_with_the_newest(warehouse, note, put):
    version = put("notes", "travel", ["a"])
    with pytest.raises(UnknownVersionError, match=f"'nope'; the newest are .*{version.version_id}"):
        warehouse.read("notes", note, version_id="nope")
    with pytest.raises(UnknownVersionError, match="'nope'"):
        warehouse.lineage("nope")


def test_a_version_of_another_asset_is_refused(warehouse, note, put):
    put("notes", None, ["a"])
    other = put("drafts", None, ["a"])
    with pytest.raises(UnknownVersionError, match="is one of 'drafts', not of 'notes'"):
        warehouse.read("notes", note, version_id=other.version_id)


def test_a_version_and_a_moment_exclude_each_other(warehouse, note, put):
    version = put("notes", None, ["a"])
    with pytest.raises(RequestError, match="Pass the version alone"):
        warehouse.read("notes", note, version_id=version.version_id, as_of=day(1))
