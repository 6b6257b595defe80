"""Source of what stands above the environment class: types, entities, state, results."""

from collections.abc import Iterator

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Column, Table
from envfactory_assets.stages.attempts.builder.layout import docstring, lay_out, quoted, tidy
from envfactory_assets.stages.attempts.builder.names import words
from envfactory_assets.stages.attempts.builder.texts import identifier

_PLAIN_TYPES = {
    "text": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "day": "Day",
    "moment": "Moment",
}


def value_type(column: Column, table: Table, blueprint: Blueprint) -> str:
    """Return the Python type of a field's values, None aside."""
    if column.target is not None:
        id_type = blueprint.table(column.target).id_type
        return f"list[{id_type}]" if column.is_list else id_type
    if column.is_list:
        return "list[str]"
    return column.choices_type or identifier(column, table) or _PLAIN_TYPES[column.type]


def alias_lines(blueprint: Blueprint) -> Iterator[str]:
    """Yield the named types: ids, values that people say, closed sets."""
    for table in blueprint.tables:
        yield f"{table.id_type} = Annotated[str, Identifier({quoted(table.id_type)})]"
    columns = [(column, table) for table in blueprint.tables for column in table.columns]
    for name in sorted({identifier(*pair) for pair in columns} - {""}):
        yield f"{name} = Annotated[str, Identifier({quoted(name)}, speakable=True)]"
    for column, _ in columns:
        if column.choices_type:
            choices = ", ".join(quoted(choice) for choice in column.proposed.choices)
            yield from lay_out(f"{column.choices_type} = Literal[{choices}]")


def entity_lines(table: Table, blueprint: Blueprint) -> Iterator[str]:
    """Yield the class of an entity."""
    yield f"class {table.class_name}(Entity):"
    yield from docstring(_sentence(table.description, table.noun), 1)
    yield ""
    for column in table.columns:
        nullable = " | None" if column.is_nullable else ""
        yield f"    {column.name}: {value_type(column, table, blueprint)}{nullable}"


def state_lines(blueprint: Blueprint) -> Iterator[str]:
    """Yield the class of the state."""
    yield f"class {blueprint.state_class}(State):"
    kept = [table.nouns for table in blueprint.tables]
    listed = f"{', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else kept[0]
    yield from docstring(f"What the service keeps: {listed}", 1)
    yield ""
    for table in blueprint.tables:
        yield f"    {table.name}: dict[str, {table.class_name}]"


def result_lines(table: Table, blueprint: Blueprint) -> Iterator[str]:
    """Yield the result that shows one entity."""
    article_free = f"Id of the {table.noun}"
    yield f"class {table.details_class}(Result):"
    yield from docstring(f"Everything about one {table.noun}", 1)
    yield ""
    own_id = f"{table.id_name}: {table.id_type} = Field(description={quoted(article_free)})"
    yield from lay_out(own_id, 1)
    for column in table.columns:
        kind = value_type(column, table, blueprint)
        kind = f"{kind} | None" if column.is_nullable else kind
        if column.is_label:
            kind = f"Annotated[{kind}, Label()]"
        said = column.description + (", null when there is none" if column.is_nullable else "")
        yield from lay_out(f"{column.name}: {kind} = Field(description={quoted(said)})", 1)


def list_lines(table: Table) -> Iterator[str]:
    """Yield the result that lists entities."""
    yield f"class {table.list_class}(Result):"
    yield from docstring(f"Several {table.nouns}", 1)
    yield ""
    said = f"{table.nouns.capitalize()} found, {order_words(table)}"
    statement = f"{table.name}: list[{table.details_class}] = Field(description={quoted(said)})"
    yield from lay_out(statement, 1)


def order_words(table: Table) -> str:
    """Return how lists are sorted."""
    order = table.order
    return f"by {words(order.name)}" if order is not None else "in the order they were added"


def _sentence(description: str, noun: str) -> str:
    text = tidy(description)
    return text[:1].upper() + text[1:] if text else noun.capitalize()
