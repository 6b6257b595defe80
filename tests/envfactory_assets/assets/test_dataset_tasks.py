from dataclasses import replace

import pytest

from envfactory_assets.records.datasets import DatasetTask, RlTask, SftExample
from envfactory_assets.records.trajectories import FilteredTrajectory


def configured(platform, **settings):
    """Return the same home with other settings of the profile."""
    return replace(platform, profile=platform.profile.model_copy(update=settings))


def tasks_of(platform):
    return platform.warehouse.read("dataset_tasks", DatasetTask)


@pytest.fixture
def longest(platform):
    """The trajectory with the longest first request."""
    rows = platform.warehouse.read("filtered_trajectories", FilteredTrajectory)
    return max((row for row in rows if row.kept), key=lambda row: len(row.queries[0]))


def test_a_benchmarks_question_leaves_every_dataset(platform, longest):
    (platform.warehouse.root / "bench.txt").write_text(f"Something else.\n{longest.queries[0]}\n")
    scanned = configured(platform, contamination_files=("bench.txt",))
    scanned.materialize("dataset_tasks", "sft_dataset", "rl_dataset")

    dropped = {row.task_id: row.matched for row in tasks_of(platform) if not row.kept}
    assert dropped[longest.task_id] == "bench.txt:2"
    for asset, record in (("sft_dataset", SftExample), ("rl_dataset", RlTask)):
        held = {row.task_id for row in platform.warehouse.read(asset, record)}
        assert held
        assert not held & set(dropped)


def test_another_file_of_the_same_name_is_read_again(platform, longest):
    path = platform.warehouse.root / "bench.txt"
    scanned = configured(platform, contamination_files=("bench.txt",))
    path.write_text("Nothing that anybody here asked for, in fourteen or so words of text.\n")
    scanned.materialize("dataset_tasks")
    before = [row.kept for row in tasks_of(platform)]
    path.write_text(f"{longest.queries[0]}\n")
    scanned.materialize("dataset_tasks")

    assert all(before)
    assert not all(row.kept for row in tasks_of(platform))


def test_a_file_that_is_not_there_fails_the_asset_by_name(platform):
    result = configured(platform, contamination_files=("missing.txt",)).materialize("dataset_tasks")
    [failure] = result.get_step_failure_events()

    assert not result.success
    assert "missing.txt" in failure.step_failure_data.error.cause.message


def test_targets_drop_tasks_to_train_on_alone(platform):
    configured(platform, distribution="published_corpus").materialize("dataset_tasks")
    rows = tasks_of(platform)

    assert {row.split for row in rows if not row.kept} == {"train"}
    assert {row.drop_reason for row in rows if not row.kept} == {"over_distribution_target"}


def test_refinement_off_leaves_requests_as_they_were_drafted(platform):
    from envfactory_assets.records.queries import RefinedQuery

    off = configured(platform, refinement="off")
    off.materialize("refined_queries", domain="travel")
    rows = platform.warehouse.read("refined_queries", RefinedQuery, ["travel"])

    assert {row.made_by for row in rows} == {"refiner:off"}
    assert [row.refined_text for row in rows] == [row.draft_text for row in rows]
