"""A killed run goes on where it was: what was answered is not asked, or paid for, again."""

import subprocess
import sys
from pathlib import Path

import pytest

from envfactory_assets.records.attempts import EnvironmentAttempt
from envfactory_resources.clients.fake_messages.server import FakeMessages

SCRIPT = Path(__file__).parent / "resumable_attempts.py"
CHECKOUT = Path(__file__).parents[4]
SALTED = ('booking_id = self.clock.next_id("MB")', 'booking_id = f"MB-{hash(title) % 90 + 9}"')


class StoppedError(BaseException):
    """What a run that somebody stops is ended by."""


class StoppingVerifier:
    """Stops the run when it is asked for the n-th time."""

    def __init__(self, verifier, stop_at):
        self._verifier = verifier
        self._left = stop_at

    def verify(self, source, *, measures_mutation):
        self._left -= 1
        if self._left == 0:
            raise StoppedError
        return self._verifier.verify(source, measures_mutation=measures_mutation)

    def __getattr__(self, name):
        return getattr(self._verifier, name)


@pytest.fixture
def script(lines, good, changed, cases):
    """Each line answers once: a question that is asked twice fails the test."""
    return [
        lines.coder_hands_in(changed(SALTED)),
        lines.coder_hands_in(good),
        lines.tester_hands_in(cases),
    ]


@pytest.mark.parametrize(("stop_at", "asked_before"), [(1, 1), (2, 2), (3, 3)])
def test_a_stopped_run_asks_only_for_what_is_missing(
    attempt, direct_verifier, script, stop_at, asked_before
):
    with FakeMessages(script) as fake:
        with pytest.raises(StoppedError):
            attempt(fake, verifier=StoppingVerifier(direct_verifier, stop_at))
        assert len(fake.requests) == asked_before
        rows = attempt(fake)

    assert [row.outcome for row in rows] == ["failed_gates", "accepted"]
    assert len(fake.requests) == 3


def test_a_run_that_is_done_again_gives_the_same_rows_and_asks_nothing(attempt, script):
    with FakeMessages(script) as fake:
        first, again = attempt(fake), attempt(fake)

    assert again == first
    assert again[0].usage.output_tokens > 0
    assert len(fake.requests) == 3


def run(url, folder, kill_at):
    return subprocess.run(
        [sys.executable, str(SCRIPT), url, str(folder), str(kill_at)],
        cwd=CHECKOUT,
        env={"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_killed_process_leaves_what_the_next_one_needs(script, tmp_path):
    with FakeMessages(script) as fake:
        killed = run(fake.url, tmp_path, 2)
        assert (killed.returncode, killed.stdout, len(fake.requests)) == (-9, "", 2)
        done = run(fake.url, tmp_path, 0)

    assert done.returncode == 0, done.stderr
    rows = [EnvironmentAttempt.model_validate_json(line) for line in done.stdout.splitlines()]
    assert [row.outcome for row in rows] == ["failed_gates", "accepted"]
    assert len(fake.requests) == 3
