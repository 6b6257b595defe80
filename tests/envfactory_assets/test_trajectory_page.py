"""The page that the RL dataset is read on, and the way to it from the dataset's asset page."""

from pathlib import Path

import dagster as dg
import pytest

from envfactory_assets.records.trajectories import FilteredTrajectory


@pytest.fixture(scope="module")
def shown(materialized, records):
    """What the asset page of the RL dataset shows."""
    event = records.get_latest_materialization_event(dg.AssetKey("rl_dataset"))
    return {key: value.value for key, value in event.asset_materialization.metadata.items()}


def test_the_dataset_leads_to_the_page_of_its_version(shown, materialized):
    version = materialized.warehouse.current("rl_dataset", None)
    page = Path(shown["trajectories"])

    assert shown["read_trajectories"] == page.as_uri()
    assert page.name == f"trajectories.{version.data_version[:12]}.html"
    assert page.parent == materialized.warehouse.root / "exports" / "rl_dataset"


def test_every_task_is_on_the_page(shown, materialized):
    text = Path(shown["trajectories"]).read_text(encoding="utf-8")
    rows = materialized.warehouse.read("filtered_trajectories", FilteredTrajectory)

    assert rows
    assert [row.task_id for row in rows if f'"id":"{row.task_id}"' not in text] == []


def test_a_lost_page_is_written_again(platform):
    folder = platform.warehouse.root / "exports" / "rl_dataset"
    [page] = folder.glob("*.html")
    before = page.read_bytes()
    page.unlink()

    platform.materialize("rl_dataset")

    assert page.read_bytes() == before
