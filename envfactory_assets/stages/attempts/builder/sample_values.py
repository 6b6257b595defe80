"""Realistic values for a field: the expression a scenario draws it with, and what people could say.

They come from the session's world (people, cities, organisations, the day), from the proposal's
examples, choices and ranges, and else from word pools by the names of field and entity.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envfactory_assets.stages.attempts.builder.blueprint import Column, Table
from envfactory_assets.stages.attempts.builder.layout import tidy
from envfactory_assets.stages.attempts.builder.periods import is_end, is_start
from envfactory_assets.stages.attempts.builder.word_pools import (
    kind_of_name,
    kind_of_text,
    number_range,
    pool,
    text_pool,
)

PERSONAL = {
    "person": "name",
    "email": "email",
    "phone": "phone",
    "city": "city",
    "job": "job",
}
WORLDLY = {
    "city": "world.cities",
    "country": "world.cities",
    "currency": "world.cities",
    "organisation": "world.organisations",
}
_WORLDLY_FIELDS = {
    "city": "name",
    "country": "country",
    "currency": "currency",
    "organisation": "name",
}
_FIRST_NAMES, _LAST_NAMES = ("first_name", "given_name"), ("last_name", "family_name", "surname")
_PAST = "created ordered posted published signed hired joined paid opened registered updated issued purchased received sent last placed completed modified"
_FUTURE = "due end ends ending expires expiry expiration deadline delivery return out until valid next scheduled finish to"
_POOL_SIZE, _EXAMPLE_COUNT = 11, 3
_ENOUGH = 6
ADDRESS = "^[^@ ]+@[^@ ]+$"
_FEW = 5
_LEAST_ROWS = 4
_DRAWN_CHOICES = 8
_LONGEST_ADDRESS = 40


@dataclass(frozen=True, slots=True)
class TextSample:
    """Where the values of a text field come from.

    Attributes:
        kind: What kind of text it is; `own` when the proposal gives enough examples.
        drawn: The texts that scenarios draw from; empty when they come from the world.
        spoken: Texts that a person could say for an argument; new ones where drawn texts are
            labels.
    """

    kind: str
    drawn: tuple[str, ...]
    spoken: tuple[str, ...]


def text_kind(column: Column, table: Table) -> str:
    """Return what kind of text a field holds."""
    if column.name in _FIRST_NAMES:
        return "first_name"
    if column.name in _LAST_NAMES:
        return "last_name"
    kind = kind_of_text(column.proposed.name.lower(), table.entity, column.description)
    if kind == "email" and (column.proposed.maximum or _LONGEST_ADDRESS) < _LONGEST_ADDRESS:
        return "words"
    return "code" if kind == "person" and column.name.endswith(("number", "code")) else kind


def text_sample(column: Column, table: Table) -> TextSample:
    """Return the texts of a text or list field."""
    own = tuple(dict.fromkeys(tidy(e) for e in column.proposed.examples if tidy(e)))
    kind = text_kind(column, table)
    if kind == "email":
        own = tuple(text for text in own if re.fullmatch(ADDRESS, text))
    is_worldly = kind in PERSONAL or kind in WORLDLY or kind in ("first_name", "last_name", "code")
    if is_worldly and not column.is_list:
        return TextSample(kind, (), _fitting(own or _spoken_of(kind, table), column))
    words = pool(kind) if column.is_label else text_pool(kind)
    if column.is_label:
        return _label_sample(kind, own, words, column)
    # What is of no known kind would not go with other words.
    is_enough = len(own) >= (2 if kind == "words" else _EXAMPLE_COUNT)
    mixed = own if is_enough else tuple(dict.fromkeys((*own, *words)))
    drawn = mixed[:_ENOUGH]
    return TextSample(kind, _fitting(drawn, column), _fitting(drawn[:_EXAMPLE_COUNT], column))


def _label_sample(
    kind: str, own: tuple[str, ...], words: tuple[str, ...], column: Column
) -> TextSample:
    """Return texts of which scenarios draw some, and other ones for what is new."""
    mixed = own if len(own) >= _ENOUGH else tuple(dict.fromkeys((*words, *own)))
    fitting = _fitting(mixed, column)
    fresh = [text for text in _fitting(own, column) if text in fitting][:_EXAMPLE_COUNT]
    held_out = min(_EXAMPLE_COUNT, max(1, len(fitting) // 3))
    others = [text for text in reversed(fitting) if text not in fresh]
    spoken = tuple([*fresh, *others][:held_out])
    drawn = tuple(text for text in fitting if text not in spoken)
    return TextSample(kind, drawn[: _POOL_SIZE - _EXAMPLE_COUNT] or fitting, spoken)


def _spoken_of(kind: str, table: Table) -> tuple[str, ...]:
    match kind:
        case "first_name":
            return tuple(name.split()[0] for name in text_pool("person")[:_EXAMPLE_COUNT])
        case "last_name":
            return tuple(name.split()[-1] for name in text_pool("person")[:_EXAMPLE_COUNT])
        case "code":
            return tuple(f"{table.entity[0].upper()}{number}" for number in (2044, 3180, 4712))
        case "job":
            return ("engineer", "designer", "accountant")
        case "city" | "country" | "currency" | "organisation":
            return _PLACES[kind]
        case _:
            return text_pool(kind)[:_EXAMPLE_COUNT]


_PLACES = {
    "city": ("Lisbon", "Oslo", "Vienna"),
    "country": ("Portugal", "Norway", "Austria"),
    "currency": ("EUR", "USD", "NOK"),
    "organisation": ("Alder & Finch", "Cobalt Labs", "Evergreen Foods"),
}


def _fitting(texts: Sequence[str], column: Column) -> tuple[str, ...]:
    """Return texts of allowed length: too long ones are cut, too short ones repeated."""
    if column.is_list:
        return tuple(texts)
    least = int(column.proposed.minimum or 0)
    most = int(column.proposed.maximum) if column.proposed.maximum is not None else None
    fitted = [text[:most].rstrip() or text[:most] for text in texts]
    fitted = [text if len(text) >= least else _stretched(text, least)[:most] for text in fitted]
    return tuple(dict.fromkeys(fitted))


def _stretched(text: str, least: int) -> str:
    times = -(-least // (len(text) + 2))
    return ". ".join([text] * (times + 1))[: max(least, len(text))].ljust(least, ".")


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


def usual_range(column: Column) -> tuple[float, float, int]:
    """Return the smallest and largest number scenarios hold of a field, and its decimals."""
    low, high, decimals = number_range(column.name)
    least, most = column.proposed.minimum, column.proposed.maximum
    given = sorted(number for number in map(_as_number, column.proposed.examples) if number)
    if len(given) > 1 and given[0] < given[-1]:
        low, high = given[0], given[-1]
    inner = max(low, least if least is not None else low)
    outer = min(high, most if most is not None else high)
    if outer - inner >= 1:
        return inner, outer, decimals
    if least is not None and most is not None and most > least:
        return least, most, max(decimals, 2 if most - least < 1 else 0)
    if least is not None:
        return least, least + max(10, abs(least)), decimals
    top = most if most is not None else high
    return top - max(10, abs(top)), top, decimals


def spoken_numbers(column: Column) -> tuple[float, ...]:
    """Return numbers that a person could say for an argument: some usual ones, rounded."""
    low, high, decimals = usual_range(column)
    if column.type == "number" and high - low <= _FEW:
        steps = [round(low + part * (high - low), max(decimals, 1)) for part in (0.25, 0.5, 0.75)]
        return tuple(dict.fromkeys(steps))
    size = 5 if high - low > 10 * _FEW else 1
    whole = [round((low + part * (high - low)) / size) * size for part in (0.25, 0.5, 0.75)]
    return tuple(dict.fromkeys(min(max(number, round(low)), round(high)) for number in whole))


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _days(column: Column) -> tuple[int, int]:
    words = column.name.split("_")
    if "birth" in words or "born" in words:
        return -20000, -7000
    if is_end(column):
        return 21, 60
    if is_start(column):
        return -14, 14
    if any(word in _PAST.split() for word in words):
        return -40, -1
    if any(word in _FUTURE.split() for word in words):
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
    if len(sample.drawn) >= _LEAST_ROWS:
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


def identifier(column: Column, table: Table) -> str:
    """Return the type of values that people say and other environments know; empty if none."""
    if not column.is_text:
        return ""
    return {"email": "EmailAddress", "city": "CityName"}.get(text_kind(column, table), "")


def is_address(column: Column, table: Table) -> bool:
    """Return whether a field holds an e-mail address."""
    return identifier(column, table) == "EmailAddress"


def search_words(table: Table) -> tuple[str, ...]:
    """Return words that occur in the texts of a table, for a search."""
    label = table.label
    texts = [column for column in table.columns if column.is_text]
    for column in sorted(texts, key=lambda column: column is not label):
        drawn = text_sample(column, table).drawn
        found = [max(text.split(), key=len).strip(".,?!'") for text in drawn]
        if len(found) >= _LEAST_ROWS:
            return tuple(dict.fromkeys(word.lower() for word in found))[:_EXAMPLE_COUNT]
    if not any(_is_coded(column, table) for column in texts):
        return ("an", "ar", "el")
    initial = table.entity[0].upper()
    return (f"{initial}1", f"{initial}12", f"{initial}14")


def _is_coded(column: Column, table: Table) -> bool:
    """Return whether scenarios fill a field with codes like `K104`."""
    sample = text_sample(column, table)
    return sample.kind == "code" or (column.is_label and 0 < len(sample.drawn) < _LEAST_ROWS)


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
