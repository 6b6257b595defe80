"""The calls of one test case, with what must come of each, on a state that moves along."""

from envfactory_assets.stages.attempts.builder.blueprint import (
    Blueprint,
    Column,
    Table,
    ToolPlan,
)
from envfactory_assets.stages.attempts.builder.oracle import Oracle
from envfactory_assets.stages.attempts.builder.periods import period_of
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.cases import CaseCall

_ROWS_PINNED = 4


class Calls:
    """Calls in order.

    Attributes:
        made: The calls with their expectations.
        oracle: The state after them.
        blueprint: The environment.
    """

    def __init__(self, blueprint: Blueprint, state: JsonObject) -> None:
        """Begin on a state."""
        self.made: list[CaseCall] = []
        self.oracle = Oracle(blueprint, state)
        self.blueprint = blueprint

    def ok(self, tool: ToolPlan, arguments: JsonObject, result: JsonObject) -> None:
        """Expect a call to be carried out."""
        call = CaseCall(tool=tool.name, arguments=arguments, expect="ok", result=result)
        self.made.append(call)

    def refused(self, tool: ToolPlan, arguments: JsonObject, error: str) -> None:
        """Expect a call to be refused."""
        call = CaseCall(tool=tool.name, arguments=arguments, expect="refused", error=error)
        self.made.append(call)

    def create(self, tool: ToolPlan, arguments: JsonObject) -> JsonObject:
        """Expect an entity to be added; return what is shown of it."""
        shown = self.oracle.create(tool, arguments)
        self.ok(tool, arguments, shown)
        return shown

    def update(self, tool: ToolPlan, arguments: JsonObject) -> None:
        """Expect an entity to be changed."""
        self.ok(tool, arguments, self.oracle.update(tool, arguments))

    def delete(self, tool: ToolPlan, row_id: str) -> None:
        """Expect an entity to be removed."""
        arguments: JsonObject = {tool.table.id_name: row_id}
        self.ok(tool, arguments, self.oracle.delete(tool.table, row_id))

    def period_of(self, table: Table) -> tuple[Column, Column] | None:
        """Return start and end of a table's entities, where one has to follow the other."""
        return period_of(table, self.blueprint)

    def read(self, table: Table, row_id: str) -> None:
        """Expect one entity to be shown as it is, where a tool shows one."""
        for tool in self.blueprint.tools_of(table, "read")[:1]:
            self.ok(tool, {table.id_name: row_id}, self.oracle.shown(table, row_id))

    def list(self, tool: ToolPlan, arguments: JsonObject) -> list[str]:
        """Expect a list to hold what it should, in order; return the ids."""
        table = tool.table
        found = self.oracle.listed(tool, arguments)
        result: JsonObject = {f"{table.name}.length": len(found)}
        for place, row_id in enumerate(found[:_ROWS_PINNED]):
            result[f"{table.name}[{place}].{table.id_name}"] = row_id
        for name, value in (self.oracle.shown(table, found[-1]) if found else {}).items():
            result[f"{table.name}[{len(found) - 1}].{name}"] = value
        self.ok(tool, arguments, result)
        return found
