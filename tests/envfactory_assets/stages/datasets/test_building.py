import pytest

from envfactory_assets.stages.datasets.building import rl_tasks, sft_examples
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.filtering import filter_trajectories
from envfactory_assets.stages.trajectories.reference import reference_from_json
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.solvers import SolverPolicy
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

HELD_OUT = ("office.calendar",)


@pytest.fixture(scope="module")
def asked(pipeline):
    """The filtered rows when the clarifying attempts are chosen, and their RL tasks."""
    chosen = [
        row.model_copy(update={"kept": row.solver_policy == SolverPolicy.CLARIFYING})
        for row in pipeline.candidates
    ]
    settings = TrajectorySettings()
    rows = filter_trajectories(pipeline.refined, chosen, pipeline.catalog, settings).rows
    return rows, rl_tasks(rows, pipeline.catalog, HELD_OUT)


def attempt(task, catalog, calls):
    """Make calls in a session of an RL task and return the attempt."""
    session = Session.open(Scenario.model_validate(task.scenario), catalog)
    records = [session.call(call.tool, call.arguments) for call in calls]
    return Attempt(
        calls=tuple(
            AttemptedCall(
                tool=record.tool,
                arguments=record.arguments,
                bound=record.bound,
                ok=record.ok,
                effect=record.effect,
            )
            for record in records
        ),
        end_states=session.states(),
    )


def test_every_kept_trajectory_is_one_conversation_in_order_of_task_id(pipeline):
    assert [row.example_id for row in pipeline.sft] == sorted(
        row.task_id for row in pipeline.filtered
    )
    by_id = {row.task_id: row for row in pipeline.filtered}
    for row in pipeline.sft:
        assert row.messages == by_id[row.task_id].messages
        assert row.assistant_turns == [item["role"] for item in row.messages].count("assistant")


def test_a_dropped_trajectory_is_in_no_dataset(pipeline):
    first, second = pipeline.filtered[:2]
    dropped = first.model_copy(update={"kept": False, "drop_reason": "why"})

    assert [row.task_id for row in sft_examples([dropped, second], ())] == [second.task_id]
    assert {row.task_id for row in rl_tasks([dropped, second], pipeline.catalog, ())} == {
        second.task_id
    }


def test_a_task_gives_one_row_a_turn(pipeline):
    assert [row.row_id for row in pipeline.rl] == [
        f"{row.task_id}/{turn}"
        for row in sorted(pipeline.filtered, key=lambda row: row.task_id)
        for turn in range(row.turns)
    ]


def test_a_turn_starts_where_the_turns_before_it_ended(pipeline):
    multi_turn = 0
    for rows in pipeline.by_task(pipeline.rl).values():
        trajectory = next(row for row in pipeline.filtered if row.task_id == rows[0].task_id)
        session = Session.open(Scenario.model_validate(trajectory.scenario), pipeline.catalog)
        for task in rows:
            multi_turn += task.turn > 0
            assert task.scenario["states"] == session.states() == task.reference["initial_states"]
            for call in trajectory.reference_calls:
                if call["turn"] == task.turn:
                    session.call(call["tool"], call["arguments"])
            assert task.reference["end_states"] == session.states()
    assert multi_turn > 20


def test_the_reference_of_a_turn_earns_everything_and_doing_nothing_nothing(pipeline):
    for task in pipeline.rl:
        reference = reference_from_json(task.reference)
        done = attempt(task, pipeline.catalog, reference.calls)
        assert evaluate(reference, done).total == 1.0
        assert evaluate(reference, attempt(task, pipeline.catalog, ())).total <= 0.05


def test_a_prompt_ends_with_the_request_of_its_turn(asked):
    rows, tasks = asked
    by_id = {row.task_id: row for row in rows}
    for task in tasks:
        last = task.prompt[-1]
        assert (last["role"], last["content"]) == (
            "user",
            by_id[task.task_id].queries[task.turn],
        )
        assert task.prompt[0]["role"] == "system"


def test_the_answer_to_an_earlier_question_is_part_of_the_history(asked):
    """A user message that answers a question does not count as the next turn."""
    rows, tasks = asked
    found = 0
    for row in rows:
        for task in (task for task in tasks if task.task_id == row.task_id):
            earlier = [item for item in row.disclosures if item["turn"] < task.turn]
            said = [item["content"] for item in task.prompt if item["role"] == "user"]
            found += len(earlier)
            assert said.count(row.queries[task.turn]) == 1
            assert len(said) == task.turn + 1 + len(earlier)
            assert all(item["answer"] in said for item in earlier)
    assert found >= 3


def test_disclosures_are_those_of_the_turn_only(pipeline):
    by_id = {row.task_id: row for row in pipeline.filtered}
    for task in pipeline.rl:
        expected = [item for item in by_id[task.task_id].disclosures if item["turn"] == task.turn]
        assert list(task.disclosures) == [
            {key: value for key, value in item.items() if key != "turn"} for item in expected
        ]
    assert sum(len(task.disclosures) for task in pipeline.rl) >= 4


def test_the_order_within_a_turn_names_calls_of_the_turn(pipeline):
    for task in pipeline.rl:
        for index, call in enumerate(task.reference["calls"]):
            assert all(0 <= before < index for before in call["after"])


def test_a_write_that_a_later_turn_overwrites_is_not_masked_in_its_own_turn(pipeline):
    row = next(row for row in pipeline.filtered if row.turns == 3)
    calls = [{**call, "masked": ["check_in"]} for call in row.reference_calls]
    marked = row.model_copy(update={"reference_calls": tuple(calls)})

    tasks = rl_tasks([marked], pipeline.catalog, ())
    for task in tasks:
        for call in task.reference["calls"]:
            is_last = task.turn == 2
            assert bool(call["masked"]) is (is_last or call["effect"] == "read")


def test_held_out_environments_are_never_trained_on(pipeline):
    for row in (*pipeline.sft, *pipeline.rl):
        is_held_out = "office.calendar" in row.environment_ids
        assert (row.split == "test_environments") is is_held_out


def test_tasks_with_the_same_tools_share_a_split_in_both_datasets(pipeline):
    splits = {}
    tools = {
        row.task_id: tuple(call["tool"] for call in row.reference_calls)
        for row in pipeline.filtered
    }
    for row in (*pipeline.sft, *pipeline.rl):
        splits.setdefault(tools[row.task_id], set()).add(row.split)
    assert all(len(found) == 1 for found in splits.values())


def test_a_conversation_without_a_request_is_our_fault(pipeline):
    row = pipeline.filtered[0]
    broken = row.model_copy(update={"messages": row.messages[:1]})

    with pytest.raises(ValueError, match=f"{row.task_id} lacks the request of turn 0"):
        rl_tasks([broken], pipeline.catalog, ())
