"""Rows of `environments`: each environment verified at its present hash."""

import json
from collections.abc import Sequence
from typing import cast

from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_assets.records.record import JsonObject
from sandboxes.confinement.verification import verify_confined
from sandboxes.core.catalog import Catalog, EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import EnvironmentSourceError
from sandboxes.verification.report import Finding, Report
from sandboxes.verification.verify import verify

MADE_BY = "tester:rules"


def verify_domain(catalog: Catalog, domain: str, *, mutation: bool) -> list[EnvironmentRecord]:
    """Verify every environment of a domain and return its rows, in order of id.

    An environment that fails, or that does not even load, gives a row with `verified` false and
    its findings. One that nobody has reviewed is verified in confined workers.

    Args:
        catalog: Holds the environments.
        domain: The domain.
        mutation: Whether to measure which injected faults the declared cases catch.
    """
    return [
        _record(source, catalog, _verify(source, catalog, mutation=mutation))
        for source in catalog.in_domain(domain)
    ]


def finding_lines(records: Sequence[EnvironmentRecord]) -> list[str]:
    """Return one line a finding of the environments that failed."""
    return [
        f"{record.environment_id}: {Finding.model_validate(finding).describe()}"
        for record in records
        for finding in record.findings
    ]


def first_findings(records: Sequence[EnvironmentRecord]) -> list[str]:
    """Return the first finding of each environment that failed: what to mend first."""
    return [line for record in records for line in finding_lines([record])[:1]]


def _verify(source: EnvironmentSource, catalog: Catalog, *, mutation: bool) -> Report:
    if source.origin == "shipped":
        return verify(catalog, source.environment_id, mutation=mutation)
    return verify_confined(source, mutation=mutation)


def _record(source: EnvironmentSource, catalog: Catalog, report: Report) -> EnvironmentRecord:
    # What broke the rules on imports is not loaded here either.
    environment = None if report.outcomes["interface"] == "skipped" else _loaded(source, catalog)
    tools = list(environment.tools.values()) if environment else []
    return EnvironmentRecord(
        environment_id=source.environment_id,
        domain=source.domain.value,
        origin=source.origin,
        description=(environment.__doc__ or "").strip() if environment else "",
        source_hash=source.source_hash,
        verified=report.passed,
        tool_count=len(tools),
        write_tool_count=sum(tool.effect == "write" for tool in tools),
        case_count=report.case_count,
        mutation_score=report.mutation_score,
        findings=tuple(
            cast("JsonObject", finding.model_dump(mode="json")) for finding in report.findings
        ),
        tools=tuple(cast("JsonObject", json.loads(tool.schema_text())) for tool in tools),
        source=source.path.read_text(encoding="utf-8", errors="replace"),
        made_by=MADE_BY,
    )


def _loaded(source: EnvironmentSource, catalog: Catalog) -> type[AnyEnvironment] | None:
    try:
        return catalog.load(source.environment_id)
    except EnvironmentSourceError:
        return None
