"""What one proposed tool comes to: its table, and what each of its inputs does."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.proposals import ProposedTool
from envfactory_assets.stages.attempts.builder.blueprint import (
    Column,
    Input,
    InputRole,
    Table,
    ToolKind,
    ToolPlan,
)
from envfactory_assets.stages.attempts.builder.layout import tidy
from envfactory_assets.stages.attempts.builder.names import with_article
from envfactory_assets.stages.attempts.errors import UnsupportedToolError
from sandboxes.core.parameters import JsonObject, without_null

_KINDS: dict[str, ToolKind] = {
    "create": "create",
    "read": "read",
    "update": "update",
    "delete": "delete",
    "list": "list",
    "search": "list",
}
_RANGED = ("integer", "number", "day", "moment")
_MOST_LISTED = 50
_LISTED = 20
_MOST_ASKED = 3


def plan_tool(proposed: ProposedTool, tables: Mapping[str, Table]) -> tuple[ToolPlan, list[str]]:
    """Work out one tool.

    Args:
        proposed: The tool.
        tables: The tables by the proposed names of their entities.

    Returns:
        The tool, and what is left out of it or called otherwise.

    Raises:
        UnsupportedToolError: If it cannot be built.
    """
    kind = _KINDS.get(proposed.operation)
    if kind is None:
        raise UnsupportedToolError(
            "it does something else than create, read, update, delete, list or search."
        )
    table = tables.get(proposed.entity or "")
    if table is None:
        raise UnsupportedToolError(f"it works on no proposed entity (got {proposed.entity!r}).")
    if (proposed.effect == "read") != (kind in ("read", "list")):
        raise UnsupportedToolError(f"to {proposed.operation} is no effect {proposed.effect!r}.")
    inputs, dropped = _inputs(proposed, kind, table)
    _check(kind, inputs)
    for given in _pointless(inputs):
        inputs.remove(given)
        dropped.append(f"{given.name!r} adds nothing to another input, which is required.")
    ordered = sorted(inputs, key=lambda given: (given.role != "own_id", not given.is_required))
    description = _description(proposed, table)
    planned = ToolPlan(
        proposed.name, kind, table, tuple(ordered), description, proposed_name=proposed.name
    )
    return planned, dropped


def _inputs(proposed: ProposedTool, kind: ToolKind, table: Table) -> tuple[list[Input], list[str]]:
    """Return what the inputs do, and what is left out or called otherwise."""
    inputs: list[Input] = []
    dropped: list[str] = []
    for name, node, is_required in _properties(proposed.input_schema):
        planned = _input(name, node, kind, table, proposed, is_required=is_required)
        if planned is not None and all(planned.name != other.name for other in inputs):
            inputs.append(planned)
            if name != planned.name:
                dropped.append(f"{name!r} is called {planned.name!r} here.")
        elif is_required:
            raise UnsupportedToolError(
                f"its input {name!r} is no field of {with_article(table.noun)}."
            )
        else:
            dropped.append(f"{name!r} is no field of {with_article(table.noun)}.")
    return inputs, dropped


def _properties(schema: JsonObject) -> Iterator[tuple[str, JsonObject, bool]]:
    required = cast("Sequence[str]", schema.get("required") or [])
    properties = schema.get("properties")
    for name, node in (properties if isinstance(properties, dict) else {}).items():
        yield name, without_null(node) if isinstance(node, dict) else {}, name in required


def _pointless(inputs: Sequence[Input]) -> list[Input]:
    """Return the optional ranges of fields whose one value is asked for anyway."""
    fixed = [given.column for given in inputs if given.role == "equal" and given.is_required]
    ranges = [given for given in inputs if given.role in ("least", "most")]
    return [given for given in ranges if given.column in fixed and not given.is_required]


def _check(kind: ToolKind, inputs: Sequence[Input]) -> None:
    roles = {given.role for given in inputs}
    if kind in ("read", "update", "delete") and "own_id" not in roles:
        raise UnsupportedToolError("it takes no id of what it works on.")
    if kind == "update" and "value" not in roles:
        raise UnsupportedToolError("it changes no field.")
    asked = [given for given in inputs if given.role == "equal" and given.is_required]
    if len(asked) > _MOST_ASKED:
        raise UnsupportedToolError(f"it lists by more than {_MOST_ASKED} fields at once.")


def _input(
    name: str,
    node: JsonObject,
    kind: ToolKind,
    table: Table,
    proposed: ProposedTool,
    *,
    is_required: bool,
) -> Input | None:
    if name in (f"{proposed.entity}_id", table.id_name):
        if kind in ("create", "list"):
            return None
        return Input(table.id_name, "own_id", None, is_required=True)
    column = table.column(name)
    if column is not None and kind in ("create", "update"):
        return _value(column, node, kind, is_required=is_required)
    if kind != "list":
        return None
    if column is not None:
        return Input(column.name, "equal", column, is_required)
    return _range(name, table, is_required=is_required) or _paging(
        name, node, table, is_required=is_required
    )


def _value(column: Column, node: JsonObject, kind: ToolKind, *, is_required: bool) -> Input:
    default = node.get("default") if kind == "create" else None
    return Input(
        name=column.name,
        role="value",
        column=column,
        is_required=is_required,
        default=default if _is_default(default, column) else None,
        minimum=column.proposed.minimum,
        maximum=column.proposed.maximum,
    )


def _is_default(value: JsonValue, column: Column) -> bool:
    if column.target is not None:
        return False
    match column.type:
        case "choice":
            return value in column.proposed.choices
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "text":
            return isinstance(value, str) and tidy(value) == value
        case _:
            return False


def _range(name: str, table: Table, *, is_required: bool) -> Input | None:
    roles: tuple[tuple[str, InputRole], ...] = (("min_", "least"), ("max_", "most"))
    for start, role in roles:
        column = table.column(name.removeprefix(start)) if name.startswith(start) else None
        if column is not None and column.type in _RANGED:
            return Input(f"{start}{column.name}", role, column, is_required)
    return None


def _paging(name: str, node: JsonObject, table: Table, *, is_required: bool) -> Input | None:
    if name == "query":
        can_search = any(column.is_text for column in table.columns)
        return Input("query", "query", None, is_required) if can_search else None
    if name not in ("limit", "offset"):
        return None
    least = 1 if name == "limit" else 0
    default = node.get("default")
    if not isinstance(default, int) or isinstance(default, bool) or default < least:
        default = _LISTED if name == "limit" else 0
    most = node.get("maximum")
    most = most if isinstance(most, int) and most > least else _MOST_LISTED
    role: InputRole = "limit" if name == "limit" else "offset"
    maximum = max(most, default) if name == "limit" else None
    return Input(name, role, None, is_required, default, least, maximum)


def _description(proposed: ProposedTool, table: Table) -> str:
    text = tidy(proposed.description).split(". ")[0].rstrip(".")
    if text:
        return text[:1].upper() + text[1:]
    noun = table.nouns if proposed.operation in ("list", "search") else with_article(table.noun)
    return f"{proposed.operation.capitalize()} {noun}"
