import subprocess
import sys
from pathlib import Path

import pytest

from envfactory_assets.stages.trajectories.candidates import (
    FAILS_TASK,
    LOWER_REWARD,
    NOT_SOLVED,
    Players,
    candidate_trajectories,
)
from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD, UserReply
from envfactory_assets.stages.trajectories.solvers import RuleTeacher
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

ROOT = Path(__file__).parents[4]


class SilentUser:
    """Never tells what it keeps back."""

    made_by = "user:silent"

    def answer(self, message, disclosures, actions=()):
        """Return nothing of use."""
        return UserReply(NOTHING_TO_ADD, is_done="?" not in message)


@pytest.fixture(scope="module")
def unsolved(pipeline):
    """The attempts at a task whose user never tells what it keeps back."""
    turns = next(
        rows for rows in pipeline.refined_by_task().values() if any(row.disclosures for row in rows)
    )
    players = Players(RuleTeacher(), SilentUser(), RuleJudge())
    rows = candidate_trajectories(turns, pipeline.catalog, TrajectorySettings(), players)
    return turns, rows


def test_the_best_is_the_one_with_the_highest_reward_then_the_fewest_calls(pipeline):
    for rows in pipeline.by_task(pipeline.candidates).values():
        (best,) = [row for row in rows if row.kept]
        solving = [row for row in rows if min(row.reward_trajectory, row.reward_state) > 0.999]
        rank = min((-row.reward, len(row.calls), len(row.messages)) for row in solving)
        assert (-best.reward, len(best.calls), len(best.messages)) == rank


def test_the_others_are_dropped_with_a_reason(pipeline):
    for row in pipeline.candidates:
        if row.kept:
            assert row.drop_reason is None
        elif min(row.reward_trajectory, row.reward_state) > 0.999:
            assert row.drop_reason == LOWER_REWARD
        else:
            assert row.drop_reason == FAILS_TASK


def test_a_task_that_nobody_solves_keeps_no_candidate(unsolved):
    _, rows = unsolved

    assert {row.drop_reason for row in rows} == {NOT_SOLVED}
    assert not any(row.kept for row in rows)
    assert {row.made_by for row in rows} == {"teacher:rules,user:silent"}


def test_the_recorded_calls_lead_to_the_recorded_end_states(pipeline):
    for row in pipeline.candidates:
        turns = pipeline.refined_by_task()[row.task_id]
        session = Session.open(Scenario.model_validate(turns[0].scenario), pipeline.catalog)
        records = [session.call(call["tool"], call["arguments"]) for call in row.calls]
        assert [record.ok for record in records] == [call["ok"] for call in row.calls]
        assert session.states() == row.end_states


def test_rows_are_byte_identical_in_processes_with_different_hash_seeds(whole_pipeline):
    hashes = {
        subprocess.run(
            [sys.executable, str(whole_pipeline.path)],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1
    assert len(hashes.pop()) == 64
