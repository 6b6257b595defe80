"""One Great Expectations suite a table, as one asset check."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import dagster as dg
from pydantic import BaseModel, JsonValue

from envfactory_assets.assets.session_catalog import session_catalog
from envfactory_assets.checks.expectations import Expect
from envfactory_assets.checks.memory import (
    PassedSuite,
    check_key,
    passed_before,
    remember_passed,
)
from envfactory_assets.checks.outcomes import Frame, Outcome, outcomes_of
from envfactory_assets.metadata import markdown_table
from envfactory_assets.partitions import DOMAINS
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog

RowT = TypeVar("RowT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a check may look at besides the rows of its table.

    Attributes:
        warehouse: The other tables.
        pool: The environments.
    """

    warehouse: Warehouse
    pool: SandboxPool

    def catalog(self) -> Catalog:
        """Return the environments that are verified as they are now, to replay rows in."""
        return session_catalog(self.warehouse, self.pool)


def explain_nothing(_: Sequence[BaseModel]) -> list[str]:
    """Say nothing: the missed expectations speak for themselves."""
    return []


def table_check(
    asset: str,
    record: type[RowT],
    description: str,
    frame: Callable[[Sequence[RowT], Evidence], Frame],
    expectations: Sequence[Expect],
    *,
    is_partitioned: bool = True,
    explain: Callable[[Sequence[RowT]], Sequence[str]] = explain_nothing,
    watch: Callable[[Warehouse], JsonValue] = lambda _: None,
) -> dg.AssetChecksDefinition:
    """Return a blocking check of a table's current rows.

    A critical miss fails the check and stops what is downstream; a warning lets it pass.

    Args:
        asset: The table.
        record: The class of its rows.
        description: What it guards, for the asset page.
        frame: Turns the rows of a partition into the columns that the suite looks at.
        expectations: The suite.
        is_partitioned: Whether the asset has a partition for each domain.
        explain: Says, when something is missed, what is wrong and what to do about it.
        watch: Returns what else can change while rows and code stay: files that rows name, say.
    """

    @dg.asset_check(
        asset=asset,
        name=f"{asset}_suite",
        description=description,
        blocking=True,
        compute_kind="greatexpectations",
        partitions_def=DOMAINS if is_partitioned else None,
    )
    def check(
        context: dg.AssetCheckExecutionContext,
        warehouse: dg.ResourceParam[Warehouse],
        sandbox_pool: dg.ResourceParam[SandboxPool],
    ) -> dg.AssetCheckResult:
        has_partitions = context.has_partition_key or context.has_partition_key_range
        partitions = context.partition_keys if is_partitioned and has_partitions else None
        key = check_key(warehouse, sandbox_pool, asset, partitions, watch(warehouse))
        known = passed_before(warehouse, key)
        if known is not None:
            return _passed(known)
        rows = warehouse.read(asset, record, partitions)
        evidence = Evidence(warehouse, sandbox_pool)
        result = run_suite(frame(rows, evidence), expectations, explain(rows))
        if result.passed:
            shown = str(result.metadata["expectations"].value)
            remember_passed(warehouse, key, PassedSuite(expectations=shown, rows=len(rows)))
        return result

    return check


def _passed(known: PassedSuite) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=True,
        description=f"Nothing changed since this suite passed on the same {known.rows} rows.",
        metadata={
            "expectations": dg.MetadataValue.md(known.expectations),
            "rows": dg.MetadataValue.int(known.rows),
            "missed": dg.MetadataValue.int(0),
        },
    )


def run_suite(
    frame: Frame, expectations: Sequence[Expect], explanations: Sequence[str] = ()
) -> dg.AssetCheckResult:
    """Return the outcome of a suite on a table, expected and actual in its metadata.

    Args:
        frame: The table; its first column names the rows.
        expectations: The suite.
        explanations: What to say about the rows when something is missed.
    """
    outcomes = outcomes_of(frame, expectations)
    missed = [item for item in outcomes if not item.is_met]
    is_critical = any(item.severity == "critical" for item in missed)
    rows = len(next(iter(frame.values()), ()))
    summary = f"{len(missed)} of {len(outcomes)} expectations missed on {rows} rows."
    sentences = [item.sentence for item in missed]
    return dg.AssetCheckResult(
        passed=not missed,
        severity=dg.AssetCheckSeverity.ERROR if is_critical else dg.AssetCheckSeverity.WARN,
        description=" ".join([summary, *(explanations if missed else ()), *sentences]),
        metadata={
            "expectations": dg.MetadataValue.md(_table(outcomes)),
            "rows": dg.MetadataValue.int(rows),
            "missed": dg.MetadataValue.int(len(missed)),
        },
    )


def _table(outcomes: Sequence[Outcome]) -> str:
    return markdown_table(
        ("met", "what", "expected", "actual", "severity"),
        [
            (
                "yes" if each.is_met else "NO",
                each.subject,
                each.expected,
                each.actual,
                each.severity,
            )
            for each in sorted(outcomes, key=lambda each: each.is_met)
        ],
    )
