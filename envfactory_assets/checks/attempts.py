"""Checks of `environment_attempts`."""

from collections import Counter
from collections.abc import Sequence

from envfactory_assets.checks.expectations import all_zero, one_of, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.attempts import EnvironmentAttempt


def _frame(rows: Sequence[EnvironmentAttempt], _: Evidence) -> Frame:
    final = Counter(row.environment_id for row in rows if row.is_final)
    return {
        "attempt_id": [row.attempt_id for row in rows],
        "final_attempts_of_environment": [final[row.environment_id] for row in rows],
        "is_explained": [bool(row.reason) for row in rows],
        "accepted_with_findings": [
            int(row.outcome == "accepted" and bool(row.findings)) for row in rows
        ],
        "accepted_without_code": [
            int(row.outcome == "accepted" and not (row.source and row.cases)) for row in rows
        ],
        "final_outcome": [row.outcome if row.is_final else "accepted" for row in rows],
    }


def _why_not(rows: Sequence[EnvironmentAttempt]) -> list[str]:
    """Return how every environment that was given up ended."""
    return [
        f"{row.environment_id} was given up after {row.round} rounds ({row.outcome}): {row.reason}"
        for row in rows
        if row.is_final and row.outcome != "accepted"
    ]


CHECKS = [
    table_check(
        "environment_attempts",
        EnvironmentAttempt,
        "Every environment ends in one outcome with a reason; accepted ones have nothing against.",
        _frame,
        [
            unique("attempt_id"),
            within("final_attempts_of_environment", 1, 1),
            one_of("is_explained", [True]),
            all_zero("accepted_with_findings"),
            all_zero("accepted_without_code"),
            one_of("final_outcome", ["accepted"], "warning"),
        ],
        explain=_why_not,
    )
]
