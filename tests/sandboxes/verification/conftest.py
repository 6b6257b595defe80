from collections.abc import Callable
from pathlib import Path

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.verification.report import Finding, Report
from sandboxes.verification.verify import verify

HOTEL = "travel.hotel_booking"


@pytest.fixture
def copy_of_hotel(tmp_path: Path) -> Callable[..., Catalog]:
    """Give a catalog that holds a copy of the hotel environment with some text replaced."""

    def copy(*replacements: tuple[str, str]) -> Catalog:
        source = Catalog.discover().source(HOTEL)
        text = source.path.read_text()
        for old, new in replacements:
            assert text.count(old) == 1, f"the hotel environment holds {old!r} not just once"
            text = text.replace(old, new)
        (tmp_path / "travel").mkdir(exist_ok=True)
        path = tmp_path / "travel" / source.path.name
        path.write_text(text)
        path.with_suffix(".cases.json").write_text(source.cases_path.read_text())
        return Catalog.discover([(tmp_path, "shipped")])

    return copy


@pytest.fixture
def report_on(copy_of_hotel: Callable[..., Catalog]) -> Callable[..., Report]:
    """Verify a copy of the hotel environment with some text replaced."""

    def report(*replacements: tuple[str, str], mutation: bool = False) -> Report:
        return verify(copy_of_hotel(*replacements), HOTEL, mutation=mutation)

    return report


@pytest.fixture
def blamed() -> Callable[[Report, str], list[Finding]]:
    """Give the findings of one gate."""

    def of_gate(report: Report, gate: str) -> list[Finding]:
        return [finding for finding in report.findings if finding.gate == gate]

    return of_gate
