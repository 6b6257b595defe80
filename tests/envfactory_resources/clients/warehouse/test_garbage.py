import pytest

from envfactory_resources.clients.warehouse.errors import RequestError


def ids(versions):
    return [version.version_id for version in versions]


def payload(home, version):
    folder = home / "payloads" / version.asset / (version.partition or "_all")
    return folder / f"{version.version_id}.parquet"


def test_leftovers_of_dead_writers_go_and_every_version_stays(warehouse, home, note, put):
    kept = [put("notes", "travel", ["a"]), put("notes", "travel", ["b"])]
    folder = home / "payloads/notes/travel"
    (folder / ".77-0.tmp").write_bytes(b"half")
    (folder / "notes.travel.v3.abc.parquet").write_bytes(b"not committed")
    report = warehouse.collect_garbage()
    assert report.removed_files == (
        "payloads/notes/travel/.77-0.tmp",
        "payloads/notes/travel/notes.travel.v3.abc.parquet",
    )
    assert (report.freed_bytes, report.removed_versions) == (17, ())
    assert warehouse.versions() == [each.model_copy(update={"is_new": False}) for each in kept]
    assert all(payload(home, version).exists() for version in kept)
    assert warehouse.read("notes", note) == [note(text="b", likes=1)]


def test_superseded_versions_go_when_told_to_and_the_snapshot_follows(warehouse, home, put):
    old, newer, current = (put("notes", "travel", [text]) for text in "abc")
    warehouse.publish()
    report = warehouse.collect_garbage(keep_history=False)
    assert report.removed_versions == (old.version_id, newer.version_id)
    assert ids(warehouse.versions()) == [current.version_id]
    assert not payload(home, old).exists()
    assert [row["text"] for row in warehouse.query("SELECT text FROM notes__history")] == ["c"]


def test_a_number_keeps_so_many_superseded_versions_of_each_partition(warehouse, put):
    travel = [put("notes", "travel", [text]) for text in "abcd"]
    office = [put("notes", "office", [text]) for text in "ab"]
    warehouse.collect_garbage(keep_history=1)
    assert ids(warehouse.versions()) == ids([*travel[2:], *office])


def test_what_a_kept_version_descends_from_stays(warehouse, put):
    root = put("graphs", None, ["a"])
    used = put("chains", None, ["a"], parents=[root.version_id])
    unused = put("graphs", None, ["b"])
    put("graphs", None, ["c"])
    put("chains", None, ["unrelated"])
    tasks = put("tasks", None, ["a"], parents=[used.version_id])
    report = warehouse.collect_garbage(keep_history=False)
    assert report.removed_versions == (unused.version_id,)
    assert ids(warehouse.lineage(tasks.version_id)) == ids([root, used])


def test_a_dry_run_reports_and_removes_nothing(warehouse, home, put):
    old = put("notes", None, ["a"])
    put("notes", None, ["b"])
    report = warehouse.collect_garbage(keep_history=False, dry_run=True)
    assert report.is_dry_run
    assert report.removed_versions == (old.version_id,)
    assert report.freed_bytes == payload(home, old).stat().st_size
    assert len(warehouse.versions()) == 2
    assert payload(home, old).exists()


def test_numbers_of_versions_are_not_used_again_after_a_collection(warehouse, put):
    put("notes", None, ["a"])
    put("notes", None, ["b"])
    warehouse.collect_garbage(keep_history=False)
    assert put("notes", None, ["c"]).version_id.startswith("notes._all.v3.")


def test_a_negative_number_is_refused(warehouse, put):
    put("notes", None, ["a"])
    with pytest.raises(RequestError, match="keep_history -1"):
        warehouse.collect_garbage(keep_history=-1)
