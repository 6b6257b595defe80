"""Source of what draws a scenario: the method, one function a table, and the words they use."""

from collections.abc import Iterator

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Table
from envfactory_assets.stages.attempts.builder.layout import (
    docstring,
    lay_out,
    quoted,
    tuple_of,
)
from envfactory_assets.stages.attempts.builder.sample_values import (
    constant_values,
    draws_from_constant,
    expression,
    is_person,
    label_source,
)

_ROWS = 8


def scenario_lines(blueprint: Blueprint) -> Iterator[str]:
    """Yield the method that draws a scenario."""
    yield "    @classmethod"
    head = f"def scenario(cls, world: World, rng: random.Random) -> {blueprint.state_class}:"
    yield from lay_out(head, 1)
    drawn = [table.nouns for table in blueprint.tables]
    listed = f"{', '.join(drawn[:-1])} and {drawn[-1]}" if len(drawn) > 1 else drawn[0]
    yield from docstring(f"Draw {listed}", 2)
    tables = "".join(f", {table.name}={{}}" for table in blueprint.tables)
    yield from lay_out(f"state = {blueprint.state_class}(clock=Clock(now=world.now){tables})", 2)
    for table in blueprint.tables:
        yield f"        _add_{table.name}(state, world, rng)"
    for table in blueprint.tables:
        yield from _deferred_lines(table, blueprint)
        yield from _alike_lines(table, blueprint)
    yield "        return state"


def _deferred_lines(table: Table, blueprint: Blueprint) -> Iterator[str]:
    waiting = [column for column in table.columns if column.is_deferred]
    if not waiting:
        return
    yield f"        for {table.variable} in list(state.{table.name}.values())[2::2]:"
    for column in waiting:
        target = blueprint.table(column.target or "").name
        ids = f"list(state.{target})[:{2 if target == table.name else -2}]"
        drawn = f"rng.sample({ids}, 1)" if column.is_list else f"rng.choice({ids})"
        yield from lay_out(f"{table.variable}.{column.name} = {drawn}", 3)


def _asked(table: Table, blueprint: Blueprint) -> list[str]:
    """Return the fields that a list requires a value of."""
    asked = [
        given.column.name
        for tool in blueprint.tools_of(table, "list")
        for given in tool.by_role("equal")
        if given.is_required and given.column is not None and not given.column.is_unique
    ]
    return list(dict.fromkeys(asked))


def _alike_lines(table: Table, blueprint: Blueprint) -> Iterator[str]:
    """Yield what makes rows alike in what a list asks for, so that it finds several."""
    names = _asked(table, blueprint)
    if not names:
        return
    yield f"        rows = list(state.{table.name}.values())"
    group = "place // 2 * 2" if len(names) == 1 else "place % 3"
    yield "        for place, row in enumerate(rows):"
    for name in names:
        yield from lay_out(f"row.{name} = rows[{group}].{name}", 3)


def constant_lines(blueprint: Blueprint) -> Iterator[str]:
    """Yield the words that scenarios draw from."""
    for table in blueprint.tables:
        for column in table.columns:
            if draws_from_constant(column, table):
                kind = f": tuple[{column.choices_type}, ...]" if column.choices_type else ""
                values = tuple_of([quoted(v) for v in constant_values(column, table)])
                yield from lay_out(f"{column.constant}{kind} = {values}")


def table_lines(table: Table, blueprint: Blueprint) -> Iterator[str]:
    """Yield the function that draws one table."""
    head = (
        f"def _add_{table.name}(state: {blueprint.state_class}, world: World, "
        "rng: random.Random) -> None:"
    )
    yield from lay_out(head)
    walk, label_text = _walk(table)
    uses = [walk]
    stored = {other.entity: other.name for other in blueprint.tables}
    asked = _asked(table, blueprint)
    values: list[str] = []
    for column in table.columns:
        drawn = expression(
            column,
            table,
            stored,
            has_person=walk.startswith("person"),
            is_asked=column.name in asked,
        )
        if column.is_label and label_text:
            drawn = label_text
        values.append(f"{column.name}={drawn}")
        uses.append(drawn)
    used = " ".join(uses)
    for name in ("world", "rng"):
        if f"{name}." not in used and f"{name}," not in used and f" {name})" not in used:
            yield f"    del {name}"
    yield f"    for {walk}:"
    key = f"state.clock.next_id({quoted(table.prefix)})"
    yield from lay_out(f"state.{table.name}[{key}] = {table.class_name}({', '.join(values)})", 2)


def _walk(table: Table) -> tuple[str, str]:
    """Return what a row is drawn for, and the expression of its label where that gives it."""
    label = table.label
    if label is not None and label.is_text and not label.is_nullable:
        walk, text, _ = label_source(label, table)
        return walk, text
    if is_person(table):
        return "person in rng.sample(world.people, 6)", ""
    return f"_ in range({_ROWS})", ""


def helper_lines(source: str) -> Iterator[str]:
    """Yield the small functions that a source uses."""
    for call, text in (("_mentions(", _MENTIONS), ("_moment(", _MOMENT)):
        if call in source:
            yield from text.rstrip().splitlines()[1:]


_MENTIONS = '''


def _mentions(query: str, *texts: str | None) -> bool:
    """Return whether one of the texts holds the words, in upper or lower case."""
    return any(query.casefold() in (text or "").casefold() for text in texts)
'''
_MOMENT = '''


def _moment(world: World, rng: random.Random, first: int, last: int) -> str:
    """Return a moment in working hours, some days from the session's."""
    return f"{add_days(world.today, rng.randint(first, last))}T{rng.randint(8, 17):02d}:30"
'''
