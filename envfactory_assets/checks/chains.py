"""Checks of `sampled_chains`."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import (
    all_zero,
    mean_at_least,
    row_count,
    unique,
    within,
)
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.stages.chains.validation import ChainChecker


def _frame(rows: Sequence[SampledChain], evidence: Evidence) -> Frame:
    parameters = evidence.warehouse.read("tool_parameters", ToolParameter)
    edges = evidence.warehouse.read("tool_graphs", ToolGraphEdge)
    links = evidence.warehouse.read("cross_domain_links", CrossDomainLink)
    checker = ChainChecker(parameters, edges, links)
    writers = {row.tool for row in parameters if row.effect == "write"}
    return {
        "chain_id": [row.chain_id for row in rows],
        "fault_count": [len(checker.faults(row)) for row in rows],
        "unplaced_tools": [len(row.tools) - sum(row.turn_sizes) for row in rows],
        "environment_count": [len(row.environment_ids) for row in rows],
        "writes": [float(bool(writers & set(row.tools))) for row in rows],
    }


CHECKS = [
    table_check(
        "sampled_chains",
        SampledChain,
        "Every required input of every chain is said by the user or bound to an earlier output.",
        _frame,
        [
            row_count(1),
            unique("chain_id"),
            all_zero("fault_count"),
            all_zero("unplaced_tools"),
            within("environment_count", 1, 3),
            mean_at_least("writes", 0.7),
        ],
    )
]
