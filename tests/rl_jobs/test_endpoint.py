import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from envfactory_assets.records.datasets import RlTask, SftExample
from envfactory_assets.stages.evaluation.attempts import EvaluatedAttempt
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RefusalReply,
    TextReply,
    ToolCallsReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import ModelOverloadedError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from rl_jobs.endpoint import EndpointSettings, as_sent, attempt_all, attempt_task, tasks_for
from rl_jobs.task_session import Place
from sandboxes.core.catalog import Catalog

RIGHT = {"category": "leisure", "monthly_limit": 250.0}
SET_BUDGET = ToolCallsReply([("payments__set_budget", RIGHT)], "Let me set it.")
ASK = TextReply("Which monthly limit should it be?")
DONE = TextReply("Your leisure budget is 250 a month.")
ONCE = EndpointSettings(samples=1)

Attempted = Callable[..., EvaluatedAttempt]


@pytest.fixture
def attempted(
    budget_task: RlTask, catalog: Catalog, tmp_path_factory: pytest.TempPathFactory
) -> Attempted:
    """Attempt the budget task with scripted replies, one after the other."""

    def attempt(*replies: object, task: RlTask = budget_task) -> EvaluatedAttempt:
        script = [ScriptLine(reply, sequence=n) for n, reply in enumerate(replies, 1)]
        with opened(script, tmp_path_factory.mktemp("replies")) as (model, fake):
            row = attempt_task(model, task, place(catalog), ONCE, 0)
            assert fake.unplayed == []
        return row

    return attempt


@contextmanager
def opened(script: list, cache: Path) -> Iterator[tuple[LanguageModel, FakeMessages]]:
    with (
        FakeMessages(script) as fake,
        LanguageModel(model="fake-1", base_url=fake.url, cache_dir=cache, max_retries=0) as model,
    ):
        yield model, fake


def place(catalog: Catalog) -> Place:
    return Place(catalog, ONCE.limits, ONCE.reward)


def test_a_model_that_asks_and_does_what_it_heard_earns_one(attempted: Attempted) -> None:
    row = attempted(ASK, SET_BUDGET, DONE)

    assert row.reward == 1.0
    assert row.error_classes == ()
    assert (row.policy, row.decoding, row.calls) == ("endpoint", "sampled", 1)
    assert "The monthly limit should be 250." in row.completion


def test_what_goes_wrong_has_the_classes_of_every_policy(attempted: Attempted) -> None:
    wrong = ToolCallsReply([("payments__set_budget", {**RIGHT, "monthly_limit": 300.0})])

    assert attempted(DONE).error_classes == ("missing_call",)
    assert "wrong_argument" in attempted(wrong, DONE).error_classes
    assert "step_limit" in attempted(TruncatedReply()).error_classes
    assert attempted(RefusalReply()).reward == 0.0


def test_a_refused_call_is_answered_as_an_error(
    budget_task: RlTask, catalog: Catalog, tmp_path: Path
) -> None:
    broken = ToolCallsReply([("payments__set_budget", {"category": "leisure"})])
    script = [ScriptLine(broken, sequence=1), ScriptLine(DONE, sequence=2)]
    with opened(script, tmp_path) as (model, fake):
        row = attempt_task(model, budget_task, place(catalog), ONCE, 0)
        [block] = fake.requests[-1].body["messages"][-1]["content"]

    assert block["type"] == "tool_result"
    assert block["is_error"] is True
    assert "refused" in row.error_classes


def test_parallel_calls_are_made_in_order_and_all_answered(attempted: Attempted) -> None:
    both = ToolCallsReply(
        [("payments__list_budgets", {}), ("payments__set_budget", RIGHT)], "Both at once."
    )
    row = attempted(both, DONE)

    assert row.calls == 2
    assert row.reward == 1.0


def test_earlier_turns_reach_the_endpoint_with_their_calls_and_results(
    examples: list[SftExample],
) -> None:
    sent = as_sent(examples[0].messages)

    assert [message["role"] for message in sent] == ["user", "assistant", "user", "assistant"]
    kinds = [[block["type"] for block in message["content"]] for message in sent]
    assert kinds == [["text"], ["tool_use"], ["tool_result"], ["text"]]
    assert sent[1]["content"][0]["id"] == sent[2]["content"][0]["tool_use_id"]
    assert isinstance(sent[1]["content"][0]["input"], dict)


def test_every_task_is_attempted_as_often_as_asked_and_a_rerun_asks_nothing(
    tasks: list[RlTask], catalog: Catalog, tmp_path: Path
) -> None:
    settings = EndpointSettings(samples=2)
    seen: list[EvaluatedAttempt] = []
    script = [ScriptLine(DONE, times=None)]
    with opened(script, tmp_path) as (model, fake):
        rows = attempt_all(model, tasks[:3], place(catalog), settings, seen.append)
        count = len(fake.requests)
        again = attempt_all(model, tasks[:3], place(catalog), settings)

        assert len(fake.requests) == count == 6
    assert again == rows
    assert sorted(row.row_id for row in seen) == sorted(row.row_id for row in rows)
    assert [(row.row_id, row.sample) for row in rows] == [
        (task.row_id, sample) for task in tasks[:3] for sample in (0, 1)
    ]


def test_an_endpoint_that_cannot_be_reached_ends_the_evaluation(
    budget_task: RlTask, catalog: Catalog, tmp_path: Path
) -> None:
    script = [ScriptLine(ErrorReply(529), times=None)]
    with (
        opened(script, tmp_path) as (model, _),
        pytest.raises(ModelOverloadedError),
    ):
        attempt_task(model, budget_task, place(catalog), ONCE, 0)


def test_the_tasks_are_held_out_and_spread(tasks: list[RlTask]) -> None:
    held_out = [
        task.model_copy(update={"split": "test_chains" if index else "train"})
        for index, task in enumerate(tasks)
    ]
    chosen = tasks_for(held_out, EndpointSettings())

    assert len(chosen.tasks) == len(tasks) - 1
    assert json.loads(EndpointSettings().model_dump_json())["tasks"]["spread"] is True
