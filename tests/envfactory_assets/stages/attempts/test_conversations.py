"""Conversations of coder, gates and tester, as the real client has them with a fake endpoint."""

import pytest

from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RefusalReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.server import FakeMessages

SILENT_PAST = ("if day < self.clock.today:\n", 'if day < "1999-01-01":\n')
SALTED = ('booking_id = self.clock.next_id("MB")', 'booking_id = f"MB-{hash(title) % 90 + 9}"')
NO_DESCRIPTION = ('Field(description="How many people it seats")', "Field()")
LISTS_NOTHING = ("return RoomList(rooms=sorted(rooms,", "return RoomList(rooms=sorted(rooms[:0],")
READS_A_FILE = ("_NAMES = (", 'SECRETS = open("/etc/hostname").read()\n_NAMES = (')
DETAILS = "    def _room(self"


def outcomes(rows):
    return [row.outcome for row in rows]


def gates(row):
    return {finding["gate"] for finding in row.findings}


def test_good_code_is_accepted_in_the_first_round(lines, attempt, good, cases):
    with FakeMessages([lines.coder_hands_in(good), lines.tester_hands_in(cases)]) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.is_final, row.round) == ("accepted", True, 1)
    assert row.attempt_id == "office.meeting_rooms#1"
    assert (row.source, row.findings, row.source_diff) == (good, (), "")
    assert [case["name"] for case in row.cases] == [case["name"] for case in cases]
    assert (row.made_by, row.tested_by) == ("coder:fake-1", "tester:fake-1")
    assert [request.role for request in fake.requests] == ["coder", "tester"]
    assert row.usage.request_count == 2
    assert row.usage.output_tokens > 1_000 < row.usage.cache_write_tokens


def test_code_that_fails_two_gates_is_mended_with_the_findings(
    lines, attempt, good, cases, changed
):
    script = [
        lines.coder_hands_in(changed(SALTED, NO_DESCRIPTION)),
        lines.coder_hands_in(changed(NO_DESCRIPTION), last_user="no hash()"),
        lines.coder_hands_in(good, pattern="(?s)argument|result field.*no description"),
        lines.tester_hands_in(cases),
    ]
    with FakeMessages(script) as fake:
        rows = attempt(fake)

    assert fake.unplayed == []
    assert outcomes(rows) == ["failed_gates", "failed_gates", "accepted"]
    assert [gates(row) for row in rows] == [{"execution"}, {"interface"}, set()]
    assert [row.is_final for row in rows] == [False, False, True]
    assert '+        booking_id = self.clock.next_id("MB")' in rows[1].source_diff
    assert "hash(title)" in fake.requests[1].messages[1]["content"]


def test_code_that_never_passes_ends_with_the_last_round(lines, attempt, changed):
    broken = [changed(SALTED, ("_NAMES = (", f"_UNUSED = {n}\n_NAMES = (")) for n in range(3)]
    with FakeMessages([lines.coder_hands_in(code) for code in broken]) as fake:
        rows = attempt(fake, max_rounds=3)

    assert outcomes(rows) == ["failed_gates"] * 3
    assert [row.is_final for row in rows] == [False, False, True]
    assert rows[-1].reason == "1 finding (execution), and that was the last of 3 rounds."
    assert len(fake.requests) == 3


def test_a_coder_who_hands_in_failed_code_again_is_stopped(lines, attempt, changed):
    first, second = changed(SALTED), changed(NO_DESCRIPTION)
    script = [lines.coder_hands_in(code) for code in (first, second, first)]
    with FakeMessages(script) as fake:
        rows = attempt(fake, max_rounds=9)

    assert outcomes(rows) == ["failed_gates", "failed_gates", "unchanged"]
    assert rows[-1].reason == "The coder hands in the failed code of round 1 again."
    assert rows[-1].source_hash == rows[0].source_hash
    assert rows[-1].findings == rows[0].findings


def test_prose_is_asked_about_once_more_and_then_given_up(lines, attempt):
    script = [
        lines.coder_says("I shall write it tomorrow."),
        lines.coder_says("Or the day after.", last_user="no fenced Python block"),
    ]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.is_final, row.source) == ("malformed_reply", True, "")
    assert "no fenced Python block" in row.reason
    assert row.usage.request_count == len(fake.requests) == 2
    assert row.usage.output_tokens > 0


def test_prose_followed_by_a_file_counts(lines, attempt, good, cases):
    script = [
        lines.coder_says("Which one?"),
        lines.coder_hands_in(good),
        lines.tester_hands_in(cases),
    ]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.usage.request_count) == ("accepted", 3)


def test_an_overloaded_endpoint_is_waited_for(lines, attempt, good, cases):
    script = [
        lines.coder_is(ErrorReply(529)),
        lines.coder_is(ErrorReply(429)),
        lines.coder_hands_in(good),
        lines.tester_hands_in(cases),
    ]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.usage.request_count) == ("accepted", 4)


def test_an_endpoint_that_stays_overloaded_ends_the_attempt(lines, attempt):
    with FakeMessages([lines.coder_is(ErrorReply(529), times=None)]) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.is_final) == ("unreachable", True)
    assert "529" in row.reason
    assert row.usage.request_count == len(fake.requests) == 3


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (RefusalReply(), "refused"),
        (TruncatedReply("```python\nimport random\n"), "truncated_reply"),
    ],
)
def test_a_reply_that_is_no_answer_ends_the_attempt(lines, attempt, reply, outcome):
    with FakeMessages([lines.coder_is(reply)]) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.is_final, row.cases) == (outcome, True, ())
    assert row.usage.request_count == len(fake.requests) == 1


def test_a_tester_who_refuses_ends_the_attempt_with_the_code_kept(lines, attempt, good):
    script = [lines.coder_hands_in(good), lines.tester_is(RefusalReply())]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    assert (row.outcome, row.source) == ("refused", good)
    assert "Role 'tester'" in row.reason
    assert row.usage.request_count == 2


def test_removing_the_tool_that_fails_does_not_help(lines, attempt, good, changed):
    start = good.index('    @tool(effect="write", phrasings=("cancel')
    emptied = good[:start] + good[good.index(DETAILS) :]
    script = [lines.coder_hands_in(changed(SALTED)), lines.coder_hands_in(emptied)]
    with FakeMessages(script) as fake:
        rows = attempt(fake, max_rounds=2)

    assert outcomes(rows) == ["failed_gates", "failed_gates"]
    (finding,) = rows[1].findings
    assert finding["tool"] == "meeting_rooms__cancel_booking"
    assert finding["expected"] == "the proposed tool 'cancel_booking'"


def test_code_that_reaches_for_a_file_is_never_run(lines, attempt, changed):
    with FakeMessages([lines.coder_hands_in(changed(READS_A_FILE))]) as fake:
        (row,) = attempt(fake, max_rounds=1)

    assert (row.outcome, gates(row)) == ("failed_gates", {"execution"})
    assert "no use of open" in str(row.findings)


def test_what_a_case_finds_out_is_mended(lines, attempt, good, cases, changed):
    kept = "A room is booked once a day, from today on, for as many as it seats"
    script = [
        lines.coder_hands_in(changed(SILENT_PAST)),
        lines.tester_hands_in(cases),
        lines.tester_judges(
            {"case": kept, "is_upheld": True, "reason": "Nobody books a day in the past."}
        ),
        lines.coder_hands_in(good, last_user=kept),
    ]
    with FakeMessages(script) as fake:
        rows = attempt(fake)

    assert fake.unplayed == []
    assert outcomes(rows) == ["failed_gates", "accepted"]
    (verdict,) = rows[0].case_verdicts
    assert verdict["is_upheld"]
    assert verdict["expected"] == "a refusal"
    # Tools and scenarios are the same, so the cases are not paid for again.
    assert rows[1].usage.request_count == 1


def test_a_wrong_case_is_reported_and_replaced(lines, attempt, good, cases):
    wrong = {
        "name": "The largest room seats twenty",
        "complexity": "simple",
        "seed": 0,
        "calls": [
            {"tool": "list_rooms", "arguments": {"min_seats": 20}, "expect": "ok",
             "result": {"rooms.length": 1}}
        ],
    }  # fmt: skip
    better = {**wrong, "name": "The largest room seats sixteen"}
    better["calls"] = [
        {**wrong["calls"][0], "arguments": {"min_seats": 16}, "result": {"rooms.length": 2}}
    ]
    script = [
        lines.coder_hands_in(good),
        lines.tester_hands_in([*cases, wrong]),
        lines.tester_judges(
            {
                "case": wrong["name"],
                "is_upheld": False,
                "reason": "I misread.",
                "replacement": better,
            }
        ),
    ]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    assert row.outcome == "accepted"
    names = [case["name"] for case in row.cases]
    assert better["name"] in names
    assert wrong["name"] not in names
    assert row.case_verdicts == (
        {
            "case": wrong["name"],
            "is_upheld": False,
            "reason": "I misread.",
            "expected": "rooms.length = 1",
            "got": "0",
        },
    )


def test_a_spent_budget_ends_the_attempt_before_the_next_round(lines, attempt, changed):
    with FakeMessages([lines.coder_hands_in(changed(SALTED))]) as fake:
        (row,) = attempt(fake, token_budget=1_000)

    assert (row.outcome, row.is_final, len(fake.requests)) == ("budget_spent", True, 1)
    assert row.findings


def test_a_spent_budget_ends_the_attempt_before_the_tester_is_asked(lines, attempt, good):
    with FakeMessages([lines.coder_hands_in(good)]) as fake:
        (row,) = attempt(fake, token_budget=1_000)

    assert (row.outcome, row.source, len(fake.requests)) == ("budget_spent", good, 1)
    assert row.reason == "The token budget is spent before test cases are written."


def test_an_empty_list_is_not_taken_for_an_answer(lines, attempt, changed):
    with FakeMessages([lines.coder_hands_in(changed(LISTS_NOTHING))]) as fake:
        (row,) = attempt(fake, max_rounds=1)

    assert "meeting_rooms__list_rooms" in {finding["tool"] for finding in row.findings}
