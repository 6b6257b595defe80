"""The common pace of requests, on a clock that only moves when somebody sleeps."""

import threading

import pytest

from envfactory_resources.clients.fake_messages.replies import ErrorReply, TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.pace import Pace


class Clock:
    """Seconds that pass while somebody sleeps."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pace(clock):
    return Pace(clock, clock.sleep)


def test_nobody_waits_before_the_endpoint_is_busy(pace):
    assert [pace.wait() for _ in range(3)] == [100.0, 100.0, 100.0]


def test_after_a_refusal_nobody_sends_before_the_time_that_was_asked_for(pace):
    pace.slow_down(pace.wait(), 7.0)

    assert [round(pace.wait(), 3) for _ in range(3)] == [107.0, 107.02, 107.04]


def test_refusals_of_one_crowd_widen_the_distance_once(pace):
    sent = [pace.wait() for _ in range(5)]
    for sent_at in sent:
        pace.slow_down(sent_at, 1.0)

    assert [round(pace.wait(), 3) for _ in range(2)] == [101.0, 101.02]


def test_a_refusal_after_a_pause_doubles_the_distance_and_answers_shrink_it(pace):
    pace.slow_down(pace.wait(), 1.0)
    pace.slow_down(pace.wait(), 1.0)
    assert [round(pace.wait(), 3) for _ in range(2)] == [102.0, 102.04]

    for _ in range(200):
        pace.speed_up()
    pace.wait()
    assert pace.wait() == pace.wait()


def test_a_pause_is_never_longer_than_a_minute(pace):
    pace.slow_down(pace.wait(), 86_400.0)

    assert pace.wait() == 160.0


def test_a_busy_endpoint_slows_everybody_down_and_loses_nothing(connect):
    """It takes five requests at a time and refuses the others."""
    lock = threading.Lock()
    under_way, refused = 0, 0

    def answer(request):
        nonlocal under_way, refused
        with lock:
            if under_way >= 5:
                refused += 1
                return ErrorReply(429, retry_after_seconds=0.02)
            under_way += 1
        threading.Event().wait(0.01)
        with lock:
            under_way -= 1
        return TextReply(f"Answer to {request.last_user}")

    with FakeMessages([ScriptLine(answer, times=None)]) as fake:
        model = connect(fake, max_concurrency=60, max_retries=5)

        def ask(number):
            said = [{"role": "user", "content": f"question {number}"}]
            return model.complete("teacher", "", said, max_tokens=9).text

        replies = map_bounded(ask, range(120), max_concurrency=60)

    assert replies == [f"Answer to question {number}" for number in range(120)]
    assert refused > 0
    assert model.ledger.by_role()["teacher"].failed_call_count == 0
