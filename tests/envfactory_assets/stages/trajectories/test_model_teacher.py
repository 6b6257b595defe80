"""The teacher as a model plays it, well and badly, on a task of the shelf."""

import pytest

from envfactory_assets.records.queries import Disclosure, RefinedQuery
from envfactory_assets.stages.trajectories.candidates import (
    FAILS_TASK,
    LOWER_REWARD,
    Players,
    candidate_trajectories,
)
from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_assets.stages.trajectories.model_teacher import (
    CONVERSATION_REJECTED,
    EMPTY_REPLY,
    STEP_LIMIT,
    UNUSABLE_REPLY,
    ModelTeacher,
)
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import RuleUser, UserReply
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RefusalReply,
    TextReply,
    ToolCallsReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import (
    ModelOverloadedError,
    RequestRejectedError,
)

TITLE = Disclosure(
    step=1, path="title", topic="title", value="Vase", answer="The title should be Vase."
)
FIND = ToolCallsReply([("shelf__find_items", {})], "Let me look.")
RENAME = ToolCallsReply([("shelf__rename_item", {"item_id": "IT-1", "title": "Vase"})])
ASK = TextReply("Which title should it get?")
DONE = TextReply("I renamed the box to Vase.")


@pytest.fixture
def task(shelf, shelf_scenario, calls_of):
    """One turn: rename the box, its new title kept back."""
    find, rename = calls_of(
        ("find_items", {}), ("rename_item", {"item_id": "IT-1", "title": "Vase"})
    )

    text = "Please rename the box."
    return RefinedQuery(
        query_id="t/0",
        task_id="t",
        chain_id="c",
        domain="utilities",
        environment_ids=("utilities.shelf",),
        turn=0,
        draft_text=text,
        persona="Ana Brandt",
        plan="rename",
        calls=tuple(
            {
                "step": step,
                "tool": call.tool,
                "effect": "write" if step else "read",
                "arguments": call.arguments,
                "provenance": (),
            }
            for step, call in enumerate((find, rename))
        ),
        scenario=shelf_scenario.model_dump(mode="json"),
        end_state_hash="",
        seed=0,
        made_by="test",
        refined_text=text,
        operations=(),
        disclosures=(TITLE,),
    )


@pytest.fixture
def candidates(model_at, shelf, task):
    """Let the teacher attempt the task by one script a rollout; return the rows and requests."""

    def run(*scripts, user=None, **settings):
        lines = [ScriptLine(reply) for script in scripts for reply in script]
        chosen = TrajectorySettings(candidates=max(2, len(scripts)), max_steps=4, **settings)
        with FakeMessages(lines) as fake:
            teacher = ModelTeacher(model_at(fake))
            teacher.max_concurrency = 1
            players = Players(teacher, user or RuleUser(), RuleJudge())
            rows = candidate_trajectories([task], shelf, chosen, players)
            return rows, fake.requests

    return run


GOOD = (FIND, ASK, RENAME, DONE)


def test_a_rollout_looks_up_asks_acts_and_tells(candidates):
    (row, other), requests = candidates(GOOD, GOOD)

    assert (row.kept, row.reward, row.made_by) == (True, 1.0, "teacher:fake-1,user:rules")
    assert other.drop_reason == LOWER_REWARD
    assert [message["role"] for message in row.messages] == [
        *("system", "user", "assistant", "tool", "assistant", "user"),
        *("assistant", "tool", "assistant"),
    ]
    assert row.messages[2]["content"] == "Let me look."
    assert row.messages[5]["content"] == "The title should be Vase."
    assert requests[0].tool_names[0] == "shelf__find_items"
    assert requests[0].system.startswith(row.messages[0]["content"])


def test_each_rollout_has_a_session_of_its_own(candidates):
    rows, _ = candidates(GOOD, (FIND, RENAME, DONE))

    assert {row.end_states["utilities.shelf"]["items"]["IT-1"]["title"] for row in rows} == {"Vase"}
    assert [row.agreement for row in rows] == [1.0, 1.0]


def test_parallel_calls_are_recorded_one_after_the_other(candidates):
    both = ToolCallsReply([*FIND.calls, *RENAME.calls], "On it.")
    (row, _), _ = candidates((both, DONE), GOOD)

    assert [call["tool"] for call in row.calls] == ["shelf__find_items", "shelf__rename_item"]
    assert [m["content"] for m in row.messages if m.get("tool_calls")] == ["On it.", ""]


def test_a_refused_call_is_the_teachers_to_mend(candidates):
    unknown = ToolCallsReply([("shelf__paint", {"color": "red"})])
    malformed = ToolCallsReply([("shelf__rename_item", {"item_id": 1})])
    (row, _), requests = candidates((unknown, malformed, RENAME, DONE), GOOD)

    assert [call["ok"] for call in row.calls] == [False, False, True]
    assert "Unknown tool" in requests[1].last_user
    assert row.reward_state == 1.0


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ((FIND, FIND, FIND, FIND), STEP_LIMIT),
        ((FIND, TextReply("  ")), EMPTY_REPLY),
        ((FIND, RefusalReply()), f"{UNUSABLE_REPLY}:RefusedReplyError"),
        ((TruncatedReply(),), f"{UNUSABLE_REPLY}:TruncatedReplyError"),
        ((FIND, ErrorReply(400, "prompt is too long")), CONVERSATION_REJECTED),
        ((DONE,), FAILS_TASK),
    ],
)
def test_a_rollout_that_goes_wrong_is_dropped_with_its_reason(candidates, script, reason):
    (row, good), _ = candidates(script, GOOD)

    assert (row.kept, row.drop_reason) == (False, reason)
    assert good.kept


class LeakingUser:
    """Says an id whatever it is asked."""

    made_by = "user:leaking"

    def answer(self, message, disclosures, actions=()):
        """Break the brief."""
        return UserReply("It is IT-1.", is_done="?" not in message, fault="says_an_id")


def test_a_rollout_is_dropped_as_the_users_fault_even_if_it_earns_everything(candidates):
    (row, other), _ = candidates((ASK, *GOOD[2:]), (FIND, RENAME, DONE), user=LeakingUser())

    assert row.drop_reason == "user_broke_the_brief:says_an_id"
    assert other.drop_reason == "user_broke_the_brief:says_an_id"


def test_without_a_conversation_the_user_says_everything_at_once(candidates):
    script = (FIND, RENAME, TextReply("Done. Anything else?"))
    (row, _), _ = candidates(script, script, mode="non_conversational")

    assert row.kept
    assert row.messages[1]["content"] == "Please rename the box. The title should be Vase."
    assert [m["role"] for m in row.messages].count("user") == 1


def test_an_endpoint_that_takes_no_first_request_ends_the_run(candidates):
    with pytest.raises(RequestRejectedError):
        candidates((ErrorReply(404, "no such model"),), GOOD)


def test_an_endpoint_that_stays_overloaded_ends_the_run(candidates):
    with pytest.raises(ModelOverloadedError):
        candidates((FIND, *[ErrorReply(529)] * 9), GOOD)
