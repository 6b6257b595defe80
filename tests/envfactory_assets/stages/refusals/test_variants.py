import json

import pytest

from envfactory_assets.stages.datasets.exports import write_refusals
from envfactory_assets.stages.refusals.conduct import answered_reward
from envfactory_assets.stages.refusals.irreplaceable import is_irreplaceable, places_changed
from envfactory_assets.stages.refusals.variants import refusal_tasks
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.reference import reference_from_json
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session


def names(tools):
    return [item["function"]["name"] for item in tools]


def only_these_write(task, catalog, *tools):
    """Return a turn that offers, of the writing tools, these ones only."""
    offered = [
        item
        for item in task.tools
        if catalog.tools[item["function"]["name"]].effect == "read"
        or item["function"]["name"] in tools
    ]
    return task.model_copy(update={"tools": tuple(offered)})


@pytest.fixture(scope="module")
def made(pipeline):
    """Variants of turns whose sessions offer only writing tools that were seen at work."""
    seen = places_changed(pipeline.rl)
    tasks = [only_these_write(task, pipeline.catalog, *seen) for task in pipeline.rl]
    return refusal_tasks(tasks, pipeline.catalog), {task.row_id: task for task in tasks}


@pytest.fixture(scope="module")
def missing_tool(made):
    return [row for row in made[0].rows if row.variant == "missing_tool"]


@pytest.fixture(scope="module")
def missing_parameter(made):
    return [row for row in made[0].rows if row.variant == "missing_parameter"]


def original(row, made):
    return made[1][row.row_id.rpartition("/")[0]]


def attempt_of(row, catalog, calls):
    session = Session.open(Scenario.model_validate(row.scenario), catalog)
    records = [session.call(tool, arguments) for tool, arguments in calls]
    attempted = [
        AttemptedCall(item.tool, item.arguments, item.bound, item.ok, item.effect, item.error)
        for item in records
    ]
    return Attempt(calls=tuple(attempted), end_states=session.states())


def test_there_are_variants_of_both_kinds(missing_tool, missing_parameter):
    assert len(missing_tool) >= 6
    assert len(missing_parameter) >= 2


def test_only_the_tool_is_taken_away(missing_tool, made):
    for row in missing_tool:
        task = original(row, made)
        assert names(row.tools) == [name for name in names(task.tools) if name != row.missing]
        assert (row.prompt, row.scenario, row.split) == (task.prompt, task.scenario, task.split)
        assert row.missing in [call["tool"] for call in task.reference["calls"]]


def test_only_the_users_knowledge_of_a_value_is_taken_away(missing_parameter, made):
    for row in missing_parameter:
        task = original(row, made)
        assert (row.prompt, row.tools, row.scenario) == (task.prompt, task.tools, task.scenario)
        [kept_back] = [item for item in task.disclosures if item["topic"] == row.missing]
        assert str(kept_back["value"]) not in json.dumps([row.prompt, row.disclosures])


def test_a_user_who_is_asked_says_that_it_does_not_know(missing_parameter, pipeline):
    from envfactory_assets.records.queries import Disclosure

    for row in missing_parameter:
        question, reply, _ = row.answer
        disclosures = [Disclosure.model_validate_json(json.dumps(item)) for item in row.disclosures]
        assert RuleUser().answer(question["content"], disclosures).text == reply["content"]


def test_declining_earns_everything_before_and_after_looking(made, pipeline):
    for row in made[0].rows:
        reference = reference_from_json(row.reference)
        looks = [(call.tool, dict(call.arguments)) for call in reference.calls]
        assert answered_reward(row.reference) == row.answer_reward == 1.0
        assert evaluate(reference, attempt_of(row, pipeline.catalog, looks)).total == 1.0


def test_carrying_it_out_all_the_same_earns_nothing(made, pipeline):
    for row in made[0].rows:
        calls = [
            (call["tool"], call["arguments"]) for call in original(row, made).reference["calls"]
        ]
        reward = evaluate(
            reference_from_json(row.reference), attempt_of(row, pipeline.catalog, calls)
        )
        assert reward.total == row.wrong_reward == 0.0


def test_a_made_up_value_earns_nothing(missing_parameter, made, pipeline):
    guessed = 0
    for row in missing_parameter:
        task = original(row, made)
        [kept_back] = [item for item in task.disclosures if item["topic"] == row.missing]
        if not isinstance(kept_back["value"], str) or kept_back["path"] not in (
            "guest_name",
            "text",
            "title",
            "note",
        ):
            continue
        calls = [
            (call["tool"], {**call["arguments"], kept_back["path"]: "Something made up"})
            if call["effect"] == "write"
            else (call["tool"], call["arguments"])
            for call in task.reference["calls"]
        ]
        reward = evaluate(
            reference_from_json(row.reference), attempt_of(row, pipeline.catalog, calls)
        )
        assert reward.total == 0.0
        guessed += 1
    assert guessed


def test_turns_and_variants_that_come_to_nothing_are_counted(made, pipeline):
    outcome, tasks = made
    used = {row.row_id.rpartition("/")[0] for row in outcome.rows}

    assert sum(outcome.dropped.values()) >= len(tasks) - len(used) > 0
    assert "rewards_do_not_tell_right_from_wrong" not in outcome.dropped


def test_a_turn_in_which_the_user_acts_is_left_out(made, pipeline):
    outcome, tasks = made
    task = tasks[outcome.rows[0].row_id.rpartition("/")[0]]
    shared = task.model_copy(update={"user_actions": ({"step": 0},)})

    assert refusal_tasks([shared], pipeline.catalog).dropped == {"only_the_user_can_do_a_part": 1}


def test_a_tool_is_replaceable_by_one_that_changes_the_same_or_was_never_seen():
    changed = {
        "a": frozenset({("home", "bookings", "status")}),
        "b": frozenset({("home", "bookings", "status"), ("home", "bookings", "made")}),
        "c": frozenset({("home", "bookings", "made")}),
    }

    assert is_irreplaceable("a", ["c"], changed)
    assert not is_irreplaceable("a", ["b", "c"], changed)
    assert not is_irreplaceable("a", ["never_seen"], changed)


def test_files_hold_the_rows_by_split(made, tmp_path):
    rows = made[0].rows
    paths = write_refusals(rows, tmp_path)
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]

    assert sorted(line["row_id"] for line in lines) == sorted(row.row_id for row in rows)
    assert all(line["reference"]["is_refusal"] for line in lines)
