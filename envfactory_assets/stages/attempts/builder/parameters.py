"""Source of a tool's parameters: types, limits, descriptions, examples and defaults."""

from collections.abc import Sequence

from envfactory_assets.stages.attempts.builder.blueprint import (
    Blueprint,
    Column,
    Input,
    Table,
    ToolPlan,
)
from envfactory_assets.stages.attempts.builder.declarations import value_type
from envfactory_assets.stages.attempts.builder.layout import quoted
from envfactory_assets.stages.attempts.builder.number_ranges import spoken_numbers
from envfactory_assets.stages.attempts.builder.phrasings import column_words
from envfactory_assets.stages.attempts.builder.texts import (
    ADDRESS,
    identifier,
    is_address,
    search_words,
    text_sample,
)
from sandboxes.core.state_values import singular

_SHOWN_EXAMPLES = 3


def parameter(given: Input, tool: ToolPlan, blueprint: Blueprint) -> str:
    """Return one parameter of a tool's signature."""
    kind = _type(given, tool, blueprint)
    default = default_value(given, tool)
    if not given.is_required and default == "None":
        kind = f"{kind} | None"
    field = f"Field({', '.join([*_limits(given, tool), *_described(given, tool)])})"
    text = f"{given.name}: Annotated[{kind}, {field}]"
    return text if given.is_required else f"{text} = {default}"


def default_value(given: Input, tool: ToolPlan) -> str:
    """Return the Python text of what holds where an argument is not given; `None` for nothing."""
    if given.default is not None:
        return literal(given.default)
    column = given.column
    if tool.kind != "create" or column is None or column.is_nullable:
        return "None"
    return initial_value(column) if column.type in ("choice", "boolean", *_NUMBERS) else "None"


def initial_value(column: Column) -> str:
    """Return the Python text of what a new entity has in a field that nobody gives."""
    if column.is_nullable:
        return "None"
    match column.type:
        case "choice":
            return quoted(column.proposed.choices[0])
        case "boolean":
            return "False"
        case "integer" | "number":
            least, most = column.proposed.minimum, column.proposed.maximum
            start = least if least is not None else min(0, most) if most is not None else 0
            return literal(round(start) if column.type == "integer" else float(start))
        case "day":
            return "self.clock.today"
        case "moment":
            return "self.clock.now"
        case "list":
            return "[]"
        case _:
            return '""'


_NUMBERS = ("integer", "number")


def literal(value: object) -> str:
    """Return the Python text of a plain value."""
    if isinstance(value, str):
        return quoted(value)
    return repr(value)


def _type(given: Input, tool: ToolPlan, blueprint: Blueprint) -> str:
    if given.role == "own_id":
        return tool.table.id_type
    if given.column is None:
        return "str" if given.role == "query" else "int"
    kind = value_type(given.column, tool.table, blueprint)
    is_item = given.role == "equal" and given.column.is_list
    return kind.removeprefix("list[").removesuffix("]") if is_item else kind


def _limits(given: Input, tool: ToolPlan) -> list[str]:
    column = given.column
    if column is not None and given.role == "value" and is_address(column, tool.table):
        return [f'pattern="{ADDRESS}"', *_lengths(given, column)]
    if given.role == "query":
        return ["min_length=1"]
    if given.role in ("limit", "offset"):
        upper = [] if given.maximum is None else [f"le={given.maximum:g}"]
        return [f"ge={given.minimum or 0:g}", *upper]
    if given.role != "value" or column is None or column.target is not None:
        return (
            ["min_length=1"] if column is not None and column.is_list and _is_value(given) else []
        )
    if column.type in _NUMBERS:
        return _bounds("ge", "le", given)
    if column.type == "text" or column.is_list:
        return _lengths(given, column)
    return []


def _is_value(given: Input) -> bool:
    return given.role == "value" and given.is_required


def _bounds(low: str, high: str, given: Input) -> list[str]:
    pairs = ((low, given.minimum), (high, given.maximum))
    return [f"{name}={_number(bound)}" for name, bound in pairs if bound is not None]


def _number(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else repr(bound)


def _lengths(given: Input, column: Column) -> list[str]:
    is_needed = given.is_required or not column.is_list
    least = given.minimum if given.minimum else 1 if is_needed and column.is_label else None
    pairs = (("min_length", least), ("max_length", given.maximum))
    return [f"{name}={int(bound)}" for name, bound in pairs if bound is not None]


def _described(given: Input, tool: ToolPlan) -> list[str]:
    examples = _examples(given, tool)
    shown = [f"examples=[{', '.join(map(literal, examples))}]"] if examples else []
    return [f"description={quoted(_description(given, tool))}", *shown]


def _examples(given: Input, tool: ToolPlan) -> Sequence[str | float]:
    column = given.column
    if given.role == "query":
        return search_words(tool.table)
    if given.role != "value" or column is None or column.target is not None:
        return ()
    if column.type in _NUMBERS:
        return spoken_numbers(column)
    if identifier(column, tool.table) and not column.is_label:
        return ()
    is_words = column.type in ("text", "list")
    return text_sample(column, tool.table).spoken[:_SHOWN_EXAMPLES] if is_words else ()


def _description(given: Input, tool: ToolPlan) -> str:
    column, table = given.column, tool.table
    if given.role == "own_id":
        return f"Id of the {table.noun}"
    if given.role == "query":
        return f"Words to look for in the {table.nouns}, upper and lower case alike"
    if given.role == "limit":
        return f"How many {table.nouns} to return at most"
    if given.role == "offset":
        return f"How many {table.nouns} to skip first"
    if column is None:
        return ""
    if given.role == "value":
        return column.description if tool.kind == "create" else _new(column)
    if given.role == "equal":
        noun = column_words(column)
        return f"Only {table.nouns} with this {singular(noun) if column.is_list else noun}"
    is_time = column.type in ("day", "moment")
    ends = ("Earliest", "Latest") if is_time else ("Lowest", "Highest")
    return f"{ends[given.role == 'most']} {column_words(column)} of the {table.nouns} to return"


def _new(column: Column) -> str:
    first, _, rest = column.description.partition(" ")
    start = first if first[1:] != first[1:].lower() else first.lower()
    return f"New {start} {rest}".rstrip()


def search_columns(table: Table) -> list[Column]:
    """Return the fields that a search looks at."""
    return [column for column in table.columns if column.is_text]
