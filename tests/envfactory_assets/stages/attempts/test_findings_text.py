import json

from envfactory_assets.stages.attempts.findings_text import findings_text
from sandboxes.verification.report import Finding


def finding(gate="state", tool="rooms__book", got="a change", call=None):
    return Finding(
        gate=gate,
        tool=tool,
        fault="implementation",
        call=call,
        expected="no change",
        got=got,
        hint="Mend it.",
    )


def test_what_keeps_the_file_from_running_comes_first():
    text = findings_text([finding("parameters"), finding("results"), finding("execution")])

    titles = [line for line in text.splitlines() if line.startswith("##")]
    assert titles == ["## gate execution: 1", "## gate results: 1", "## gate parameters: 1"]


def test_each_finding_is_a_json_line_without_what_is_empty():
    line = json.loads(findings_text([finding(tool=None)]).splitlines()[1])

    assert line == {
        "fault": "implementation",
        "expected": "no change",
        "got": "a change",
        "hint": "Mend it.",
    }


def test_a_few_of_one_tool_stand_for_all_and_long_values_are_cut():
    many = [finding(got="x" * 5_000) for _ in range(50)]
    text = findings_text([*many, finding(tool="rooms__list")])

    assert text.splitlines()[0] == "## gate state: 51, 4 shown"
    assert "rooms__list" in text
    assert len(text) < 5_000
