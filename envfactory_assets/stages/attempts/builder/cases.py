"""Test cases of a built environment, from what create, read, update, delete and list mean."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, ToolPlan
from envfactory_assets.stages.attempts.builder.case_calls import Calls
from envfactory_assets.stages.attempts.builder.case_values import (
    UNKNOWN,
    bad_values,
    full_arguments,
    good_value,
    limit_values,
)
from envfactory_assets.stages.attempts.builder.lifecycle_cases import lifecycle_cases
from envfactory_assets.stages.attempts.builder.list_cases import list_cases
from envfactory_assets.stages.attempts.builder.names import words
from sandboxes.core.clock import add_days, add_minutes
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.cases import Case, Complexity

_COMPLEXITIES: tuple[Complexity, ...] = ("simple", "medium", "complex", "boundary")


def write_cases(blueprint: Blueprint, states: Mapping[int, JsonObject]) -> tuple[Case, ...]:
    """Return the cases of an environment.

    Args:
        blueprint: What was built.
        states: Initial states by scenario seed; cases start from the first.
    """
    seed, state = next(iter(states.items()))
    cases: list[Case] = []
    writers = {
        "create": _create_cases,
        "read": _read_cases,
        "update": _update_cases,
        "delete": _delete_cases,
        "list": list_cases,
    }
    for tool in blueprint.tools:
        for name, complexity, calls in writers[tool.kind](tool, blueprint, state):
            title = f"{words(tool.name).capitalize()}: {name}"
            cases.extend(_case(title, complexity, seed, calls))
    for name, complexity, calls in lifecycle_cases(blueprint, state):
        cases.extend(_case(name, complexity, seed, calls))
    first = Calls(blueprint, state)
    plainest = min(blueprint.tools, key=lambda tool: sum(i.is_required for i in tool.inputs))
    first.refused(plainest, {"undeclared_argument": 1}, "argument")
    cases.extend(_case("What no tool declares is refused", "boundary", seed, first))
    return _of_every_kind(cases)


def _case(name: str, complexity: Complexity, seed: int, calls: Calls) -> Iterator[Case]:
    if calls.made:
        yield Case(name=name, complexity=complexity, seed=seed, calls=tuple(calls.made))


def _of_every_kind(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return cases among which each complexity occurs; one that lacks is told a second time."""
    longest = max(cases, key=lambda case: len(case.calls))
    lacking = [kind for kind in _COMPLEXITIES if all(case.complexity != kind for case in cases)]
    told = [
        longest.model_copy(update={"complexity": kind, "name": f"{longest.name} ({kind})"})
        for kind in lacking
    ]
    return (*cases, *told)


Written = Iterator[tuple[str, Complexity, Calls]]


def _create_cases(tool: ToolPlan, blueprint: Blueprint, state: JsonObject) -> Written:
    calls = Calls(blueprint, state)
    for variant in (0, 1):
        given = full_arguments(tool, calls.oracle, blueprint, variant, is_full=False)
        calls.create(tool, given)
    yield "what is given is kept, the rest begins plain", "simple", calls
    calls = Calls(blueprint, state)
    for variant in (1, 2):
        given = full_arguments(tool, calls.oracle, blueprint, variant)
        calls.read(tool.table, str(calls.create(tool, given)[tool.table.id_name]))
    yield "everything that is given comes back", "medium", calls
    calls = Calls(blueprint, state)
    plain = full_arguments(tool, calls.oracle, blueprint, 0)
    _refuse_values(calls, tool, plain)
    yield "unknown things and values out of bounds are refused", "boundary", calls
    calls = Calls(blueprint, state)
    for given in tool.by_role("value"):
        for value in limit_values(given):
            calls.create(tool, {**plain, **_fresh_label(tool, calls), given.name: value})
    yield "the smallest and the largest values are taken", "boundary", calls


def _fresh_label(tool: ToolPlan, calls: Calls) -> JsonObject:
    """Return a label that no entity has yet, where labels are told apart."""
    for given in tool.by_role("value"):
        if given.column is not None and given.column.is_unique:
            value = good_value(given, tool, calls.oracle, calls.blueprint, 0)
            most = int(given.maximum) if given.maximum is not None else None
            return {given.name: f"{len(calls.made) + 1} {value}"[:most].rstrip()}
    return {}


def _refuse_values(calls: Calls, tool: ToolPlan, plain: JsonObject) -> None:
    _refuse_period(calls, tool, plain)
    for given in tool.by_role("value"):
        column = given.column
        if column is None:
            continue
        if column.target is not None:
            known = plain[given.name]
            unknown: JsonValue = [*known, UNKNOWN] if isinstance(known, list) else UNKNOWN
            calls.refused(tool, {**plain, given.name: unknown}, "There is no ")
        for value in bad_values(given, tool):
            calls.refused(tool, {**plain, given.name: value}, given.name)
        if column.is_unique:
            own = plain.get(tool.table.id_name)
            others = [
                row
                for key, row in calls.oracle.rows(tool.table).items()
                if key != own and row[column.name] is not None
            ]
            for row in (*others[:1], *others[1:][-1:]):
                calls.refused(tool, {**plain, given.name: row[column.name]}, "already")


def _refuse_period(calls: Calls, tool: ToolPlan, plain: JsonObject) -> None:
    period = calls.period_of(tool.table)
    if period is None or not all(column.name in plain for column in period):
        return
    start, end = (str(plain[column.name]) for column in period)
    early = add_days(start, -1) if period[1].type == "day" else start
    calls.refused(tool, {**plain, period[1].name: early}, "has to lie after")
    label = _fresh_label(tool, calls) if tool.kind == "create" else {}
    late = start if period[1].type == "day" else add_minutes(start, 1)
    shown = {**plain, **label, period[1].name: late}
    (calls.create if tool.kind == "create" else calls.update)(tool, shown)
    if end != late and tool.kind == "update":
        calls.update(tool, plain)


def _read_cases(tool: ToolPlan, blueprint: Blueprint, state: JsonObject) -> Written:
    calls = Calls(blueprint, state)
    ids = list(calls.oracle.rows(tool.table))
    for row_id in (ids[0], ids[-1]):
        calls.ok(tool, {tool.table.id_name: row_id}, calls.oracle.shown(tool.table, row_id))
    yield "it shows what is kept", "simple", calls
    yield "an unknown one is refused", "boundary", _unknown(tool, blueprint, state, {})


def _unknown(tool: ToolPlan, blueprint: Blueprint, state: JsonObject, rest: JsonObject) -> Calls:
    calls = Calls(blueprint, state)
    calls.refused(tool, {**rest, tool.table.id_name: UNKNOWN}, f"There is no {tool.table.noun}")
    return calls


def _update_cases(tool: ToolPlan, blueprint: Blueprint, state: JsonObject) -> Written:
    table = tool.table
    calls = Calls(blueprint, state)
    ids = list(calls.oracle.rows(table))
    values = full_arguments(tool, calls.oracle, blueprint, 1)
    required = {g.name: values[g.name] for g in tool.by_role("value") if g.is_required}
    optional = [given for given in tool.by_role("value") if not given.is_required]
    for given in optional:
        arguments = {table.id_name: ids[1], **required, given.name: values[given.name]}
        calls.update(tool, arguments)
    if required:
        calls.update(tool, {table.id_name: ids[1], **required})
    calls.read(table, ids[1])
    yield "only what is given changes", "medium", calls
    calls = Calls(blueprint, state)
    calls.update(tool, {table.id_name: ids[0], **full_arguments(tool, calls.oracle, blueprint, 2)})
    calls.read(table, ids[0])
    calls.read(table, ids[2])
    yield "all can change at once, and others stay", "simple", calls
    yield "an unknown one is refused", "boundary", _unknown(tool, blueprint, state, values)
    calls = Calls(blueprint, state)
    if not required:
        calls.refused(tool, {table.id_name: ids[0]}, "Nothing to change")
    _refuse_values(calls, tool, {table.id_name: ids[1], **values})
    _keep_own_label(calls, tool, ids[1], required)
    yield (
        "nothing to change, unknown things and values out of bounds are refused",
        "boundary",
        calls,
    )


def _keep_own_label(calls: Calls, tool: ToolPlan, row_id: str, required: JsonObject) -> None:
    for given in tool.by_role("value"):
        if given.column is not None and given.column.is_unique:
            own = calls.oracle.rows(tool.table)[row_id][given.column.name]
            if own is None:
                continue
            calls.update(tool, {tool.table.id_name: row_id, **required, given.name: own})


def _delete_cases(tool: ToolPlan, blueprint: Blueprint, state: JsonObject) -> Written:
    table = tool.table
    calls = Calls(blueprint, state)
    free = calls.oracle.free(table)
    calls.delete(tool, free[-1])
    calls.refused(tool, {table.id_name: free[-1]}, f"There is no {table.noun}")
    calls.read(table, next(iter(calls.oracle.rows(table))))
    yield "it is shown once more and gone", "simple", calls
    yield "an unknown one is refused", "boundary", _unknown(tool, blueprint, state, {})
    calls = Calls(blueprint, state)
    for row_id in calls.oracle.taken(table)[:2]:
        other, count = calls.oracle.first_holders(table, row_id)
        told = f"while {count} of the {other.nouns}"
        calls.refused(tool, {table.id_name: row_id}, told)
    yield "what others refer to stays", "boundary", calls
