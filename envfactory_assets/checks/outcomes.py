"""Great Expectations on a table of plain columns, its answers in plain words."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from envfactory_assets.checks.expectations import Expect, Severity

Frame = Mapping[str, Sequence[object]]
"""The columns that a suite looks at; the first one names the rows."""

JsonObject = dict[str, JsonValue]
_SHOWN_ROWS = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a table fared against one expectation.

    Attributes:
        is_met: Whether it is as expected.
        subject: The column, or `rows` for the table as a whole.
        expected: What was expected, in words.
        actual: What is there, in words.
        severity: What a miss does.
    """

    is_met: bool
    subject: str
    expected: str
    actual: str
    severity: Severity

    @property
    def sentence(self) -> str:
        """The outcome as one sentence."""
        return f"{self.subject}: expected {self.expected}, got {self.actual}."


def outcomes_of(frame: Frame, expectations: Sequence[Expect]) -> list[Outcome]:
    """Return how a table fares against a suite, expectation by expectation."""
    return [_outcome(result) for result in _validate(frame, expectations)]


def _validate(frame: Frame, expectations: Sequence[Expect]) -> list[JsonObject]:
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
            getattr(gx.expectations, each.kind)(
                **each.settings, severity=each.severity, meta={"expected": each.expected}
            )
            for each in expectations
        ],
    )
    result = batch.get_batch({"dataframe": pd.DataFrame(dict(frame))}).validate(
        suite,
        result_format={
            "result_format": "SUMMARY",
            "unexpected_index_column_names": list(frame)[:1],
        },
    )
    plain = json.loads(json.dumps(result.to_json_dict(), default=str))
    return cast("list[JsonObject]", plain["results"])


def _outcome(result: JsonObject) -> Outcome:
    config = cast("JsonObject", result["expectation_config"])
    settings = cast("JsonObject", config["kwargs"])
    found = cast("JsonObject", result.get("result") or {})
    return Outcome(
        # Great Expectations leaves out missing values; here each one is a miss.
        is_met=bool(result["success"]) and not found.get("missing_count"),
        subject=str(settings.get("column", "rows")),
        expected=str(cast("JsonObject", config["meta"])["expected"]),
        actual=_actual(found) if found else _error(cast("JsonObject", result["exception_info"])),
        severity=cast("Severity", config["severity"]),
    )


def _error(raised: JsonObject) -> str:
    """Return the message of what was raised; it stands under the name of what was measured."""
    infos = [raised, *(value for value in raised.values() if isinstance(value, dict))]
    messages = [str(info["exception_message"]) for info in infos if info.get("exception_message")]
    return f"an error: {' '.join(messages).rstrip('.')}"


def _actual(found: JsonObject) -> str:
    if "observed_value" in found:
        return f"{found['observed_value']}"
    if found.get("missing_count"):
        return f"{found['missing_count']} missing values"
    count = int(str(found.get("unexpected_count") or 0))
    rows = cast("list[JsonObject]", found.get("partial_unexpected_index_list") or [])
    values = cast("list[JsonValue]", found.get("partial_unexpected_list") or [])
    name = str(cast("list[str]", found["unexpected_index_column_names"])[0])
    shown = [f"{value} in {row[name]}" for value, row in zip(values, rows, strict=True)]
    more = f" and {count - _SHOWN_ROWS} more" if count > _SHOWN_ROWS else ""
    return f"{', '.join(shown[:_SHOWN_ROWS])}{more}" if count else "as expected"
