import asyncio
import json
import threading

import pyarrow.parquet
import pytest

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import SessionLimits
from rl_jobs.errors import RolloutFaultError, RowsError
from rl_jobs.exchange import ReadCall, ReadMessage
from rl_jobs.task_session import Place
from rl_jobs.verl.data_files import write_conversations, write_tasks
from rl_jobs.verl.scoring import compute_score
from rl_jobs.verl.trajectory import LoopSettings, Trajectory, bounded, refuse_unusable, task_of_row
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.session import CallRecord, Session

ARGUMENTS = {"category": "leisure", "monthly_limit": 250.0}
CALL = ReadMessage("", (ReadCall("payments__set_budget", ARGUMENTS),), 0)


class BrokenSession(Session):
    def call(self, tool: str, arguments: object) -> CallRecord:
        raise EnvironmentFaultError(f"{tool} raised KeyError: 'balance'")


class HangingSession(Session):
    """Waits until the test is over."""

    is_over = threading.Event()

    def call(self, tool: str, arguments: object) -> CallRecord:
        self.is_over.wait(10)
        raise EnvironmentFaultError("too late to matter")


def opened(task: RlTask, catalog: Catalog, kind: type[Session] | None = None) -> Trajectory:
    place = Place(catalog, SessionLimits(call_timeout_seconds=0.05 if kind else 30.0))
    trajectory = Trajectory.open(task, place)
    if kind is not None:
        session = trajectory.exchange.session
        live = session.session
        session.session = kind({key: live._environments[key] for key in live.environment_ids})
    return trajectory


def take(trajectory: Trajectory, message: ReadMessage = CALL):
    return asyncio.run(trajectory.take(message, is_whole=True))


def test_a_message_is_answered_by_the_live_session(budget_task: RlTask, catalog: Catalog) -> None:
    trajectory = opened(budget_task, catalog)
    replies = take(trajectory)
    assert [reply["role"] for reply in replies] == ["tool"]
    assert "error" not in str(replies[0]["content"])


@pytest.mark.parametrize("kind", [BrokenSession, HangingSession])
def test_a_fault_ends_the_trajectory_without_a_reward(
    budget_task: RlTask, catalog: Catalog, kind: type[Session]
) -> None:
    HangingSession.is_over.clear()
    trajectory = opened(budget_task, catalog, kind)
    with pytest.raises(RolloutFaultError, match="payments__set_budget"):
        take(trajectory)
    HangingSession.is_over.set()


def test_a_task_that_no_longer_fits_is_refused_before_training(
    budget_task: RlTask, catalog: Catalog
) -> None:
    states = {name: {} for name in budget_task.scenario["states"]}
    stale = budget_task.model_copy(update={"scenario": {**budget_task.scenario, "states": states}})
    refuse_unusable([budget_task], Place(catalog))
    with pytest.raises(RowsError, match=r"1 of 2 tasks do not fit(.|\n)*task-1-1/0"):
        refuse_unusable([budget_task, stale], Place(catalog))


def test_what_takes_too_long_is_left_behind() -> None:
    over = threading.Event()
    with pytest.raises(TimeoutError):
        asyncio.run(bounded(lambda: over.wait(10), 0.02))
    over.set()


def test_a_task_comes_back_whole_from_the_data_file(
    budget_task: RlTask, tmp_path, catalog: Catalog
) -> None:
    path = write_tasks(tmp_path / "rows.parquet", [budget_task])
    row = pyarrow.parquet.read_table(path).to_pylist()[0]
    task = task_of_row(row["extra_info"], row["reward_model"]["ground_truth"])
    same = ("row_id", "task_id", "environment_ids", "split", "turn", "prompt", "tools", "scenario")
    for name in (*same, "reference", "disclosures", "user_actions"):
        assert getattr(task, name) == getattr(budget_task, name), name


def test_conversations_stand_in_the_data_file_without_padding(tmp_path) -> None:
    first = [{"role": "assistant", "tool_calls": [{"function": {"arguments": {"a": 1}}}]}]
    second = [{"role": "assistant", "tool_calls": [{"function": {"arguments": {"b": "x"}}}]}]
    path = write_conversations(tmp_path / "rows.parquet", [(first, []), (second, [])])
    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert [json.loads(row["messages"]) for row in rows] == [first, second]


def test_a_rollout_without_a_recorded_attempt_is_no_zero(budget_task: RlTask) -> None:
    with pytest.raises(RolloutFaultError, match="agent_loop_config_path"):
        compute_score("envfactory", "text", json.dumps(budget_task.reference), {})


def test_loop_settings_survive_their_file() -> None:
    settings = LoopSettings(limits=SessionLimits(max_calls=7))
    assert LoopSettings.model_validate_json(settings.model_dump_json()) == settings
