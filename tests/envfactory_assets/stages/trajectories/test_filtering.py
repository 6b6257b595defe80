import pytest

from envfactory_assets.stages.reward.models import Attempt
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.candidates import (
    NOT_SOLVED,
    Players,
    candidate_trajectories,
)
from envfactory_assets.stages.trajectories.filtering import (
    DOES_NOT_REPLAY,
    DUPLICATE,
    filter_trajectories,
)
from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_assets.stages.trajectories.reference import reference_from_json
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import (
    NOTHING_TO_ADD,
    RuleUser,
    UserReply,
)
from envfactory_assets.stages.trajectories.solvers import RuleTeacher, SolverPolicy
from sandboxes.core.canonical import canonical_json, content_hash
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session


def renamed(rows, task_id):
    """Return rows as those of another task."""
    ids = {"task_id": task_id}
    return [row.model_copy(update=ids) for row in rows]


def attempted(turns, pipeline, user):
    """Let the rules attempt a task that is asked by a user."""
    players = Players(RuleTeacher(), user, RuleJudge())
    return candidate_trajectories(turns, pipeline.catalog, TrajectorySettings(), players)


@pytest.fixture
def filtered(pipeline):
    """Filter tasks of the pipeline, given as pairs of queries and candidates."""

    def run(*tasks, **settings):
        queries = [row for rows, _ in tasks for row in rows]
        candidates = [row for _, rows in tasks for row in rows]
        return filter_trajectories(
            queries, candidates, pipeline.catalog, TrajectorySettings(**settings)
        )

    return run


@pytest.fixture(scope="module")
def tasks(pipeline):
    """Each task as its queries and its candidates."""
    candidates = pipeline.by_task(pipeline.candidates)
    return [(turns, candidates[key]) for key, turns in pipeline.refined_by_task().items()]


def choosing(task, policy):
    """Return a task whose chosen candidate is that of one policy."""
    queries, candidates = task
    return queries, [
        row.model_copy(update={"kept": row.solver_policy == policy, "drop_reason": None})
        for row in candidates
    ]


def test_every_task_of_the_pipeline_is_kept_with_a_proven_reference(pipeline):
    assert pipeline.filter_dropped == {}
    for row in pipeline.filtered:
        assert row.kept
        assert row.replays
        assert (row.reward, row.do_nothing_reward) == (1.0, 0.0)


def test_the_reference_replays_byte_for_byte(pipeline):
    for row in pipeline.filtered:
        session = Session.open(Scenario.model_validate(row.scenario), pipeline.catalog)
        for call in row.reference_calls:
            assert session.call(call["tool"], call["arguments"]).ok
        assert canonical_json(session.states()) == canonical_json(row.end_states)
        assert row.end_state_hash == content_hash(row.end_states)


@pytest.mark.parametrize(
    ("policy", "removed"),
    [
        (SolverPolicy.CLARIFYING, 0),
        (SolverPolicy.REDUNDANT_READ, 1),
        (SolverPolicy.ERROR_AND_RECOVERY, 1),
    ],
)
def test_redundant_and_refused_steps_are_removed_and_the_rest_still_replays(
    tasks, filtered, policy, removed
):
    for task in tasks:
        (row,) = filtered(choosing(task, policy)).rows
        assert row.trajectory_id.endswith(policy)
        assert (row.kept, row.removed_steps, row.reward) == (True, removed, 1.0)
        planned = [call.tool for query in task[0] for call in query.calls]
        assert [call["tool"] for call in row.reference_calls] == planned


def test_messages_are_numbered_anew_and_every_result_follows_its_call(tasks, filtered):
    for task in tasks:
        (row,) = filtered(choosing(task, SolverPolicy.ERROR_AND_RECOVERY)).rows
        calls = [
            (index, call)
            for index, message in enumerate(row.messages)
            for call in message.get("tool_calls", ())
        ]
        assert [call["id"] for _, call in calls] == [f"call_{n}" for n in range(len(calls))]
        assert len(calls) == len(row.reference_calls)
        for index, call in calls:
            result = row.messages[index + 1]
            assert (result["role"], result["tool_call_id"]) == ("tool", call["id"])
            assert result["name"] == call["function"]["name"]
            assert '"error"' not in result["content"]
        assert sum(message["role"] == "tool" for message in row.messages) == len(calls)


def test_messages_begin_with_the_system_and_every_turn_ends_with_a_report(pipeline):
    for row in pipeline.filtered:
        roles = [message["role"] for message in row.messages]
        assert roles[0] == "system"
        assert roles[-1] == "assistant"
        assert not row.messages[-1].get("tool_calls")
        users = [message["content"] for message in row.messages if message["role"] == "user"]
        assert [text for text in users if text in row.queries] == list(row.queries)


def test_reference_calls_stand_in_their_turns(tasks, pipeline):
    turns = {turns[0].task_id: turns for turns, _ in tasks}
    for row in pipeline.filtered:
        assert [call["turn"] for call in row.reference_calls] == [
            query.turn for query in turns[row.task_id] for _ in query.calls
        ]


def test_a_stored_reference_earns_everything_and_doing_nothing_earns_nothing(pipeline):
    for row in pipeline.filtered:
        calls = [
            {key: value for key, value in call.items() if key != "turn"}
            for call in row.reference_calls
        ]
        reference = reference_from_json(
            {
                "calls": calls,
                "initial_states": row.scenario["states"],
                "end_states": row.end_states,
                "is_refusal": False,
            }
        )
        idle = Attempt(calls=(), end_states=row.scenario["states"])
        assert evaluate(reference, idle).total <= 0.05


def test_tools_are_those_of_every_environment_of_the_session(pipeline):
    for row in pipeline.filtered:
        names = {tool["function"]["name"].split("__")[0] for tool in row.tools}
        assert names == {item.split(".")[1] for item in row.environment_ids}


class SilentUser:
    """Never tells what it keeps back."""

    made_by = "user:silent"

    def answer(self, message, disclosures, actions=()):
        """Return nothing of use."""
        return UserReply(NOTHING_TO_ADD, is_done="?" not in message)


@pytest.fixture
def unsolved(tasks, pipeline):
    """A task that nobody solves, since its user never tells."""
    turns = next(turns for turns, _ in tasks if any(row.disclosures for row in turns))
    return turns, attempted(turns, pipeline, SilentUser())


def test_a_task_that_nobody_solves_is_dropped_with_its_planned_calls(unsolved, filtered):
    outcome = filtered(unsolved)

    (row,) = outcome.rows
    assert (row.kept, row.drop_reason, row.solved_share) == (False, NOT_SOLVED, 0.0)
    assert [call["tool"] for call in row.reference_calls] == [
        call.tool for query in unsolved[0] for call in query.calls
    ]


def test_a_question_that_the_user_had_nothing_to_add_to_is_removed(tasks, filtered):
    queries, candidates = tasks[0]
    question = [
        {"role": "assistant", "content": "Shall I?"},
        {"role": "user", "content": NOTHING_TO_ADD},
    ]
    asking = [
        row.model_copy(update={"messages": (*row.messages[:2], *question, *row.messages[2:])})
        for row in candidates
    ]
    (before,), (after,) = filtered(tasks[0]).rows, filtered((queries, asking)).rows

    assert after.messages == before.messages
    assert after.removed_steps == before.removed_steps + 1


def test_a_reference_that_does_not_replay_is_dropped(tasks, filtered):
    queries, candidates = tasks[0]
    broken = [
        row.model_copy(update={"end_states": row.end_states | {"travel.hotel_booking": {}}})
        if row.kept
        else row
        for row in candidates
    ]
    (row,) = filtered((queries, broken)).rows
    assert (row.replays, row.drop_reason) == (False, DOES_NOT_REPLAY)


def test_of_two_tasks_with_the_same_request_the_first_stays(tasks, filtered):
    queries, candidates = tasks[0]
    copy = (renamed(queries, "copy"), renamed(candidates, "copy"))

    assert [row.drop_reason for row in filtered(tasks[0], copy).rows] == [None, DUPLICATE]


def test_a_dropped_task_takes_no_request_away(unsolved, pipeline, filtered):
    turns = renamed(unsolved[0], "again")
    solved = attempted(turns, pipeline, RuleUser())

    outcome = filtered(unsolved, (turns, solved))
    assert [row.drop_reason for row in outcome.rows] == [NOT_SOLVED, None]


def test_drop_reasons_are_counted_and_add_up(tasks, unsolved, filtered):
    queries, candidates = tasks[0]
    copies = [(renamed(queries, name), renamed(candidates, name)) for name in ("a", "b")]
    failed = tuple(renamed(rows, "failed") for rows in unsolved)
    outcome = filtered(tasks[0], *copies, tasks[1], failed)

    assert outcome.dropped == {DUPLICATE: 2, NOT_SOLVED: 1}
    assert sum(row.kept for row in outcome.rows) + sum(outcome.dropped.values()) == 5
    for row in outcome.rows:
        assert row.kept is (row.drop_reason is None)


def test_difficulty_grows_with_the_steps_and_what_is_kept_back(pipeline):
    found = {}
    for row in pipeline.filtered:
        weight = len(row.reference_calls) + 2 * len(row.disclosures) + row.turns
        found.setdefault(row.difficulty, set()).add(weight)

    assert set(found) == {"easy", "medium", "hard"}
    assert max(found["easy"]) <= min(found["medium"])
    assert max(found["medium"]) < min(found["hard"])
