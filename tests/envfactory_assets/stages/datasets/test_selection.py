import pytest

from envfactory_assets.stages.datasets.contamination import questions_of
from envfactory_assets.stages.datasets.distribution_picture import draw_distribution
from envfactory_assets.stages.datasets.selection import (
    ProvenTask,
    held_trajectories,
    select_tasks,
)
from envfactory_assets.stages.datasets.settings import DatasetSettings, DistributionTargets

SETTINGS = DatasetSettings(held_out=("office.calendar",))


@pytest.fixture(scope="module")
def proven(pipeline):
    names = ProvenTask.model_fields
    return [ProvenTask(**{name: getattr(row, name) for name in names}) for row in pipeline.filtered]


def reasons(selection):
    return {row.task_id: row.drop_reason for row in selection.rows if row.drop_reason}


def test_every_proven_task_is_in_one_split_and_counted(proven, pipeline):
    selection = select_tasks(proven, SETTINGS)
    by_id = {row.task_id: row for row in pipeline.sft}

    assert reasons(selection) == {}
    assert [row.task_id for row in selection.rows] == sorted(by_id)
    for row in selection.rows:
        said = [item["role"] for item in by_id[row.task_id].messages]
        assert row.split == by_id[row.task_id].split
        assert row.steps == said.count("assistant")
        assert row.tool_calls == said.count("tool") == len(row.tools)
        assert row.user_interactions == said.count("user") - row.turns
    assert sum(row.user_interactions for row in selection.rows) >= 3


def test_seeded_near_duplicates_go_and_their_originals_stay(proven):
    [original] = [row for row in proven if row.turns == 3][:1]
    said = (*original.queries[:-1], f"{original.queries[-1]} Thank you.")
    twin = original.model_copy(update={"task_id": "zz-twin", "queries": said})
    moved = {**original.scenario, "states": {**original.scenario["states"], "more": {}}}
    elsewhere = twin.model_copy(update={"task_id": "zz-elsewhere", "scenario": moved})
    selection = select_tasks([twin, elsewhere, *proven], SETTINGS)

    assert reasons(selection) == {"zz-twin": "near_duplicate_within_split"}
    [row] = [row for row in selection.rows if row.task_id == "zz-twin"]
    assert row.matched == original.task_id
    assert 0.8 <= row.similarity < 1
    assert selection.dropped == {"near_duplicate_within_split": 1}


def test_a_request_of_another_split_goes_from_training(proven):
    [trained] = [
        row for row in proven if "office.calendar" not in row.environment_ids and row.turns == 3
    ][:1]
    tested = trained.model_copy(
        update={"task_id": "zz-tested", "environment_ids": ("office.calendar",)}
    )
    selection = select_tasks([*proven, tested], SETTINGS)

    assert reasons(selection) == {trained.task_id: "near_duplicate_across_splits"}


def test_a_benchmarks_question_is_dropped_with_its_place(proven):
    row = max(proven, key=lambda row: len(row.queries[0]))
    files = [
        questions_of("clean.txt", "Who wrote the song that everybody sang last summer?", 13),
        questions_of("bench.txt", f"What is new?\n{row.queries[0]}", 13),
    ]
    selection = select_tasks(proven, SETTINGS, files)

    assert reasons(selection) == {row.task_id: "contaminated"}
    assert [item.matched for item in selection.rows if not item.kept] == ["bench.txt:2"]
    assert selection.contamination == {
        "clean.txt": {"questions": 1, "tasks": 0},
        "bench.txt": {"questions": 2, "tasks": 1},
    }


def test_targets_leave_what_is_tested_on_alone(proven):
    targets = DistributionTargets(turns=3.0, tolerance=0.01)
    selection = select_tasks(proven, SETTINGS.model_copy(update={"targets": targets}))
    dropped = [row for row in selection.rows if row.drop_reason]

    assert {row.drop_reason for row in dropped} == {"over_distribution_target"}
    assert {row.split for row in dropped} == {"train"}
    [turns] = [item for item in selection.comparisons if item.target is not None]
    assert abs(turns.after - 3.0) < abs(turns.before - 3.0)


def test_what_was_not_proven_is_counted_and_has_no_row(proven):
    refused = proven[0].model_copy(update={"kept": False})
    selection = select_tasks([refused, *proven[1:]], SETTINGS)

    assert selection.dropped == {"trajectory_not_kept": 1}
    assert len(selection.rows) + sum(selection.dropped.values()) == len(proven)


def test_the_datasets_are_made_from_the_tasks_that_are_held(proven, pipeline):
    rows = select_tasks(proven, SETTINGS).rows
    rows[0] = rows[0].model_copy(update={"kept": False, "drop_reason": "why"})
    held = held_trajectories(pipeline.filtered, rows)

    assert sorted(row.task_id for row in held) == [row.task_id for row in rows[1:]]


def test_the_picture_shows_a_dataset_with_and_without_rows(proven):
    for given in (proven, []):
        selection = select_tasks(given, SETTINGS)
        assert draw_distribution(selection.rows, selection.comparisons).startswith(b"\x89PNG")
