"""Many rollouts at once: bounded, slowed down by the endpoint, gone on with after a kill."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from envfactory_assets.records.trajectories import CandidateTrajectory
from envfactory_resources.clients.fake_messages.replies import ErrorReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from tests.envfactory_assets.players.teacher import TeacherPlayer, Way
from tests.envfactory_assets.stages.trajectories.rollouts import MAX_CONCURRENCY, roll_out

SCRIPT = Path(__file__).parent / "rollouts.py"
CHECKOUT = Path(__file__).parents[4]


class Endpoint:
    """Plays an honest teacher, counts how many requests are under way, and refuses too many."""

    def __init__(self, pipeline, *, meet=0, takes=None):
        """Take what to do.

        Args:
            pipeline: Holds the tasks.
            meet: So many requests are answered only when they all have come.
            takes: So many requests are taken at once, each for a while, and the others refused.
        """
        self._player = TeacherPlayer(
            lambda: pipeline.refined, lambda: pipeline.catalog, always=Way.HONEST
        )
        self._meeting = threading.Barrier(meet, timeout=60) if meet else None
        self._meet = meet
        self._takes = takes
        self._lock = threading.Lock()
        self._under_way = 0
        self.most_at_once = 0
        self.refused = 0
        self.lines = [ScriptLine(self._answer, role="teacher", times=None)]

    def _answer(self, request):
        with self._lock:
            if self._takes is not None and self._under_way >= self._takes:
                self.refused += 1
                return ErrorReply(429, retry_after_seconds=0.01)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            if self._meeting is not None and request.number <= self._meet:
                self._meeting.wait()
            if self._takes is not None:
                threading.Event().wait(0.01)
            return self._player(request)
        finally:
            with self._lock:
                self._under_way -= 1


def rolled_out(endpoint, pipeline, tmp_path, **settings):
    with FakeMessages(endpoint.lines) as fake:
        rows, used = roll_out(
            fake.url, tmp_path / "replies", pipeline.refined, pipeline.catalog, **settings
        )
        return rows, used, fake.requests


def tasks_of(pipeline):
    return {query.task_id for query in pipeline.refined}


def test_two_hundred_rollouts_are_under_way_at_once(pipeline, tmp_path):
    """Nobody is answered before the two hundredth has asked."""
    endpoint = Endpoint(pipeline, meet=200)
    rows, used, requests = rolled_out(
        endpoint, pipeline, tmp_path, max_concurrency=200, candidates=9
    )

    assert len(rows) == 9 * len(tasks_of(pipeline)) >= 200
    assert endpoint.most_at_once == 200
    assert Counter(row.kept for row in rows)[True] == len(tasks_of(pipeline))
    assert (used.call_count, used.failed_call_count) == (len(requests), 0)


def test_never_more_requests_than_allowed_are_under_way(pipeline, tmp_path):
    endpoint = Endpoint(pipeline, meet=6)
    rolled_out(endpoint, pipeline, tmp_path, max_concurrency=6, candidates=2)

    assert endpoint.most_at_once == 6


def test_an_endpoint_that_takes_few_at_once_gets_them_and_nothing_is_lost(pipeline, tmp_path):
    calm = Endpoint(pipeline)
    expected, _, _ = rolled_out(calm, pipeline, tmp_path / "calm", max_concurrency=40)
    busy = Endpoint(pipeline, takes=2)
    rows, used, _ = rolled_out(busy, pipeline, tmp_path / "busy", max_concurrency=40)

    assert busy.refused > 0
    assert used.failed_call_count == 0
    assert rows == expected


@pytest.fixture
def interrupted(pipeline, tmp_path):
    """Kill a process in the middle of its rollouts; return what the endpoint got until then."""
    lines = [query.model_dump_json() for query in pipeline.refined]
    (tmp_path / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def run(kill_at):
        endpoint, process = Endpoint(pipeline), None
        [line] = endpoint.lines

        def answer(request):
            if request.number == kill_at:
                os.kill(process.pid, signal.SIGKILL)
            return line.reply(request)

        with FakeMessages([ScriptLine(answer, role="teacher", times=None)]) as fake:
            process = subprocess.Popen(
                [sys.executable, str(SCRIPT), fake.url, str(tmp_path)],
                cwd=CHECKOUT,
                env={"PYTHONPATH": str(CHECKOUT)},
                stdout=subprocess.PIPE,
                text=True,
            )
            told, _ = process.communicate(timeout=120)
            return process.returncode, told, len(fake.requests)

    return run


def test_a_killed_run_goes_on_and_asks_only_for_what_is_missing(interrupted, pipeline, tmp_path):
    expected, _, requests = rolled_out(Endpoint(pipeline), pipeline, tmp_path / "whole")
    needed, half = len(requests), len(requests) // 2

    status, told, asked_before = interrupted(half)
    assert (status, told) == (-signal.SIGKILL, "")
    status, told, asked_after = interrupted(0)

    assert status == 0
    rows = [CandidateTrajectory.model_validate_json(line) for line in told.splitlines()]
    assert rows == expected
    assert needed <= asked_before + asked_after <= needed + MAX_CONCURRENCY
