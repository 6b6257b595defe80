"""The expressions with which a scenario draws the fields of its rows.

Days and moments lie around the session's, texts come from its world or from constants.
"""

from collections.abc import Mapping

from envfactory_assets.stages.attempts.builder.blueprint import Column, Table
from envfactory_assets.stages.attempts.builder.number_ranges import usual_range
from envfactory_assets.stages.attempts.builder.periods import is_end, is_start
from envfactory_assets.stages.attempts.builder.texts import (
    LEAST_ROWS,
    PERSONAL,
    WORLDLY,
    text_kind,
    text_sample,
)
from envfactory_assets.stages.attempts.builder.word_pools import kind_of_name

_WORLDLY_FIELDS = {
    "city": "name",
    "country": "country",
    "currency": "currency",
    "organisation": "name",
}
_PAST = frozenset(
    [
        "created",
        "ordered",
        "posted",
        "published",
        "signed",
        "hired",
        "joined",
        "paid",
        "opened",
        "registered",
        "updated",
        "issued",
        "purchased",
        "received",
        "sent",
        "last",
        "placed",
        "completed",
        "modified",
    ]
)
_FUTURE = frozenset(
    [
        "due",
        "end",
        "ends",
        "ending",
        "expires",
        "expiry",
        "expiration",
        "deadline",
        "delivery",
        "return",
        "out",
        "until",
        "valid",
        "next",
        "scheduled",
        "finish",
        "to",
    ]
)
_DRAWN_CHOICES = 8


def expression(
    column: Column,
    table: Table,
    stored: Mapping[str, str],
    *,
    has_person: bool,
    is_asked: bool,
) -> str:
    """Return the Python expression that draws a value of a field in a scenario.

    Args:
        column: The field.
        table: Its table.
        stored: The names of the state's tables, by entity.
        has_person: Whether the row is of a person, at hand as `person`.
        is_asked: Whether a list requires it, so that all rows should have it.
    """
    drawn = _expression(column, table, stored, has_person=has_person)
    may_lack = column.is_nullable and not column.is_deferred and not is_asked
    return f"rng.choice(({drawn}, None))" if may_lack else drawn


def _expression(
    column: Column, table: Table, stored: Mapping[str, str], *, has_person: bool
) -> str:
    if column.is_deferred:
        return "[]" if column.is_list else "None"
    if column.target is not None:
        ids = f"list(state.{stored[column.target]})[:-2]"
        return f"rng.sample({ids}, rng.randint(1, 2))" if column.is_list else f"rng.choice({ids})"
    match column.type:
        case "integer" | "number":
            return _number(column)
        case "boolean":
            return "rng.random() < 0.5"
        case "day" | "moment":
            first, last = _days(column)
            if column.type == "day":
                return f"add_days(world.today, rng.randint({first}, {last}))"
            return f"_moment(world, rng, {first}, {last})"
        case "choice":
            return f"rng.choice({column.constant})"
        case "list":
            return _list(column, table)
        case _:
            return _text(column, table, has_person=has_person)


def _number(column: Column) -> str:
    low, high, decimals = usual_range(column)
    if column.type == "integer":
        return f"rng.randint({round(low)}, {round(high)})"
    return f"round(rng.uniform({low:g}, {high:g}), {decimals or 1})"


def _days(column: Column) -> tuple[int, int]:
    words = column.name.split("_")
    if "birth" in words or "born" in words:
        return -20000, -7000
    if is_end(column):
        return 21, 60
    if is_start(column):
        return -14, 14
    if any(word in _PAST for word in words):
        return -40, -1
    if any(word in _FUTURE for word in words):
        return 21, 60
    return -14, 20


def _list(column: Column, table: Table) -> str:
    count = len(text_sample(column, table).drawn)
    least = int(column.proposed.minimum or (0 if column.proposed.is_optional else 1))
    most = int(column.proposed.maximum) if column.proposed.maximum is not None else least + 2
    least, most = min(least, count), min(max(least, most), count)
    return f"rng.sample({column.constant}, rng.randint({least}, {most}))"


def _text(column: Column, table: Table, *, has_person: bool) -> str:
    sample = text_sample(column, table)
    person = "person" if has_person else "rng.choice(world.people)"
    if sample.kind in PERSONAL and (has_person or sample.kind not in WORLDLY):
        return f"{person}.{PERSONAL[sample.kind]}"
    if sample.kind in ("first_name", "last_name"):
        return f"{person}.name.split()[{0 if sample.kind == 'first_name' else -1}]"
    if sample.kind in WORLDLY:
        return f"rng.choice({WORLDLY[sample.kind]}).{_WORLDLY_FIELDS[sample.kind]}"
    if sample.kind == "code":
        return f'f"{table.entity[0].upper()}{{rng.randint(1000, 9999)}}"'
    return f"rng.choice({column.constant})"


def label_source(column: Column, table: Table) -> tuple[str, str, int]:
    """Return how a scenario walks over rows with different labels.

    Returns:
        What `for` counts or draws, the expression of the label in a row, and the number of rows.
    """
    sample = text_sample(column, table)
    if sample.kind in PERSONAL and sample.kind not in ("city", "job"):
        return "person in rng.sample(world.people, 6)", f"person.{PERSONAL[sample.kind]}", 6
    if sample.kind in ("city", "country"):
        return "city in world.cities", f"city.{_WORLDLY_FIELDS[sample.kind]}", 5
    if sample.kind == "organisation":
        return "organisation in world.organisations", "organisation.name", 4
    if len(sample.drawn) >= LEAST_ROWS:
        count = min(7, len(sample.drawn))
        name = column.name if column.name not in ("state", "world", "rng") else "label"
        return f"{name} in rng.sample({column.constant}, {count})", name, count
    initial = table.entity[0].upper()
    return "number in range(7)", f'f"{initial}{{100 + 10 * number + rng.randrange(10)}}"', 7


def is_person(table: Table) -> bool:
    """Return whether the rows of a table are people of the world."""
    kinds = {text_kind(column, table) for column in table.columns if column.is_text}
    label = table.label
    if label is not None and label.is_text and text_kind(label, table) not in PERSONAL:
        return False
    return kind_of_name(table.entity) == "person" and bool(
        kinds & {"person", "email", "first_name"}
    )


def draws_from_constant(column: Column, table: Table) -> bool:
    """Return whether scenarios draw a field from a constant of the module."""
    if column.target is not None:
        return False
    if column.type == "choice":
        return True
    return column.type in ("text", "list") and bool(text_sample(column, table).drawn)


def constant_values(column: Column, table: Table) -> tuple[str, ...]:
    """Return what that constant holds."""
    if column.type == "choice":
        return column.proposed.choices[:_DRAWN_CHOICES]
    return text_sample(column, table).drawn
