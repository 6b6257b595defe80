import contextlib
import json

import pytest

from sandboxes.confinement.inspection import inspect
from sandboxes.confinement.loading import make_class
from sandboxes.confinement.verification import Elsewhere, verify_confined, verify_in_worker
from sandboxes.confinement.worker_pool import WorkerPool, shared_pool
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentSourceError, UnreviewedEnvironmentError
from sandboxes.core.scenario import Scenario
from sandboxes.verification.other_process import Script, in_fresh_processes
from sandboxes.verification.subject import Subject
from sandboxes.verification.verify import verify

DIRECT = Catalog.discover()
SHIPPED = [source.environment_id for source in DIRECT.sources]
HOTELS = "travel.hotel_booking"
CASES = json.dumps(
    [
        {
            "name": "a lamp is switched on",
            "complexity": "simple",
            "calls": [
                {
                    "tool": "switch",
                    "arguments": {"lamp_id": "LP-1"},
                    "expect": "ok",
                    "result": {"is_on": True},
                }
            ],
        }
    ]
)


@pytest.mark.parametrize("environment_id", SHIPPED)
def test_a_confined_verification_reports_what_a_direct_one_does(unreviewed, environment_id):
    report = verify_confined(unreviewed.source(environment_id), seed=1)

    assert report.passed
    assert report == verify(DIRECT, environment_id, seed=1)


def test_the_mutation_score_is_the_same_too(unreviewed):
    report = verify_confined(unreviewed.source(HOTELS), mutation=True)

    assert report.mutation_score is not None
    assert report == verify(DIRECT, HOTELS, mutation=True)


def test_findings_are_the_same_too(lamps, tmp_path):
    source = lamps("return self.switch('LP-2')", cases=CASES)
    report = verify_confined(source)
    reviewed = Catalog.discover([(tmp_path, "shipped")])

    assert {finding.gate for finding in report.findings} >= {"execution", "results", "state"}
    assert report == verify(reviewed, "utilities.lamps")


def test_code_that_nobody_reviewed_is_not_verified_in_this_process(lamps):
    source = lamps()
    with pytest.raises(UnreviewedEnvironmentError, match="Use verify_confined"):
        verify(Catalog([source]), "utilities.lamps")


def test_calls_made_again_elsewhere_give_what_fresh_processes_give(unreviewed):
    source = unreviewed.source(HOTELS)
    state = Scenario.draw(DIRECT, [HOTELS], 0).texts[HOTELS]
    call = {"tool": "list_bookings", "arguments": {}, "state": state}
    script = Script.model_validate_json(
        json.dumps({"environment_id": HOTELS, "seeds": [0, 1], "calls": [call]})
    )
    elsewhere = Elsewhere(Subject.read(source), shared_pool())
    question = {"do": "run_script", "script": script.model_dump_json()}

    found = elsewhere.answer(question)["digests"]
    assert found == in_fresh_processes(DIRECT.source(HOTELS))(script)
    assert "once" in elsewhere.answer(question)["fault"]
    assert "fault" in Elsewhere(Subject.read(source), shared_pool()).answer({"do": "load"})


@pytest.mark.parametrize(
    ("head", "got"),
    [
        ("while True: pass\n", "longer than"),
        ("raise SystemExit\n", "SystemExit"),
        ("filled = [0] * (1 << 30)\n", ""),
    ],
)
def test_a_file_that_hangs_or_dies_is_a_failed_report(lamps, head, got, monkeypatch):
    monkeypatch.setattr("sandboxes.confinement.verification._SECONDS", 2.0)
    subject = Subject.read(lamps(head=head, cases=CASES))
    report = verify_in_worker(subject, mutation=True, seed=0, pool=shared_pool())

    assert not report.passed
    assert (report.environment_id, report.source_hash) == ("utilities.lamps", subject.source_hash)
    assert report.outcomes["execution"] == "failed"
    assert got in report.findings[0].got


def test_a_tool_that_never_ends_is_called_once(lamps):
    report = verify_confined(lamps("while True: pass", cases=CASES))
    shown = [finding for finding in report.findings if "ran longer" in finding.got]

    assert not report.passed
    assert shown
    assert shown[0].tool == "lamps__misbehave"


@pytest.mark.parametrize(
    ("report", "told"),
    [
        ("nonsense", "JSON"),
        ({"source_hash": "0" * 64}, "another environment"),
        ({"environment_id": "travel.other"}, "another environment"),
        ({"outcomes": {"interface": "passed"}}, "do not agree"),
        ({"outcomes": {"interface": "failed"}}, "do not agree"),
        ({"case_count": 9}, "9 cases were verified, 1 declared"),
        ({}, "case 'a lamp is switched on', run again"),
        ({"tools": ["{}"]}, "not those that a fresh worker describes"),
    ],
)
def test_a_forged_report_is_not_believed(lamps, report, told):
    source = lamps(cases=CASES.replace("true", "false"))
    subject = Subject.read(source)
    environment = make_class(subject, shared_pool)
    said = {
        "environment_id": subject.environment_id,
        "source_hash": subject.source_hash,
        "findings": [],
        "outcomes": dict.fromkeys(
            ("interface", "execution", "results", "state", "parameters"), "passed"
        ),
        "case_count": 1,
    }
    tools = [tool.schema_text() for tool in environment.tools.values()]
    if isinstance(report, dict):
        tools = report.pop("tools", tools)
        report = json.dumps(said | report)
    forger = ForgingPool({"report": report, "tools": tools})
    found = verify_in_worker(subject, mutation=False, seed=0, pool=forger)

    assert not found.passed
    assert told in " ".join(finding.got for finding in found.findings)


class ForgingPool(WorkerPool):
    """Workers that tell what they are told to, when they are asked to verify."""

    def __init__(self, reply):
        super().__init__()
        self.reply = reply

    def confinement(self, hash_seed=0):
        return self

    def start(self):
        return self

    def ask(self, request, **_):
        return self.reply

    def close(self):
        pass

    def lend(self, subject):
        return shared_pool().lend(subject)


HOSTILE = [
    "import os\nos.system('touch {trace}')\n",
    "import typing\ntyping.sys.modules['os'].system('touch {trace}')\n",
    "from typing import sys\nsys.modules['os'].system('touch {trace}')\n",
    "import re\nre.enum.sys.modules['os'].system('touch {trace}')\n",
    "import pydantic\npydantic.TypeAdapter(pydantic.ImportString).validate_python('os.system')"
    "('touch {trace}')\n",
    "open({trace!r}, 'w')\n",
]


@pytest.mark.parametrize("head", HOSTILE)
def test_a_hostile_file_is_refused_unread_and_harmless_when_run(lamps, head, tmp_path):
    trace = tmp_path / "trace"
    source = lamps(head=head.format(trace=str(trace)), cases=CASES)
    refused = verify_confined(source)

    assert refused.outcomes["interface"] == "skipped"
    assert refused.findings[0].got.startswith("line ")
    with contextlib.suppress(EnvironmentSourceError):
        make_class(Subject.read(source), shared_pool)
    assert not trace.exists()


def test_an_inspection_shows_tools_and_states(unreviewed):
    direct = DIRECT.load(HOTELS)
    shown = inspect(unreviewed.source(HOTELS), [0, 5])

    assert shown.tools == tuple(json.loads(tool.schema_text()) for tool in direct.tools.values())
    assert shown.states == {
        seed: Scenario.draw(DIRECT, [HOTELS], seed).states[HOTELS] for seed in (0, 5)
    }
