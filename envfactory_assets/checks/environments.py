"""Checks of `environments`."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import all_zero, one_of, row_count, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_assets.stages.environments.describing import first_findings


def _frame(rows: Sequence[EnvironmentRecord], _: Evidence) -> Frame:
    return {
        "environment_id": [row.environment_id for row in rows],
        "verified": [row.verified for row in rows],
        "finding_count": [len(row.findings) for row in rows],
        "tool_count": [row.tool_count for row in rows],
        "write_share": [row.write_tool_count / max(row.tool_count, 1) for row in rows],
        "mutation_score": [
            1.0 if row.mutation_score is None else row.mutation_score for row in rows
        ],
    }


CHECKS = [
    table_check(
        "environments",
        EnvironmentRecord,
        "Every environment passed every gate at its present hash, and changes something.",
        _frame,
        [
            row_count(1),
            unique("environment_id"),
            one_of("verified", [True]),
            all_zero("finding_count"),
            within("tool_count", 1, None),
            within("write_share", 1 / 3, 1, "warning"),
            within("mutation_score", 0.6, 1, "warning"),
        ],
        explain=first_findings,
    )
]
