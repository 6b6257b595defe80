"""What a suite may expect of a table, each in the words that a missed one is reported in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["critical", "warning"]


@dataclass(frozen=True, slots=True)
class Expect:
    """One expectation of a suite.

    Attributes:
        kind: The Great Expectations class, `ExpectColumnValuesToBeUnique`.
        settings: Its arguments.
        expected: What it expects, in plain words.
        severity: Whether a miss fails the check or only warns.
    """

    kind: str
    settings: Mapping[str, object]
    expected: str
    severity: Severity = "critical"


def unique(column: str) -> Expect:
    """Expect no value twice."""
    return Expect("ExpectColumnValuesToBeUnique", {"column": column}, "no value twice")


def within(
    column: str, low: float | None, high: float | None, severity: Severity = "critical"
) -> Expect:
    """Expect every value between two bounds, bounds included."""
    settings = {"column": column, "min_value": low, "max_value": high}
    return Expect("ExpectColumnValuesToBeBetween", settings, _bounds(low, high), severity)


def one_of(column: str, allowed: Sequence[object], severity: Severity = "critical") -> Expect:
    """Expect every value in a set."""
    settings = {"column": column, "value_set": list(allowed)}
    words = ", ".join(str(value) for value in allowed)
    return Expect("ExpectColumnValuesToBeInSet", settings, words, severity)


def all_zero(column: str) -> Expect:
    """Expect a column that counts faults to be zero throughout."""
    return within(column, 0, 0)


def row_count(low: int, severity: Severity = "critical") -> Expect:
    """Expect at least so many rows."""
    settings = {"min_value": low}
    return Expect("ExpectTableRowCountToBeBetween", settings, f"at least {low}", severity)


def mean_at_least(column: str, low: float, severity: Severity = "warning") -> Expect:
    """Expect the mean of a column to reach a bound."""
    settings = {"column": column, "min_value": low}
    return Expect("ExpectColumnMeanToBeBetween", settings, f"a mean of at least {low}", severity)


def _bounds(low: float | None, high: float | None) -> str:
    shown = [f"{value:.3g}" for value in (low, high) if value is not None]
    if len(shown) == 2:
        return shown[0] if low == high else f"{shown[0]} to {shown[1]}"
    return f"at least {shown[0]}" if low is not None else f"at most {shown[0]}"
