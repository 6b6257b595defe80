from collections.abc import Callable
from pathlib import Path

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import UnknownEnvironmentError
from sandboxes.verification.report import GATES, Report
from sandboxes.verification.verify import verify

SHIPPED = Catalog.discover()


@pytest.mark.parametrize("environment_id", [source.environment_id for source in SHIPPED.sources])
def test_every_shipped_environment_passes(environment_id: str) -> None:
    report = verify(SHIPPED, environment_id)
    assert [finding.describe() for finding in report.findings] == []
    assert report.passed
    assert report.source_hash == SHIPPED.source(environment_id).source_hash
    assert report.case_count >= 3 * len(SHIPPED.load(environment_id).tools)


def test_one_seed_gives_one_report(copy_of_hotel: Callable[..., Catalog]) -> None:
    catalog = copy_of_hotel(("{self.clock.today}.", "{self.clock.today}!"))
    first, second = (verify(catalog, "travel.hotel_booking") for _ in range(2))
    assert first == second
    assert Report.model_validate_json(first.model_dump_json()) == first


@pytest.mark.parametrize(
    ("text", "gate", "got"),
    [
        ("def broken(:", "execution", "SyntaxError"),
        ("x = " + "-" * 5_000 + "1", "execution", "RecursionError"),
        ("x = " + "-" * 100_000 + "1", "execution", "MemoryError"),
        ("x = a" + "()" * 900, "execution", "RecursionError"),
        ("x = 1\n" * 100_000, "execution", "600000 bytes; at most 500000"),
        ("raise RuntimeError('at import')", "execution", "RuntimeError: at import"),
        ("x = 1", "execution", "defines 0 environments"),
        (
            "from sandboxes.core.environment import Environment\n"
            "class Notes(Environment):\n    '''Notes.'''",
            "interface",
            "Notes names no state model",
        ),
    ],
)
def test_a_file_that_is_no_environment_gives_a_report(
    tmp_path: Path, text: str, gate: str, got: str
) -> None:
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "notes.py").write_text(text)
    report = verify(Catalog.discover([(tmp_path, "shipped")]), "office.notes")
    (finding,) = report.findings
    assert finding.gate == gate
    assert got in finding.got
    assert not report.passed
    assert report.outcomes["parameters"] == "skipped"


def test_a_file_that_breaks_the_source_rules_is_not_imported(tmp_path: Path) -> None:
    witness = tmp_path / "imported"
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "notes.py").write_text(
        f"import pathlib\npathlib.Path({str(witness)!r}).touch()\n"
    )
    report = verify(Catalog.discover([(tmp_path, "shipped")]), "office.notes")
    assert not witness.exists()
    assert [report.outcomes[gate] for gate in GATES] == [
        "skipped",
        "failed",
        "skipped",
        "skipped",
        "skipped",
    ]


def test_an_unknown_environment_is_the_callers_mistake() -> None:
    with pytest.raises(UnknownEnvironmentError):
        verify(SHIPPED, "travel.trains")


def test_a_scenario_that_cannot_be_drawn_is_a_finding(report_on: Callable[..., Report]) -> None:
    report = report_on(("names = rng.sample(_HOTEL_NAMES, 8)", "names = rng.sample(_REVIEWS, 8)"))
    (finding,) = report.findings
    assert (finding.gate, finding.tool) == ("execution", None)
    assert "ValueError" in finding.got
    assert report.outcomes["state"] == "skipped"
