"""Source of the tools: what each does to the state."""

from collections.abc import Iterator

from envfactory_assets.stages.attempts.builder.blueprint import (
    Blueprint,
    Column,
    Input,
    Table,
    ToolPlan,
)
from envfactory_assets.stages.attempts.builder.layout import (
    docstring,
    lay_out,
    quoted,
    tuple_of,
)
from envfactory_assets.stages.attempts.builder.names import words
from envfactory_assets.stages.attempts.builder.parameters import (
    default_value,
    initial_value,
    parameter,
    search_columns,
)
from envfactory_assets.stages.attempts.builder.periods import period_of
from envfactory_assets.stages.attempts.builder.phrasings import phrasings


def tool_lines(tool: ToolPlan, blueprint: Blueprint) -> Iterator[str]:
    """Yield the method of a tool."""
    asked = tuple_of([quoted(phrasing) for phrasing in phrasings(tool)])
    yield from lay_out(f"@tool(effect={quoted(tool.effect)}, phrasings={asked})", 1)
    parameters = ["self", *(parameter(given, tool, blueprint) for given in tool.inputs)]
    result = tool.table.list_class if tool.kind == "list" else tool.table.details_class
    yield from lay_out(f"def {tool.name}({', '.join(parameters)}) -> {result}:", 1)
    yield from docstring(tool.description, 2)
    for statement in _body(tool, blueprint):
        depth, text = _depth(statement)
        yield from lay_out(text, 2 + depth)


def _body(tool: ToolPlan, blueprint: Blueprint) -> Iterator[str]:
    """Return the statements of a tool, each on one line."""
    match tool.kind:
        case "create":
            return _create(tool, period_of(tool.table, blueprint))
        case "read":
            return iter([f"return self._show_{tool.table.entity}({tool.table.id_name})"])
        case "update":
            return _update(tool, period_of(tool.table, blueprint))
        case "delete":
            return _delete(tool, blueprint)
        case "list":
            return _list(tool)


def _depth(statement: str) -> tuple[int, str]:
    text = statement.lstrip()
    return (len(statement) - len(text)) // 4, text


Period = tuple[Column, Column] | None


def _create(tool: ToolPlan, period: Period) -> Iterator[str]:
    table = tool.table
    given = {i.column.name: i for i in tool.inputs if i.column is not None}
    yield from _checks(tool)
    if period is not None and all(column.name in given for column in period):
        yield f"self._check_{table.entity}_period({period[0].name}, {period[1].name})"
    values = [f"{c.name}={_created(c, given.get(c.name), tool)}" for c in table.columns]
    yield f"{table.id_name} = self.clock.next_id({quoted(table.prefix)})"
    stored = f"self.state.{table.name}[{table.id_name}]"
    yield f"{stored} = {table.class_name}({', '.join(values)})"
    yield f"return self._show_{table.entity}({table.id_name})"


def _created(column: Column, given: Input | None, tool: ToolPlan) -> str:
    if given is None:
        return initial_value(column)
    is_given = given.is_required or column.is_nullable or default_value(given, tool) != "None"
    return column.name if is_given else f"{column.name} or {initial_value(column)}"


def _update(tool: ToolPlan, period: Period) -> Iterator[str]:
    table = tool.table
    values = tool.by_role("value")
    yield f"{_row(tool)} = self._find_{table.entity}({table.id_name})"
    yield from _checks(tool)
    given = {i.column.name: i for i in values if i.column is not None}
    if period is not None and any(column.name in given for column in period):
        times = ", ".join(_updated(column, given.get(column.name), tool) for column in period)
        yield f"self._check_{table.entity}_period({times})"
    pairs = ", ".join(f"{quoted(given.name)}: {given.name}" for given in values)
    yield f"changes = {{{pairs}}}"
    wanted = "changes"
    if not all(given.is_required for given in values):
        wanted = "given"
        yield "given = {name: value for name, value in changes.items() if value is not None}"
    if not any(given.is_required for given in values):
        named = ", ".join(given.name for given in values)
        yield "if not given:"
        yield f'    raise ToolError("Nothing to change; give at least one of {named}.")'
    yield f"self.state.{table.name}[{table.id_name}] = {_row(tool)}.model_copy(update={wanted})"
    yield f"return self._show_{table.entity}({table.id_name})"


def _updated(column: Column, given: Input | None, tool: ToolPlan) -> str:
    kept = f"{_row(tool)}.{column.name}"
    if given is None:
        return kept
    return given.name if given.is_required else f"{given.name} or {kept}"


def _delete(tool: ToolPlan, blueprint: Blueprint) -> Iterator[str]:
    table = tool.table
    yield f"details = self._show_{table.entity}({table.id_name})"
    for other, column in blueprint.referring(table):
        yield from _reference_check(table, other, column)
    yield f"del self.state.{table.name}[{table.id_name}]"
    yield "return details"


def _reference_check(table: Table, other: Table, column: Column) -> Iterator[str]:
    row = other.variable if other.variable != table.id_name else "entry"
    held = f"{table.id_name} in {row}.{column.name}" if column.is_list else None
    condition = held or f"{row}.{column.name} == {table.id_name}"
    yield (f"references = [{row} for {row} in self.state.{other.name}.values() if {condition}]")
    yield "if references:"
    yield (
        f'    raise ToolError(f"{table.noun.capitalize()} {{{table.id_name}}} cannot be deleted '
        f"while {{len(references)}} of the {other.nouns} refer to it as "
        f'{words(column.name.removesuffix("_id"))}.")'
    )


def _list(tool: ToolPlan) -> Iterator[str]:
    table, row = tool.table, _row(tool)
    for given in tool.by_role("equal"):
        yield from _known(given)
    conditions = [text for given in tool.inputs for text in _condition(given, tool, row)]
    chosen = f" if {' and '.join(conditions)}" if conditions else ""
    # A lone condition needs no brackets.
    if len(conditions) == 1 and conditions[0].startswith("("):
        chosen = f" if {conditions[0][1:-1]}"
    pairs = f"{table.id_name}, {row} in self.state.{table.name}.items()"
    if not conditions:
        pairs = f"{table.id_name} in self.state.{table.name}"
    yield f"found = [self._show_{table.entity}({table.id_name}) for {pairs}{chosen}]"
    if table.order is not None:
        yield f"found.sort(key=lambda {row}: {row}.{table.order.name})"
    yield f"return {table.list_class}({table.name}=found{_page(tool)})"


def _row(tool: ToolPlan) -> str:
    """Return what an entity is called inside a tool: no argument is called so."""
    taken = {given.name for given in tool.inputs} | {tool.table.id_name}
    return next(name for name in (tool.table.variable, "entry", "row") if name not in taken)


def _page(tool: ToolPlan) -> str:
    limit, offset = tool.by_role("limit"), tool.by_role("offset")
    if limit and offset:
        return "[offset : offset + limit]"
    return "[:limit]" if limit else "[offset:]" if offset else ""


def _condition(given: Input, tool: ToolPlan, row: str) -> Iterator[str]:
    column, name = given.column, given.name
    if given.role == "query":
        texts = ", ".join(f"{row}.{c.name}" for c in search_columns(tool.table))
        test = f"_mentions(query, {texts})"
    elif column is None:
        return
    elif given.role == "equal" and column.is_list:
        test = f"{name} in {row}.{column.name}"
    elif given.role == "equal":
        test = f"{row}.{column.name} == {name}"
    else:
        sign = ">=" if given.role == "least" else "<="
        test = f"{row}.{column.name} {sign} {name}"
        if column.is_nullable:
            test = f"{row}.{column.name} is not None and {test}"
            test = test if given.is_required else f"({test})"
    yield test if given.is_required else f"({name} is None or {test})"


def _checks(tool: ToolPlan) -> Iterator[str]:
    """Yield the checks of what is given: known ids, no name twice."""
    for given in tool.by_role("value"):
        yield from _known(given)
    for given in tool.by_role("value"):
        if given.column is not None and given.column.is_unique:
            own = f", {tool.table.id_name}" if tool.kind == "update" else ""
            call = f"self._check_{tool.table.entity}_{given.name}({given.name}{own})"
            yield from _when_given(given, call)


def _known(given: Input) -> Iterator[str]:
    column = given.column
    if column is None or column.target is None:
        return
    if column.is_list and given.role == "value":
        some = given.name if given.is_required else f"{given.name} or []"
        yield f"for {column.target}_key in {some}:"
        yield f"    self._find_{column.target}({column.target}_key)"
        return
    yield from _when_given(given, f"self._find_{column.target}({given.name})")


def _when_given(given: Input, call: str) -> Iterator[str]:
    if given.is_required:
        yield call
    else:
        yield f"if {given.name} is not None:"
        yield f"    {call}"
