import pytest

from envfactory_assets.stages.attempts import authors
from envfactory_assets.stages.attempts.candidates import write_candidate
from envfactory_assets.stages.attempts.model_tester import ModelTester
from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_assets.stages.model_role import ModelRole
from envfactory_resources.clients.fake_messages.replies import RefusalReply, TextReply
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    RefusedReplyError,
)
from sandboxes.verification.cases import Case
from sandboxes.verification.report import Finding


@pytest.fixture
def draft(proposal, direct_verifier, good, tmp_path):
    source = write_candidate(tmp_path / "scratch", proposal, good, ())
    look = direct_verifier.look(source, (0, 1))
    return authors.TestedDraft(proposal, source, look.tools, look.states)


@pytest.fixture
def tester_at(model_at):
    def at(fake):
        return ModelTester(ModelRole(model_at(fake), "tester"), GenerationSettings())

    return at


def failure(case):
    finding = Finding(
        gate="results",
        tool="meeting_rooms__list_rooms",
        fault="implementation",
        call=None,
        expected="rooms.length = 4",
        got="3",
        hint="Mend it.",
    )
    return Case.model_validate(case | {"calls": tuple(case["calls"])}), finding


def test_the_tester_sees_proposal_tools_and_states_but_no_code(lines, tester_at, draft, cases):
    with FakeMessages([lines.tester_hands_in(cases)]) as fake:
        written = tester_at(fake).write_cases(draft)

    assert [case.name for case in written.cases] == [case["name"] for case in cases]
    system = fake.requests[0].system
    assert "Nobody books a day in the past." in system
    assert '"name": "meeting_rooms__book_room"' in system
    assert '"name":"Rowan","seats":16' in system
    assert "def book_room" not in system
    assert fake.requests[0].last_user == "Write 14 test cases."


def test_what_the_cases_lack_is_asked_for_once_more(lines, tester_at, draft, cases):
    script = [
        lines.tester_hands_in(cases[:3]),
        lines.tester_hands_in(cases[3:], last_user="They lack: a medium case"),
    ]
    with FakeMessages(script) as fake:
        written = tester_at(fake).write_cases(draft)

    assert len(written.cases) == len(cases)
    assert written.usage.request_count == 2
    assert fake.requests[0].system == fake.requests[1].system
    assert "a call of list_bookings that is refused" in fake.requests[1].last_user


def test_cases_that_cannot_be_run_are_dropped_with_the_reason(lines, tester_at, draft, cases):
    unknown = {**cases[0], "name": "A", "calls": [{"tool": "fly", "arguments": {}, "expect": "ok"}]}
    elsewhere = {**cases[0], "name": "B", "seed": 7}
    crooked = {**cases[0], "name": "C", "complexity": "epic"}
    nulls = {**cases[0], "name": "D", "calls": [{**cases[0]["calls"][0], "error": None}]}
    script = [
        lines.tester_hands_in([*cases, unknown, elsewhere, crooked, "a text", nulls]),
        lines.tester_hands_in([], pattern="unknown tool 'fly'.*scenario 7.*complexity"),
    ]
    with FakeMessages(script) as fake:
        written = tester_at(fake).write_cases(draft)

    assert fake.unplayed == []
    assert [case.name for case in written.cases] == [*(case["name"] for case in cases), "D"]


def test_an_answer_that_cannot_be_read_is_asked_for_once_more(lines, tester_at, draft, cases):
    script = [lines.tester_is(TextReply("Sure!")), lines.tester_hands_in(cases)]
    with FakeMessages(script) as fake:
        written = tester_at(fake).write_cases(draft)

    assert written.usage.request_count == 2
    with FakeMessages([lines.tester_is(TextReply("Sure!"), times=2)]) as fake:
        other = draft.proposal.model_copy(update={"rules": ()})
        with pytest.raises(MalformedReplyError) as caught:
            tester_at(fake).write_cases(
                authors.TestedDraft(other, draft.source, draft.tools, draft.states)
            )
    assert caught.value.usage.attempts == 2


def test_first_cases_count_when_further_ones_are_refused(lines, tester_at, draft, cases):
    script = [lines.tester_hands_in(cases[:3]), lines.tester_is(RefusalReply())]
    with FakeMessages(script) as fake:
        written = tester_at(fake).write_cases(draft)

    assert len(written.cases) == 3
    assert written.usage.request_count == 2


def test_a_refusal_is_no_answer(lines, tester_at, draft):
    with FakeMessages([lines.tester_is(RefusalReply())]) as fake, pytest.raises(RefusedReplyError):
        tester_at(fake).write_cases(draft)


def test_a_failed_case_that_nobody_stands_by_is_withdrawn(lines, tester_at, draft, cases):
    script = [
        lines.tester_judges(
            {"case": cases[0]["name"], "is_upheld": True, "reason": "Four rooms are drawn."},
            {"case": "A stranger", "is_upheld": True, "reason": "Who knows."},
        )
    ]
    with FakeMessages(script) as fake:
        verdicts, instead = tester_at(fake).reconsider(
            draft, [failure(cases[0]), failure(cases[1])]
        )

    assert [(verdict.case, verdict.is_upheld) for verdict in verdicts] == [
        (cases[0]["name"], True),
        (cases[1]["name"], False),
    ]
    assert verdicts[1].reason == "The tester says nothing of it."
    assert instead.cases == ()
    assert "rooms.length = 4" in fake.requests[0].last_user
