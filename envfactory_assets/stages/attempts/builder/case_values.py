"""Arguments for test cases: values that hold, filter values that part a list, values that do not."""

from collections.abc import Iterator
from typing import cast

from pydantic import JsonValue

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Input, ToolPlan
from envfactory_assets.stages.attempts.builder.number_ranges import usual_range
from envfactory_assets.stages.attempts.builder.oracle import Oracle
from envfactory_assets.stages.attempts.builder.periods import is_end
from envfactory_assets.stages.attempts.builder.texts import is_address, text_sample
from sandboxes.core.clock import add_days, add_minutes
from sandboxes.core.parameters import JsonObject

UNKNOWN = "unknown-0"
_HUGE = 1e12
_LONG = 1000


def full_arguments(
    tool: ToolPlan, oracle: Oracle, blueprint: Blueprint, variant: int, *, is_full: bool = True
) -> JsonObject:
    """Return valid values of a creating or updating tool.

    Args:
        tool: The tool.
        oracle: The state it acts on.
        blueprint: The environment.
        variant: Which of several values to take.
        is_full: Whether optional arguments are given too.
    """
    return {
        given.name: good_value(given, tool, oracle, blueprint, variant)
        for given in tool.by_role("value")
        if given.is_required or is_full
    }


def good_value(
    given: Input, tool: ToolPlan, oracle: Oracle, blueprint: Blueprint, variant: int
) -> JsonValue:
    """Return a value that a creating or updating tool takes."""
    column = given.column
    if column is None:
        return None
    if column.target is not None:
        ids = list(oracle.rows(blueprint.table(column.target)))
        chosen = ids[variant % len(ids)]
        return [chosen] if column.is_list else chosen
    match column.type:
        case "integer" | "number":
            low, high, _ = usual_range(column)
            value = low + (variant + 1) * (high - low) / 4
            value = min(max(value, low), high)
            return round(value) if column.type == "integer" else round(value, 2)
        case "boolean":
            return variant % 2 == 0
        case "choice":
            choices = column.proposed.choices
            return choices[(variant + 1) % len(choices)]
        case "day" | "moment":
            # Starts lie before all ends that scenarios hold, and ends after all starts.
            day = add_days(oracle.now[:10], (70 if is_end(column) else 3) + 2 * variant)
            return day if column.type == "day" else f"{day}T1{variant % 10}:00"
        case "list":
            spoken = text_sample(column, tool.table).drawn
            least = max(1, int(column.proposed.minimum or 0))
            most = int(column.proposed.maximum or len(spoken))
            return list(spoken[variant % 2 : variant % 2 + min(least, most)])
        case _:
            spoken = text_sample(column, tool.table).spoken
            return spoken[variant % len(spoken)]


def bad_values(given: Input, tool: ToolPlan) -> Iterator[JsonValue]:
    """Yield values that break the declared limits of an argument."""
    column = given.column
    if given.role in ("limit", "offset"):
        yield int(given.minimum or 0) - 1
        if given.maximum is not None:
            yield int(given.maximum) + 1
        return
    if column is None or column.target is not None:
        return
    is_value = given.role == "value"
    if is_value and is_address(column, tool.table):
        yield "nobody"
    match column.type:
        case "choice":
            yield "no such value"
        case "day" | "moment":
            yield "tomorrow"
        case "integer" | "number" if is_value:
            step = 1 if column.type == "integer" else 0.5
            yield from (bound - step for bound in _handy(given.minimum))
            yield from (bound + step for bound in _handy(given.maximum))
        case "text" if is_value:
            yield from ("x" * (int(bound) + 1) for bound in _handy(given.maximum) if bound < _LONG)
        case _:
            return


def limit_values(given: Input) -> Iterator[JsonValue]:
    """Yield the smallest and the largest number that an argument may have."""
    column = given.column
    if column is not None and column.type in ("integer", "number"):
        yield from _handy(given.minimum)
        yield from _handy(given.maximum)


def _handy(bound: float | None) -> Iterator[int | float]:
    """Yield a bound that is small enough to be stepped over, whole where it can be."""
    if bound is not None and abs(bound) < _HUGE:
        yield int(bound) if bound == int(bound) else bound


def filter_values(given: Input, tool: ToolPlan, oracle: Oracle) -> list[JsonValue]:
    """Return values to filter by that occur in the rows, those that part them best first."""
    rows = list(oracle.rows(tool.table).values())
    values: dict[str, JsonValue] = {}
    for row in rows:
        for value in _occurring(given, row, tool):
            values.setdefault(str(value), value)
    total = len(rows)

    def unevenness(value: JsonValue) -> float:
        matching = len(oracle.listed(tool, {given.name: value, **_widest(tool)}))
        return abs(matching - total / 2) + (total if matching in (0, total) else 0)

    return sorted(values.values(), key=unevenness)


def _widest(tool: ToolPlan) -> JsonObject:
    return {
        given.name: cast("JsonValue", int(given.maximum or 0)) for given in tool.by_role("limit")
    }


def _occurring(given: Input, row: JsonObject, tool: ToolPlan) -> Iterator[JsonValue]:
    if given.role == "query":
        for column in tool.table.columns:
            text = row[column.name] if column.is_text else None
            yield from (word for word in str(text or "").split() if len(word) > 2)
        return
    value = row[given.column.name] if given.column is not None else None
    if isinstance(value, list):
        yield from value
    elif value is not None:
        yield value


def just_past(given: Input, value: JsonValue) -> JsonValue:
    """Return the next value beyond one, in the direction in which a range filter lets less pass."""
    sign = 1 if given.role == "least" else -1
    kind = given.column.type if given.column is not None else ""
    if kind == "day":
        return add_days(str(value), sign)
    if kind == "moment":
        return add_minutes(str(value), sign)
    step = 1 if kind == "integer" else 0.01
    return round(cast("float", value) + sign * step, 2)
