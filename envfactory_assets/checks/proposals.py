"""Checks of `environment_proposals`."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import all_zero, one_of, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.proposals import EnvironmentProposal


def _frame(rows: Sequence[EnvironmentProposal], _: Evidence) -> Frame:
    return {
        "environment_id": [row.environment_id for row in rows],
        "overlap": [row.overlap for row in rows],
        "is_explained": [row.is_wanted or bool(row.status_reason) for row in rows],
        "wanted_without_tools": [int(row.is_wanted and not row.tools) for row in rows],
        "tools_of_unknown_entities": [_unknown(row) for row in rows],
        "has_sources": [bool(row.sources) for row in rows],
    }


def _unknown(row: EnvironmentProposal) -> int:
    known = {entity.name for entity in row.entities}
    return sum(tool.entity is not None and tool.entity not in known for tool in row.tools)


CHECKS = [
    table_check(
        "environment_proposals",
        EnvironmentProposal,
        "Proposals are whole: tools of entities that exist, sources, a reason when not wanted.",
        _frame,
        [
            unique("environment_id"),
            within("overlap", 0, 1),
            one_of("is_explained", [True]),
            all_zero("wanted_without_tools"),
            all_zero("tools_of_unknown_entities"),
            one_of("has_sources", [True], "warning"),
        ],
    )
]
