"""What create, read, update, delete and list mean, told on the JSON of a state.

Test cases take their expectations from here, not from what the built code does.
"""

import copy
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.stages.attempts.builder.blueprint import (
    Blueprint,
    Column,
    Input,
    Table,
    ToolPlan,
)
from sandboxes.core.parameters import JsonObject


class Oracle:
    """A state that is read and changed as the words for its tools promise."""

    def __init__(self, blueprint: Blueprint, state: JsonObject) -> None:
        """Begin with a state, which stays as it is."""
        self._blueprint = blueprint
        self._state = copy.deepcopy(state)

    @property
    def now(self) -> str:
        """The moment the state stands at."""
        return str(cast("JsonObject", self._state["clock"])["now"])

    def rows(self, table: Table) -> dict[str, JsonObject]:
        """Return the entities of a table by id."""
        return cast("dict[str, JsonObject]", self._state[table.name])

    def shown(self, table: Table, row_id: str) -> JsonObject:
        """Return what a result says of one entity."""
        return {table.id_name: row_id, **self.rows(table)[row_id]}

    def free(self, table: Table) -> list[str]:
        """Return the ids that nothing refers to."""
        return [row_id for row_id in self.rows(table) if not self.references(table, row_id)]

    def taken(self, table: Table) -> list[str]:
        """Return the ids that something refers to."""
        return [row_id for row_id in self.rows(table) if self.references(table, row_id)]

    def references(self, table: Table, row_id: str) -> list[tuple[Table, str]]:
        """Return the entities that refer to one."""
        return [
            (other, other_id)
            for other, column in self._blueprint.referring(table)
            for other_id, row in self.rows(other).items()
            if _holds(row[column.name], row_id)
        ]

    def first_holders(self, table: Table, row_id: str) -> tuple[Table, int]:
        """Return which table refers to an entity first, and how often in that field."""
        for other, column in self._blueprint.referring(table):
            count = sum(_holds(row[column.name], row_id) for row in self.rows(other).values())
            if count:
                return other, count
        return table, 0

    def create(self, tool: ToolPlan, arguments: JsonObject) -> JsonObject:
        """Add an entity and return what is shown of it."""
        table = tool.table
        counters = cast("dict[str, int]", cast("JsonObject", self._state["clock"])["counters"])
        counters[table.prefix] = counters.get(table.prefix, 0) + 1
        row_id = f"{table.prefix}-{counters[table.prefix]}"
        inputs = {i.column.name: i for i in tool.inputs if i.column is not None}
        row: JsonObject = {}
        for column in table.columns:
            value = arguments.get(column.name)
            if value is None and column.name in inputs:
                value = inputs[column.name].default
            row[column.name] = self._initial(column) if value is None else value
        self.rows(table)[row_id] = row
        return self.shown(table, row_id)

    def update(self, tool: ToolPlan, arguments: JsonObject) -> JsonObject:
        """Change what is given of an entity and return what is shown of it."""
        row_id = str(arguments[tool.table.id_name])
        changes = {key: item for key, item in arguments.items() if key != tool.table.id_name}
        self.rows(tool.table)[row_id].update(changes)
        return self.shown(tool.table, row_id)

    def delete(self, table: Table, row_id: str) -> JsonObject:
        """Remove an entity and return what was shown of it."""
        shown = self.shown(table, row_id)
        del self.rows(table)[row_id]
        return shown

    def listed(self, tool: ToolPlan, arguments: JsonObject) -> list[str]:
        """Return the ids that a list holds, in its order."""
        table = tool.table
        found = [
            row_id
            for row_id, row in self.rows(table).items()
            if all(
                _passes(row, given, arguments[given.name], table)
                for given in _filters(tool, arguments)
            )
        ]
        order = table.order
        if order is not None:
            found.sort(key=lambda row_id: cast("str", self.rows(table)[row_id][order.name]))
        for given in tool.by_role("offset"):
            found = found[cast("int", arguments.get("offset", given.default)) :]
        for given in tool.by_role("limit"):
            found = found[: cast("int", arguments.get("limit", given.default))]
        return found

    def _initial(self, column: Column) -> JsonValue:
        if column.is_nullable:
            return None
        least, most = column.proposed.minimum, column.proposed.maximum
        smallest = least if least is not None else min(0.0, most or 0.0)
        initial: dict[str, JsonValue] = {
            "choice": next(iter(column.proposed.choices), None),
            "boolean": False,
            "integer": round(smallest),
            "number": smallest,
            "day": self.now[:10],
            "moment": self.now,
            "list": [],
            "text": "",
        }
        return initial[column.type]


def _filters(tool: ToolPlan, arguments: JsonObject) -> Sequence[Input]:
    given = tool.by_role("equal", "least", "most", "query")
    return [one for one in given if arguments.get(one.name) is not None]


def _holds(value: JsonValue, row_id: str) -> bool:
    return row_id in value if isinstance(value, list) else value == row_id


def _passes(row: JsonObject, given: Input, wanted: JsonValue, table: Table) -> bool:
    if given.role == "query":
        texts = [str(row[c.name] or "").casefold() for c in table.columns if c.is_text]
        return any(str(wanted).casefold() in text for text in texts)
    value = row[given.column.name] if given.column is not None else None
    if given.role == "equal":
        return _holds(value, cast("str", wanted)) if isinstance(value, list) else value == wanted
    if value is None or wanted is None:
        return False
    if given.role == "least":
        return cast("float", value) >= cast("float", wanted)
    return cast("float", value) <= cast("float", wanted)
