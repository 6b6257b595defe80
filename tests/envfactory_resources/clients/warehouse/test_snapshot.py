from datetime import UTC, datetime

import duckdb
import pytest
from pydantic import BaseModel

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import SnapshotError

LATER = datetime(2026, 2, 1, tzinfo=UTC)


def write(warehouse, asset, partition, rows, record):
    return warehouse.write(
        asset, partition, rows, record, run_id="run-1", code_version="1", created_at=LATER
    )


def test_the_asset_view_shows_current_rows_of_all_partitions_with_their_version(warehouse, put):
    put("notes", "travel", ["old"])
    travel = put("notes", "travel", ["new"])
    office = put("notes", "office", ["o"])
    warehouse.publish()
    assert warehouse.query("SELECT * FROM notes ORDER BY text") == [
        {"text": "new", "likes": 3, "version_id": travel.version_id},
        {"text": "o", "likes": 1, "version_id": office.version_id},
    ]


def test_the_history_view_shows_every_version_and_when_it_was_made(warehouse, put):
    put("notes", "travel", ["old"])
    put("notes", "travel", ["new"], created_at=LATER)
    warehouse.publish()
    rows = warehouse.query("SELECT text, created_at FROM notes__history ORDER BY created_at")
    assert [row["text"] for row in rows] == ["old", "new"]
    assert rows[1]["created_at"] == LATER


def test_the_versions_table_says_what_the_log_says(warehouse, put):
    parent = put("drafts", None, ["d"])
    put("notes", "travel", ["a"], parents=[parent.version_id])
    newest = put("notes", "travel", ["b"], parents=[parent.version_id], created_at=LATER)
    warehouse.publish()
    rows = warehouse.query("SELECT * FROM versions")
    assert [row["version_id"] for row in rows] == [each.version_id for each in warehouse.versions()]
    assert [row["is_current"] for row in rows] == [True, False, True]
    wanted = newest.model_dump(exclude={"is_new"})
    wanted["parents"] = f'["{parent.version_id}"]'
    assert rows[2] | wanted == rows[2]
    assert rows[2]["layout"] == '{"likes":"integer","text":"text"}'


def test_a_row_leads_to_the_versions_it_was_made_from(warehouse, put):
    parent = put("drafts", None, ["d"])
    put("notes", "travel", ["a"], parents=[parent.version_id])
    warehouse.publish()
    assert warehouse.query(
        "SELECT parents->>0 AS parent FROM notes JOIN versions USING (version_id)"
    ) == [{"parent": parent.version_id}]


def test_an_asset_without_rows_has_its_views_and_columns(warehouse, put):
    put("notes", "travel", [])
    warehouse.publish()
    for view in ("notes", "notes__history"):
        assert warehouse.query(f"SELECT * FROM {view}") == []
    described = warehouse.query("DESCRIBE notes")
    assert [(row["column_name"], row["column_type"]) for row in described] == [
        ("text", "VARCHAR"),
        ("likes", "BIGINT"),
        ("version_id", "VARCHAR"),
    ]


def test_json_columns_are_text_that_sql_can_look_into(warehouse):
    class Call(BaseModel):
        arguments: dict[str, int]

    write(warehouse, "calls", None, [Call(arguments={"b": 2, "a": 1})], Call)
    warehouse.publish()
    assert warehouse.query("SELECT arguments, arguments->>'b' AS b FROM calls") == [
        {"arguments": '{"a":1,"b":2}', "b": "2"}
    ]


def test_versions_with_other_columns_stand_side_by_side(warehouse):
    class Old(BaseModel):
        text: str
        level: int

    class New(BaseModel):
        mood: str
        level: str
        text: str

    write(warehouse, "notes", "travel", [Old(text="old", level=1)], Old)
    write(warehouse, "notes", "travel", [New(text="new", mood="calm", level="high")], New)
    write(warehouse, "notes", "office", [Old(text="office", level=2)], Old)
    warehouse.publish()
    columns = "SELECT text, mood, level FROM"
    assert warehouse.query(f"{columns} notes__history ORDER BY version_id DESC") == [
        {"text": "new", "mood": "calm", "level": "high"},
        {"text": "old", "mood": None, "level": "1"},
        {"text": "office", "mood": None, "level": "2"},
    ]
    assert len(warehouse.query(f"{columns} notes")) == 2


def test_a_warehouse_without_versions_publishes_an_empty_versions_table(warehouse):
    warehouse.publish()
    assert warehouse.query("SELECT * FROM versions") == []


def test_publishing_twice_leaves_the_same_file(warehouse, put):
    put("notes", None, ["a"])
    before = warehouse.publish().stat()
    assert warehouse.publish().stat() == before


def test_a_snapshot_that_was_removed_is_published_again(warehouse, put):
    put("notes", None, ["a"])
    warehouse.publish().unlink()
    assert warehouse.publish().exists()


def test_an_open_reader_keeps_what_it_sees_and_the_next_one_sees_the_new(warehouse, put):
    put("notes", None, ["old"])
    with duckdb.connect(warehouse.publish(), read_only=True) as reader:
        put("notes", None, ["new"])
        warehouse.publish()
        assert reader.sql("SELECT text FROM notes").fetchall() == [("old",)]
        assert warehouse.query("SELECT text FROM notes") == [{"text": "new"}]


@pytest.mark.parametrize("name", ["it's [odd] *", "zoë"])
def test_a_moved_home_is_mended_by_publishing(warehouse, home, note, put, name):
    put("notes", None, ["a"])
    warehouse.publish()
    moved = Warehouse(home.rename(home.with_name(name)))
    with pytest.raises(SnapshotError, match=r"publish\(\) mends the views"):
        moved.query("SELECT * FROM notes")
    moved.publish()
    assert [row["text"] for row in moved.query("SELECT * FROM notes")] == ["a"]
    assert moved.read("notes", note) == [note(text="a", likes=1)]


def test_a_query_before_publishing_says_what_to_do(warehouse):
    with pytest.raises(SnapshotError, match=r"Call publish\(\) first"):
        warehouse.query("SELECT 1")


@pytest.mark.parametrize("sql", ["SELEC 1", "SELECT * FROM nothing", "DELETE FROM versions"])
def test_a_query_that_fails_or_writes_is_refused(warehouse, sql):
    warehouse.publish()
    with pytest.raises(SnapshotError, match="SHOW TABLES"):
        warehouse.query(sql)


def test_a_missing_payload_stops_publishing_and_leaves_the_old_snapshot(warehouse, home, put):
    put("drafts", None, ["a"])
    warehouse.publish()
    lost = put("notes", None, ["a"])
    (home / "payloads/notes/_all" / f"{lost.version_id}.parquet").unlink()
    with pytest.raises(SnapshotError, match=lost.version_id):
        warehouse.publish()
    assert [row["text"] for row in warehouse.query("SELECT * FROM drafts")] == ["a"]
