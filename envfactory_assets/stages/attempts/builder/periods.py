"""Periods: two times of an entity of which the second may not come before the first."""

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Column, Table

_STARTS = frozenset({"start", "starts", "begin", "begins", "from", "in", "opens"})
_ENDS = frozenset({"end", "ends", "until", "to", "out", "closes", "finish"})


def is_start(column: Column) -> bool:
    """Return whether a field says when something begins."""
    return column.type in ("day", "moment") and bool(_STARTS & set(column.name.split("_")))


def is_end(column: Column) -> bool:
    """Return whether a field says when something ends."""
    return column.type in ("day", "moment") and bool(_ENDS & set(column.name.split("_")))


def period_of(table: Table, blueprint: Blueprint) -> tuple[Column, Column] | None:
    """Return start and end of a table's entities; None where one may be made up on creation."""
    pairs = [
        (start, end)
        for start in table.columns
        for end in table.columns
        if is_start(start) and is_end(end) and start.type == end.type and _rest(start) == _rest(end)
    ]
    for start, end in pairs[:1]:
        if all(_is_said(column, table, blueprint) for column in (start, end)):
            return start, end
    return None


def _rest(column: Column) -> list[str]:
    return [word for word in column.name.split("_") if word not in _STARTS | _ENDS]


def _is_said(column: Column, table: Table, blueprint: Blueprint) -> bool:
    return column.is_nullable or all(
        any(given.column == column and given.is_required for given in tool.inputs)
        for tool in blueprint.tools_of(table, "create")
    )
