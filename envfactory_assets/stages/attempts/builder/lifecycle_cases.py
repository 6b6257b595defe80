"""Test cases over several tools: an entity from its making to its end, and what hangs together."""

from collections.abc import Iterator

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Table
from envfactory_assets.stages.attempts.builder.case_calls import Calls
from envfactory_assets.stages.attempts.builder.case_values import full_arguments
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.cases import Complexity

Written = Iterator[tuple[str, Complexity, Calls]]


def lifecycle_cases(blueprint: Blueprint, state: JsonObject) -> Written:
    """Yield cases over several tools: name, complexity, calls."""
    for table in blueprint.tables:
        calls = Calls(blueprint, state)
        _lead_a_life(table, blueprint, calls)
        yield f"A {table.noun} from beginning to end", "complex", calls
        calls = Calls(blueprint, state)
        _clear_away(table, blueprint, calls)
        yield f"A {table.noun} can go when nothing refers to it any more", "complex", calls


def _lead_a_life(table: Table, blueprint: Blueprint, calls: Calls) -> None:
    row_id = next(iter(calls.oracle.free(table)), "")
    for tool in blueprint.tools_of(table, "create")[:1]:
        shown = calls.create(tool, full_arguments(tool, calls.oracle, blueprint, 0))
        row_id = str(shown[table.id_name])
    for tool in blueprint.tools_of(table, "update"):
        values = full_arguments(tool, calls.oracle, blueprint, 1)
        calls.update(tool, {table.id_name: row_id, **values})
    _list_all(table, blueprint, calls)
    for tool in blueprint.tools_of(table, "delete")[:1]:
        calls.delete(tool, row_id)
        for reading in blueprint.tools_of(table, "read")[:1]:
            calls.refused(reading, {table.id_name: row_id}, f"There is no {table.noun}")
        _list_all(table, blueprint, calls)
    if not any(blueprint.tools_of(table, kind) for kind in ("create", "update", "delete")):
        calls.made.clear()


def _list_all(table: Table, blueprint: Blueprint, calls: Calls) -> None:
    for tool in blueprint.tools_of(table, "list"):
        if not any(given.is_required for given in tool.inputs):
            calls.list(tool, {})
            return


def _delete_what_is_left(table: Table, row_id: str, blueprint: Blueprint, calls: Calls) -> None:
    if row_id in calls.oracle.rows(table):
        calls.delete(blueprint.tools_of(table, "delete")[0], row_id)


def _clear_away(table: Table, blueprint: Blueprint, calls: Calls) -> None:
    """Delete all that refers to an entity, and the entity after it."""
    deleting = blueprint.tools_of(table, "delete")
    for row_id in calls.oracle.taken(table):
        referring = calls.oracle.references(table, row_id)
        can_go = all(
            blueprint.tools_of(other, "delete") and not calls.oracle.references(other, other_id)
            for other, other_id in referring
        )
        if deleting and can_go:
            calls.refused(deleting[0], {table.id_name: row_id}, "cannot be deleted")
            for other, other_id in referring:
                _delete_what_is_left(other, other_id, blueprint, calls)
            calls.delete(deleting[0], row_id)
            return
