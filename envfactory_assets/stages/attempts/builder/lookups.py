"""Source of the private methods that tools share: look-ups, what is shown of a row, checks."""

from collections.abc import Iterator

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Column, Table
from envfactory_assets.stages.attempts.builder.layout import lay_out
from envfactory_assets.stages.attempts.builder.names import words
from envfactory_assets.stages.attempts.builder.periods import period_of
from envfactory_assets.stages.attempts.builder.phrasings import column_words


def lookup_lines(blueprint: Blueprint) -> Iterator[str]:
    """Yield the private methods: look-ups, checks and results."""
    shown = {tool.table.entity for tool in blueprint.tools}
    looked_up = {
        given.column.target if given.column is not None else tool.table.entity
        for tool in blueprint.tools
        for given in tool.inputs
        if given.role == "own_id" or (given.column is not None and given.column.target is not None)
    }
    for table in blueprint.tables:
        is_looked_up = table.entity in looked_up
        if is_looked_up:
            yield from _lookup(table, blueprint)
        if table.entity in shown:
            yield from _details(table, is_looked_up=is_looked_up)
        period = period_of(table, blueprint)
        if period is not None and _is_timed(table, period, blueprint):
            yield from _period_check(table, *period)
        for column in table.columns:
            if column.is_unique and _is_checked(column, table, blueprint):
                yield from _unique_check(column, table)


def _is_checked(column: Column, table: Table, blueprint: Blueprint) -> bool:
    return any(
        given.column is not None and given.column.name == column.name and given.role == "value"
        for tool in blueprint.tools
        if tool.table.entity == table.entity
        for given in tool.inputs
    )


def _lookup(table: Table, blueprint: Blueprint) -> Iterator[str]:
    head = f"def _find_{table.entity}(self, {table.id_name}: str) -> {table.class_name}:"
    yield from lay_out(head, 1)
    yield from lay_out(f"{table.variable} = self.state.{table.name}.get({table.id_name})", 2)
    yield f"        if {table.variable} is None:"
    can_list = bool(blueprint.tools_of(table, "list"))
    advice = f"list the {table.nouns} first" if can_list else f"check the id of the {table.noun}"
    message = f'f"There is no {table.noun} {{{table.id_name}!r}}; {advice}."'
    yield from lay_out(f"raise ToolError({message})", 3)
    yield f"        return {table.variable}"
    yield ""


def _details(table: Table, *, is_looked_up: bool) -> Iterator[str]:
    head = f"def _show_{table.entity}(self, {table.id_name}: str) -> {table.details_class}:"
    yield from lay_out(head, 1)
    kept = f"self.state.{table.name}[{table.id_name}]"
    found = f"self._find_{table.entity}({table.id_name})" if is_looked_up else kept
    yield from lay_out(f"{table.variable} = {found}", 2)
    call = (
        f"{table.details_class}({table.id_name}={table.id_name}, **{table.variable}.model_dump())"
    )
    yield from lay_out(f"return {call}", 2)
    yield ""


def _is_timed(table: Table, period: tuple[Column, Column], blueprint: Blueprint) -> bool:
    """Return whether a tool checks the period: one that changes a part, or makes both."""
    updating = [given.column for t in blueprint.tools_of(table, "update") for given in t.inputs]
    if any(column in updating for column in period):
        return True
    makes = [[given.column for given in t.inputs] for t in blueprint.tools_of(table, "create")]
    return any(all(column in made for column in period) for made in makes)


def _period_check(table: Table, start: Column, end: Column) -> Iterator[str]:
    kinds = [f"{c.name}: str{' | None' if c.is_nullable else ''}" for c in (start, end)]
    head = f"def _check_{table.entity}_period(self, {', '.join(kinds)}) -> None:"
    yield from lay_out(head, 1)
    sign = "<" if end.type == "day" else "<="
    given = "".join(f"{c.name} is not None and " for c in (start, end) if c.is_nullable)
    yield from lay_out(f"if {given}{end.name} {sign} {start.name}:", 2)
    words_of_end, words_of_start = column_words(end), column_words(start)
    not_before = " or be the same" if end.type == "day" else ""
    message = f'f"The {words_of_end} has to lie after the {words_of_start} {{{start.name}}}'
    yield from lay_out(f'raise ToolError({message}{not_before}.")', 3)
    yield ""


def _unique_check(column: Column, table: Table) -> Iterator[str]:
    row = "entry"
    head = (
        f"def _check_{table.entity}_{column.name}(self, {column.name}: str, "
        f'ignoring: str = "") -> None:'
    )
    yield from lay_out(head, 1)
    pair = f"{table.id_name}, {row} in self.state.{table.name}.items()"
    yield from lay_out(f"for {pair}:", 2)
    test = f"{row}.{column.name} == {column.name} and {table.id_name} != ignoring"
    yield from lay_out(f"if {test}:", 3)
    message = (
        f'f"{table.noun.capitalize()} {{{table.id_name}}} has the {words(column.name)} '
        f'{{{column.name}!r}} already; choose another one."'
    )
    yield from lay_out(f"raise ToolError({message})", 4)
    yield ""
