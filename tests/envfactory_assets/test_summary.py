from datetime import UTC, datetime

import duckdb
import pytest

from envfactory_assets.records.record import Record
from envfactory_assets.summary import summarize
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import WarehouseError

SQL = {
    "environments verified": "SELECT count(*) FROM environments WHERE verified",
    "tools verified": "SELECT sum(tool_count) FROM environments WHERE verified",
    "edges kept": "SELECT count(*) FROM tool_graphs WHERE kept",
    "cross-domain links": "SELECT count(*) FROM cross_domain_links WHERE kept",
    "chains": "SELECT count(*) FROM sampled_chains",
    "tasks": "SELECT count(DISTINCT task_id) FROM refined_queries",
    "candidate trajectories": "SELECT count(*) FROM candidate_trajectories",
    "trajectories kept": "SELECT count(*) FROM filtered_trajectories WHERE kept",
    "trajectories dropped": "SELECT count(*) FROM filtered_trajectories WHERE NOT kept",
    "references replayed": "SELECT count(*) FROM filtered_trajectories WHERE kept AND replays",
    "SFT examples": "SELECT count(*) FROM sft_dataset",
    "RL tasks": "SELECT count(*) FROM rl_dataset",
}


def test_the_figures_are_those_that_sql_gives(materialized):
    summary = summarize(materialized.warehouse)
    with duckdb.connect(str(summary.files["warehouse"]), read_only=True) as connection:
        counted = {name: connection.sql(sql).fetchall()[0][0] for name, sql in SQL.items()}

    assert dict(summary.figures) == counted
    assert summary.figures["trajectories kept"] > 0
    assert sum(summary.dropped.values()) == summary.figures["trajectories dropped"]


def test_every_file_that_it_names_is_there(materialized):
    files = dict(summarize(materialized.warehouse).files)

    assert files.pop("checkpoints").parent == materialized.warehouse.root
    assert [path for path in files.values() if not path.exists()] == []


def test_an_empty_home_has_zeros_and_stays_empty(tmp_path):
    summary = summarize(Warehouse(tmp_path / "home"))

    assert set(summary.figures.values()) == {0}
    assert summary.rewards == {}
    assert not (tmp_path / "home").exists()


def test_what_was_committed_and_not_published_is_counted(platform):
    figures = summarize(platform.warehouse).figures
    platform.warehouse.snapshot_path.unlink()

    assert summarize(platform.warehouse).figures == figures


def test_a_damaged_payload_is_an_error_and_not_a_zero(platform):
    for payload in (platform.warehouse.root / "payloads" / "sampled_chains").rglob("*.parquet"):
        payload.unlink()

    with pytest.raises(WarehouseError):
        summarize(platform.warehouse)


class EarlierReport(Record):
    """A row of `evaluation_report` as versions before slices wrote it."""

    stage: str
    split: str
    reward: float


def test_a_report_from_before_there_were_slices_still_shows_its_rewards(tmp_path):
    warehouse = Warehouse(tmp_path / "home")
    rows = [EarlierReport(stage="after_sft", split="validation", reward=0.5)]
    warehouse.write(
        "evaluation_report",
        None,
        rows,
        EarlierReport,
        run_id="r",
        code_version="c",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )

    assert summarize(warehouse).rewards == {"validation": {"after_sft": 0.5}}
