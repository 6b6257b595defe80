"""One Great Expectations suite a table, as one asset check."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import dagster as dg
from pydantic import BaseModel, JsonValue

from envfactory_assets.metadata import markdown_table
from envfactory_assets.partitions import DOMAINS
from envfactory_assets.records.tables import TABLES
from envfactory_resources.clients.warehouse.client import Warehouse

RowT = TypeVar("RowT", bound=BaseModel)
Frame = Mapping[str, Sequence[object]]
Severity = Literal["critical", "warning"]


@dataclass(frozen=True, slots=True)
class Expect:
    """One expectation of a suite.

    Attributes:
        kind: The Great Expectations class, `ExpectColumnValuesToBeUnique`.
        settings: Its arguments.
        severity: Whether a miss fails the check or only warns.
    """

    kind: str
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    severity: Severity = "critical"


def unique(column: str) -> Expect:
    """Expect no value twice."""
    return Expect("ExpectColumnValuesToBeUnique", {"column": column})


def within(
    column: str, low: float | None, high: float | None, severity: Severity = "critical"
) -> Expect:
    """Expect every value between two bounds, bounds included."""
    settings = {"column": column, "min_value": low, "max_value": high}
    return Expect("ExpectColumnValuesToBeBetween", settings, severity)


def one_of(column: str, allowed: Sequence[object], severity: Severity = "critical") -> Expect:
    """Expect every value in a set."""
    settings = {"column": column, "value_set": list(allowed)}
    return Expect("ExpectColumnValuesToBeInSet", settings, severity)


def all_zero(column: str) -> Expect:
    """Expect a column that counts faults to be zero throughout."""
    return within(column, 0, 0)


def row_count(low: int, severity: Severity = "critical") -> Expect:
    """Expect at least so many rows."""
    return Expect("ExpectTableRowCountToBeBetween", {"min_value": low}, severity)


def mean_at_least(column: str, low: float, severity: Severity = "warning") -> Expect:
    """Expect the mean of a column to reach a bound."""
    return Expect("ExpectColumnMeanToBeBetween", {"column": column, "min_value": low}, severity)


def table_check(
    asset: str,
    description: str,
    frame: Callable[[Sequence[Any], Warehouse], Frame],
    expectations: Sequence[Expect],
    *,
    is_partitioned: bool = True,
) -> dg.AssetChecksDefinition:
    """Return a blocking check of a table's current rows.

    A critical miss fails the check and stops what is downstream; a warning lets it pass.

    Args:
        asset: The table.
        description: What it guards, for the asset page.
        frame: Turns the rows of a partition into the columns that the suite looks at.
        expectations: The suite.
        is_partitioned: Whether the asset has a partition for each domain.
    """

    @dg.asset_check(
        asset=asset,
        name=f"{asset}_suite",
        description=description,
        blocking=True,
        partitions_def=DOMAINS if is_partitioned else None,
    )
    def check(
        context: dg.AssetCheckExecutionContext, warehouse: dg.ResourceParam[Warehouse]
    ) -> dg.AssetCheckResult:
        partitions = list(context.partition_keys) if context.has_partition_key else None
        rows = warehouse.read(asset, TABLES[asset], partitions)
        return run_suite(frame(rows, warehouse), expectations)

    return check


def run_suite(frame: Frame, expectations: Sequence[Expect]) -> dg.AssetCheckResult:
    """Return the outcome of a suite on a table, expected and actual in its metadata."""
    outcomes = [_outcome(result) for result in _validate(frame, expectations)]
    missed = [item for item in outcomes if not item.is_met]
    is_critical = any(item.severity == "critical" for item in missed)
    rows = len(next(iter(frame.values()), ()))
    table = markdown_table(
        ("met", "expectation", "expected", "actual", "severity"),
        [
            ("yes" if item.is_met else "NO", item.kind, item.expected, item.actual, item.severity)
            for item in sorted(outcomes, key=lambda item: item.is_met)
        ],
    )
    return dg.AssetCheckResult(
        passed=not missed,
        severity=dg.AssetCheckSeverity.ERROR if is_critical else dg.AssetCheckSeverity.WARN,
        description=f"{len(missed)} of {len(outcomes)} expectations missed on {rows} rows.",
        metadata={
            "expectations": dg.MetadataValue.md(table),
            "rows": dg.MetadataValue.int(rows),
            "missed": dg.MetadataValue.int(len(missed)),
        },
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    is_met: bool
    kind: str
    expected: str
    actual: str
    severity: str


def _validate(frame: Frame, expectations: Sequence[Expect]) -> list[dict[str, JsonValue]]:
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    import pandas as pd
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    source = context.data_sources.add_pandas("rows")
    batch = source.add_dataframe_asset("rows").add_batch_definition_whole_dataframe("rows")
    suite = gx.ExpectationSuite(
        name="suite",
        expectations=[
            getattr(gx.expectations, item.kind)(**item.settings, severity=item.severity)
            for item in expectations
        ],
    )
    result = batch.get_batch({"dataframe": pd.DataFrame(dict(frame))}).validate(
        suite, result_format="SUMMARY"
    )
    plain = json.loads(json.dumps(result.to_json_dict(), default=str))
    return cast("list[dict[str, JsonValue]]", plain["results"])


def _outcome(result: Mapping[str, JsonValue]) -> _Outcome:
    config = cast("dict[str, JsonValue]", result["expectation_config"])
    settings = cast("dict[str, JsonValue]", config["kwargs"])
    shown = {key: value for key, value in settings.items() if key != "batch_id"}
    found = cast("dict[str, JsonValue]", result.get("result") or {})
    keep = ("observed_value", "unexpected_count", "partial_unexpected_list")
    actual = {key: found[key] for key in keep if key in found}
    return _Outcome(
        is_met=bool(result["success"]),
        kind=str(config["type"]),
        expected=", ".join(f"{key}={value}" for key, value in shown.items()),
        actual=", ".join(f"{key}={value}" for key, value in actual.items()) or "as expected",
        severity=str(config.get("severity", "critical")),
    )
