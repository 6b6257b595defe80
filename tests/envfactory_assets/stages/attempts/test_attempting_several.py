import threading

import pytest

from envfactory_assets.stages.attempts.authors import Draft
from envfactory_assets.stages.attempts.errors import UnsupportedProposalError
from envfactory_assets.stages.attempts.loop import attempt_all
from envfactory_assets.stages.attempts.rule_tester import RuleTester
from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_resources.clients.fake_messages.replies import RefusalReply, SlowReply, TextReply
from envfactory_resources.clients.fake_messages.server import FakeMessages
from sandboxes.core.errors import ConfinementUnavailableError

SETTINGS = GenerationSettings(measures_mutation=False, concurrency=2)


class Coder:
    """Hands in what a function makes of the proposal."""

    made_by = "coder:test"

    def __init__(self, write):
        self._write = write

    def write(self, proposal, earlier):
        return Draft(self._write(proposal))


@pytest.fixture
def named(proposal):
    """Make the proposal under other names."""

    def make(*names, **changes):
        return [
            proposal.model_copy(
                update={"name": name, "environment_id": f"office.{name}", **changes}
            )
            for name in names
        ]

    return make


@pytest.fixture
def attempt_with(direct_verifier, tmp_path):
    def run(proposals, write, verifier=direct_verifier, settings=SETTINGS):
        tester = RuleTester(direct_verifier)
        return attempt_all(proposals, Coder(write), tester, verifier, settings, tmp_path)

    return run


def test_rows_come_in_order_of_environment_whichever_was_done_first(named, attempt_with, good):
    second_is_done = threading.Event()

    def write(proposal):
        if proposal.name == "rooms_b":
            second_is_done.set()
        else:
            assert second_is_done.wait(30)
        return good

    rows = attempt_with(named("rooms_b", "rooms_a"), write)

    assert [row.environment_id for row in rows] == ["office.rooms_a", "office.rooms_b"]
    assert {row.outcome for row in rows} == {"accepted"}


def test_as_many_are_under_way_as_allowed_and_no_more(named, attempt_with):
    two_are_here = threading.Barrier(2, timeout=30)
    lock, under_way, most = threading.Lock(), 0, 0

    def write(proposal):
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        two_are_here.wait()
        with lock:
            under_way -= 1
        raise UnsupportedProposalError("Operation 'other' of tool 'fly' is not supported.")

    rows = attempt_with(named(*(f"rooms_{letter}" for letter in "abcdef")), write)

    assert most == 2
    assert [row.outcome for row in rows] == ["unsupported"] * 6
    assert rows[0].reason == "Operation 'other' of tool 'fly' is not supported."
    assert (rows[0].source, rows[0].is_final) == ("", True)


def test_what_fails_with_one_touches_no_other(named, attempt_with, good):
    def write(proposal):
        if proposal.name == "rooms_a":
            raise ZeroDivisionError("by nought")
        return good

    rows = attempt_with(named("rooms_a", "rooms_b"), write)

    assert [row.outcome for row in rows] == ["faulted", "accepted"]
    assert (rows[0].reason, rows[0].is_final) == ("ZeroDivisionError: by nought", True)


def test_only_wanted_proposals_are_written(named, attempt_with, good):
    proposals = [
        *named("rooms_a", status="vetoed"),
        *named("rooms_b", status="duplicate"),
        *named("rooms_c", status="edited"),
    ]

    rows = attempt_with(proposals, lambda _: good)

    assert [row.environment_id for row in rows] == ["office.rooms_c"]


def test_a_machine_that_cannot_confine_ends_the_run(named, attempt_with, direct_verifier, good):
    class Unavailable:
        def verify(self, source, *, measures_mutation):
            raise ConfinementUnavailableError("Neither Landlock nor bubblewrap is here.")

    with pytest.raises(ConfinementUnavailableError, match="bubblewrap"):
        attempt_with(named("rooms_a"), lambda _: good, verifier=Unavailable())


def test_models_write_several_at_once(named, roles_at, direct_verifier, lines, good, tmp_path):
    slow = SlowReply(TextReply(f"```python\n{good}```"), delay_seconds=0.05)
    script = [
        lines.coder_is(slow, last_user="office.rooms_a"),
        lines.coder_is(RefusalReply(), last_user="office.rooms_b"),
        lines.coder_hands_in(good, last_user="office.rooms_c"),
        lines.tester_hands_in([], times=None),
    ]
    with FakeMessages(script) as fake:
        coder, tester = roles_at(fake, SETTINGS)
        proposals = named("rooms_a", "rooms_b", "rooms_c")
        rows = attempt_all(proposals, coder, tester, direct_verifier, SETTINGS, tmp_path)

    assert [row.outcome for row in rows] == ["accepted", "refused", "accepted"]
    # A tester without ideas is asked twice; recorded cases stand in for what it left out.
    assert len(fake.requests) == 7
    assert all(case["name"].startswith("Recorded: ") for case in rows[0].cases)
