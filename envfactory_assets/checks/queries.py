"""Checks of `draft_queries` and `refined_queries`."""

from collections.abc import Sequence
from itertools import groupby

from envfactory_assets.checks.expectations import all_zero, row_count, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.queries import DraftQuery, RefinedQuery
from envfactory_assets.stages.queries.refinement import query_violations


def _drafts(rows: Sequence[DraftQuery], _: Evidence) -> Frame:
    return {
        "query_id": [row.query_id for row in rows],
        "text_length": [len(row.draft_text) for row in rows],
        "call_count": [len(row.calls) for row in rows],
    }


def _refined(rows: Sequence[RefinedQuery], evidence: Evidence) -> Frame:
    catalog = evidence.catalog()
    tasks = [list(turns) for _, turns in groupby(rows, key=lambda row: row.task_id)]
    violations = {turns[0].task_id: len(query_violations(turns, catalog)) for turns in tasks}
    return {
        "query_id": [row.query_id for row in rows],
        "text_length": [len(row.refined_text) for row in rows],
        "violations": [violations[row.task_id] for row in rows],
    }


CHECKS = [
    table_check(
        "draft_queries",
        DraftQuery,
        "Every turn has a text and calls.",
        _drafts,
        [
            row_count(1),
            unique("query_id"),
            within("text_length", 8, 1200),
            within("call_count", 1, 5),
        ],
    ),
    table_check(
        "refined_queries",
        RefinedQuery,
        "No request names an internal id or a tool, and every value it needs can be found.",
        _refined,
        [row_count(1), unique("query_id"), within("text_length", 8, 1200), all_zero("violations")],
    ),
]
