import json

import pytest

from envfactory_assets.stages.datasets.exports import write_preferences
from envfactory_assets.stages.datasets.preferences import (
    ChosenAttempt,
    LosingAttempt,
    preference_pairs,
)
from envfactory_assets.stages.datasets.selection import ProvenTask, select_tasks
from envfactory_assets.stages.datasets.settings import DatasetSettings


def columns(record, rows):
    return [record(**{name: getattr(row, name) for name in record.model_fields}) for row in rows]


@pytest.fixture(scope="module")
def given(pipeline):
    """The references, the attempts, and the tasks that the datasets hold."""
    tasks = select_tasks(columns(ProvenTask, pipeline.filtered), DatasetSettings()).rows
    return (
        columns(ChosenAttempt, pipeline.filtered),
        columns(LosingAttempt, pipeline.candidates),
        tasks,
    )


@pytest.fixture(scope="module")
def made(given):
    return preference_pairs(*given, margin=0.3)


def calls(messages):
    return [call["function"] for item in messages for call in item.get("tool_calls", ())]


def test_every_losing_attempt_gives_a_pair_or_a_reason(made, given):
    _, attempts, _ = given

    assert made.losing == sum(not row.kept for row in attempts)
    assert len(made.rows) + sum(made.dropped.values()) == made.losing
    assert len(made.rows) > 40
    assert len({row.pair_id for row in made.rows}) == len(made.rows)


def test_both_sides_go_on_from_the_prompt_as_it_happened(made, given):
    chosen = {row.task_id: row for row in given[0]}
    attempts = {row.trajectory_id: row for row in given[1]}
    for row in made.rows:
        at = len(row.prompt)
        reference = chosen[row.task_id].messages
        attempt = attempts[f"{row.task_id}/{row.rejected_policy}"].messages
        assert reference[:at] == row.prompt == attempt[:at]
        assert reference[at : at + len(row.chosen)] == row.chosen
        assert attempt[at : at + len(row.rejected)] == row.rejected
        assert row.chosen[0] != row.rejected[0]


def test_only_the_agent_and_its_tools_speak_after_the_prompt(made):
    for row in made.rows:
        assert row.prompt[-1]["role"] in ("user", "tool")
        assert row.chosen[0]["role"] == row.rejected[0]["role"] == "assistant"
        assert {item["role"] for item in (*row.chosen, *row.rejected)} <= {"assistant", "tool"}


def test_the_better_side_earns_more_by_the_margin(made, given):
    assert min(row.margin for row in made.rows) >= 0.3
    strict = preference_pairs(*given, margin=0.9)

    assert 0 < len(strict.rows) < len(made.rows)
    assert min(row.margin for row in strict.rows) >= 0.9


def test_a_guess_loses_against_a_question(made):
    guesses = [row for row in made.rows if row.rejected_policy == "direct"]

    assert guesses
    for row in guesses:
        assert row.chosen[-1]["content"].startswith("Could you tell me")
        assert calls(row.chosen) == []
        assert calls(row.rejected)


def test_honest_detours_are_no_bad_examples(made):
    policies = {row.rejected_policy for row in made.rows}

    assert policies == {"direct", "wrong_argument", "incomplete", "repeated_write", "idle"}


def test_what_the_user_spoilt_is_not_held_against_the_agent(given):
    chosen, attempts, tasks = given
    spoilt = [
        row.model_copy(update={"drop_reason": "user_broke_the_brief:leaked_id"}) for row in attempts
    ]
    made = preference_pairs(chosen, spoilt, tasks, 0.3)

    assert made.rows == []
    assert made.dropped == {"users_fault": made.losing}


def test_a_task_that_the_datasets_do_not_hold_gives_no_pair(given):
    chosen, attempts, tasks = given
    dropped = [task.model_copy(update={"kept": False, "drop_reason": "why"}) for task in tasks]

    assert preference_pairs(chosen, attempts, dropped, 0.3).losing == 0


def test_pairs_parted_by_a_redundant_look_alone_are_left_out(given, made):
    """An attempt that only looks more often than the reference did nothing wrong there."""
    chosen, attempts, tasks = given
    cheap = [
        row.model_copy(update={"reward": 0.0, "kept": False})
        for row in attempts
        if row.solver_policy == "redundant_read"
    ]

    assert preference_pairs(chosen, cheap, tasks, 0.3).dropped["parts_without_harm"] > 0


def test_files_hold_messages_with_arguments_as_objects(made, tmp_path):
    paths = write_preferences(made.rows, tmp_path)
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]

    assert {line["pair_id"] for line in lines} == {row.pair_id for row in made.rows}
    for line in lines:
        sides = (line["prompt"], line["chosen"], line["rejected"])
        assert all(isinstance(call["arguments"], dict) for side in sides for call in calls(side))
        assert line["tools"]


def test_trl_reads_the_files_as_conversations(made, tmp_path):
    from trl.data_utils import is_conversational

    path = write_preferences(made.rows, tmp_path)[0]
    line = json.loads(path.read_text().splitlines()[0])

    assert is_conversational(line)
