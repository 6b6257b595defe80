"""Findings of a report, told apart by whom they concern: the coder or the tester's cases."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sandboxes.verification.cases import Case
from sandboxes.verification.report import Finding, Report


@dataclass(frozen=True, slots=True)
class Sorted:
    """The findings of one report.

    Attributes:
        of_code: What is wrong whatever the cases say.
        of_cases: Cases that went otherwise, each with the finding.
        of_coverage: What the cases as a whole lack.
    """

    of_code: tuple[Finding, ...]
    of_cases: tuple[tuple[Case, Finding], ...]
    of_coverage: tuple[Finding, ...]

    @property
    def all(self) -> tuple[Finding, ...]:
        """Every finding, those of the code first."""
        return (*self.of_code, *(finding for _, finding in self.of_cases), *self.of_coverage)


def sort_findings(report: Report, cases: Sequence[Case]) -> Sorted:
    """Tell the findings of a report apart."""
    by_name = {case.name: case for case in cases}
    of_code: list[Finding] = []
    of_cases: list[tuple[Case, Finding]] = []
    of_coverage: list[Finding] = []
    for finding in report.findings:
        case = by_name.get(case_name(finding) or "")
        if case is not None:
            of_cases.append((case, finding))
        elif finding.gate == "results" and finding.fault == "interface" and finding.call is None:
            of_coverage.append(finding)
        else:
            of_code.append(finding)
    return Sorted(tuple(of_code), tuple(of_cases), tuple(of_coverage))


def case_name(finding: Finding) -> str | None:
    """Return the name of the declared case that a finding is about, None if it is about none."""
    if finding.gate != "results" or finding.call is None:
        return None
    try:
        call: JsonValue = json.loads(finding.call)
    except ValueError:
        return None
    name = call.get("case") if isinstance(call, dict) else None
    return name if isinstance(name, str) else None


def has_run(report: Report) -> bool:
    """Return whether the code could be run at all: no gate was skipped."""
    return all(outcome != "skipped" for outcome in report.outcomes.values())
