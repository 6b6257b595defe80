"""Checks of `tool_parameters`, `tool_graphs` and `cross_domain_links`."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import (
    Expect,
    all_zero,
    one_of,
    row_count,
    unique,
    within,
)
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter


def _parameters(rows: Sequence[ToolParameter], _: Evidence) -> Frame:
    return {
        "key": [f"{row.tool}.{row.direction}.{row.parameter}" for row in rows],
        "is_labelled": [
            row.direction == "output" or bool(row.source and row.reason) for row in rows
        ],
        "has_description": [bool(row.description) for row in rows],
    }


def _edges(rows: Sequence[ToolGraphEdge], evidence: Evidence) -> Frame:
    domains = sorted({row.domain for row in rows})
    parameters = (
        evidence.warehouse.read("tool_parameters", ToolParameter, domains) if domains else []
    )
    inputs = {(row.tool, row.parameter) for row in parameters if row.direction == "input"}
    outputs = {(row.tool, row.parameter) for row in parameters if row.direction == "output"}
    fed = {(row.target_tool, row.target_parameter) for row in rows if row.kept}
    starving = [
        row
        for row in parameters
        if row.source == "internal" and row.required and (row.tool, row.parameter) not in fed
    ]
    return {
        "edge": [_edge_name(row) for row in rows],
        "similarity": [0.0 if row.similarity is None else row.similarity for row in rows],
        "origin": [row.origin for row in rows],
        "has_reason": [bool(row.reason) for row in rows],
        "is_dangling": [
            int(
                row.kind == "feeds"
                and (
                    (row.source_tool, row.source_parameter) not in outputs
                    or (row.target_tool, row.target_parameter) not in inputs
                )
            )
            for row in rows
        ],
        "inputs_without_producer": [len(starving)] * len(rows),
    }


def _links(rows: Sequence[CrossDomainLink], _: Evidence) -> Frame:
    return {
        "link": [_edge_name(row) for row in rows],
        "stays_in_domain": [int(row.source_domain == row.target_domain) for row in rows],
        "has_reason": [bool(row.reason) for row in rows],
    }


def _edge_name(row: ToolGraphEdge | CrossDomainLink) -> str:
    ends = (row.source_tool, row.source_parameter), (row.target_tool, row.target_parameter)
    return " → ".join(" ".join(part for part in end if part) for end in ends)


_EDGE_SUITE = [
    row_count(1),
    within("similarity", -1, 1),
    one_of("origin", ["similarity", "review"]),
    one_of("has_reason", [True]),
    all_zero("is_dangling"),
    all_zero("inputs_without_producer"),
]
_LINK_SUITE: list[Expect] = [all_zero("stays_in_domain"), one_of("has_reason", [True])]

CHECKS = [
    table_check(
        "tool_parameters",
        ToolParameter,
        "Every input is labelled external or internal with a reason, and described.",
        _parameters,
        [
            row_count(1),
            unique("key"),
            one_of("is_labelled", [True]),
            one_of("has_description", [True], "warning"),
        ],
    ),
    table_check(
        "tool_graphs",
        ToolGraphEdge,
        "Edges join leaves that exist, with a reason, and every internal input has a producer.",
        _edges,
        _EDGE_SUITE,
    ),
    table_check(
        "cross_domain_links",
        CrossDomainLink,
        "Links join two domains, with a reason.",
        _links,
        _LINK_SUITE,
        is_partitioned=False,
    ),
]
