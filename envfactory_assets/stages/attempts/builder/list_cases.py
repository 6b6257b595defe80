"""Test cases of tools that list: filters one by one and together, ranges, pages, searches."""

from collections.abc import Iterator

from pydantic import JsonValue

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Input, ToolPlan
from envfactory_assets.stages.attempts.builder.case_calls import Calls
from envfactory_assets.stages.attempts.builder.case_values import (
    UNKNOWN,
    bad_values,
    filter_values,
    just_past,
)
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.cases import Complexity

_VOWELS = ("a", "e")
Written = Iterator[tuple[str, Complexity, Calls]]


def list_cases(tool: ToolPlan, blueprint: Blueprint, state: JsonObject) -> Written:
    """Yield the cases of one listing tool: name, complexity, calls."""
    needed = _needed(tool, Calls(blueprint, state))
    if needed is None:
        return
    calls = Calls(blueprint, state)
    calls.list(tool, needed)
    yield "everything is there, in order", "simple", calls
    calls = Calls(blueprint, state)
    for given in tool.by_role("equal", "least", "most", "query"):
        _filter_by(given, tool, calls, needed)
    yield "each filter lets pass what it says", "medium", calls
    calls = Calls(blueprint, state)
    _page(tool, calls, needed)
    yield "a page is a part of the list", "boundary", calls
    calls = Calls(blueprint, state)
    _together(tool, calls)
    yield "filters hold together", "medium", calls
    calls = Calls(blueprint, state)
    _refuse(tool, calls, needed)
    yield "unknown things and values out of bounds are refused", "boundary", calls


def _needed(tool: ToolPlan, calls: Calls) -> JsonObject | None:
    """Return what is required, so that much is found; None where no row has it all."""
    needed = [given for given in tool.inputs if given.is_required]
    if not needed:
        return {}
    rows = calls.oracle.rows(tool.table).values()
    options: list[JsonObject] = []
    for row in rows:
        option = {given.name: _value_of(given, row, tool) for given in needed}
        if all(value not in (None, []) for value in option.values()):
            options.append(option)
            queries = tool.by_role("query")
            options += [{**option, q.name: vowel} for vowel in _VOWELS for q in queries]
    if not options:
        return None
    return max(options, key=lambda option: len(calls.oracle.listed(tool, option)))


def _value_of(given: Input, row: JsonObject, tool: ToolPlan) -> JsonValue:
    if given.role in ("limit", "offset"):
        return 3 if given.role == "limit" else 0
    if given.role == "query" or given.column is None:
        texts = [str(row[c.name]) for c in tool.table.columns if c.is_text and row[c.name]]
        return texts[0].split()[0] if texts else "e"
    value = row[given.column.name]
    return value[0] if isinstance(value, list) and value else value


def _filter_by(given: Input, tool: ToolPlan, calls: Calls, needed: JsonObject) -> None:
    values = filter_values(given, tool, calls.oracle)
    for value in values[:2]:
        calls.list(tool, {**needed, given.name: value})
        if given.role in ("least", "most"):
            calls.list(tool, {**needed, given.name: just_past(given, value)})
        if given.role == "query":
            calls.list(tool, {**needed, given.name: str(value).upper()})
    if given.role == "query":
        calls.list(tool, {**needed, given.name: "zzzz no such words"})


def _page(tool: ToolPlan, calls: Calls, needed: JsonObject) -> None:
    names = [given.name for given in tool.by_role("limit", "offset")]
    if "limit" in names:
        calls.list(tool, {**needed, "limit": 1})
        calls.list(tool, {**needed, "limit": 2})
    if "offset" in names:
        calls.list(tool, {**needed, "offset": 0})
        calls.list(tool, {**needed, "offset": 1})
        calls.list(tool, {**needed, "offset": 100})
    if len(names) > 1:
        calls.list(tool, {**needed, "limit": 2, "offset": 1})


def _together(tool: ToolPlan, calls: Calls) -> None:
    """Filter by all that one row has, and by all but one that another has."""
    filters = tool.by_role("equal", "least", "most", "query")
    if len(filters) < 2:
        return
    for row in list(calls.oracle.rows(tool.table).values())[:2]:
        found = {given.name: _value_of(given, row, tool) for given in filters}
        arguments: JsonObject = {
            key: value for key, value in found.items() if value not in (None, [])
        }
        if all(given.name in arguments for given in filters if given.is_required):
            calls.list(tool, arguments)


def _refuse(tool: ToolPlan, calls: Calls, needed: JsonObject) -> None:
    for given in tool.inputs:
        if given.column is not None and given.column.target is not None:
            calls.refused(tool, {**needed, given.name: UNKNOWN}, "There is no ")
        for value in bad_values(given, tool):
            calls.refused(tool, {**needed, given.name: value}, given.name)
