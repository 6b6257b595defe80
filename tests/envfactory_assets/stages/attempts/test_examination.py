"""What becomes of test cases from round to round."""

from envfactory_resources.clients.fake_messages.server import FakeMessages

SILENT_PAST = ("if day < self.clock.today:\n", 'if day < "1999-01-01":\n')
FIVE_ROOMS = ("rng.sample(_NAMES, 4)", "rng.sample(_NAMES, 5)")
PAST = "A room is booked once a day, from today on, for as many as it seats"


def listing(name, seats, count):
    call = {"tool": "list_rooms", "arguments": {"min_seats": seats}, "expect": "ok"}
    return {
        "name": name,
        "complexity": "simple",
        "seed": 0,
        "calls": [{**call, "result": {"rooms.length": count}}],
    }


def judged(case, is_upheld, replacement=None):
    verdict = {"case": case, "is_upheld": is_upheld, "reason": "So say the rules."}
    return verdict if replacement is None else {**verdict, "replacement": replacement}


def names(row):
    return [case["name"] for case in row.cases]


def test_other_scenarios_get_other_cases(lines, attempt, cases, changed):
    other = listing("Five rooms are drawn", 1, 5)
    script = [
        lines.coder_hands_in(changed(SILENT_PAST)),
        lines.tester_hands_in(cases),
        lines.tester_judges(judged(PAST, True)),
        lines.coder_hands_in(changed(FIVE_ROOMS)),
        lines.tester_hands_in([other], system='"MR-5"'),
        lines.tester_hands_in([], system='"MR-5"'),
    ]
    with FakeMessages(script) as fake:
        rows = attempt(fake)

    assert fake.unplayed == []
    assert [row.outcome for row in rows] == ["failed_gates", "accepted"]
    assert names(rows[1])[0] == "Five rooms are drawn"
    assert PAST not in names(rows[1])


def test_a_replacement_that_fails_too_is_dropped(lines, attempt, good, cases):
    wrong, as_wrong = listing("Twenty seats", 20, 1), listing("Nineteen seats", 19, 1)
    script = [
        lines.coder_hands_in(good),
        lines.tester_hands_in([*cases, wrong]),
        lines.tester_judges(judged("Twenty seats", False, as_wrong)),
    ]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    assert row.outcome == "accepted"
    assert names(row) == [case["name"] for case in cases]
    assert [(verdict["case"], verdict["is_upheld"]) for verdict in row.case_verdicts] == [
        ("Twenty seats", False),
        ("Nineteen seats", False),
    ]


def test_what_withdrawn_cases_leave_open_is_recorded(lines, attempt, changed, cases):
    without_refusal = [case for case in cases if case["name"] != "What does not exist is refused"]
    script = [
        lines.coder_hands_in(changed(SILENT_PAST)),
        lines.tester_hands_in([*without_refusal, listing("All", 1, 4)]),
        lines.tester_hands_in([]),
        lines.tester_judges(judged(PAST, False)),
    ]
    with FakeMessages(script) as fake:
        (row,) = attempt(fake)

    # The tester was wrong to withdraw it; the row says what it said.
    assert row.outcome == "accepted"
    assert row.case_verdicts[0]["case"] == PAST
    recorded = [name for name in names(row) if name.startswith("Recorded: ")]
    assert any("list_bookings refuses" in name for name in recorded)


def test_a_tester_is_not_asked_about_code_that_does_not_run(lines, attempt):
    with FakeMessages([lines.coder_hands_in("def (:\n")]) as fake:
        (row,) = attempt(fake, max_rounds=1)

    assert (row.outcome, row.cases) == ("failed_gates", ())
    assert row.findings[0]["expected"] == "a Python file"
    assert [request.role for request in fake.requests] == ["coder"]
