"""The texts of a field: what kind they are of, which a scenario holds, which a person could say.

They come from the session's world (people, cities, organisations), from the proposal's examples,
and else from word pools by the names of field and entity.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.stages.attempts.builder.blueprint import Column, Table
from envfactory_assets.stages.attempts.builder.layout import tidy
from envfactory_assets.stages.attempts.builder.word_pools import kind_of_text, pool, text_pool

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
_PLACES = {
    "city": ("Lisbon", "Oslo", "Vienna"),
    "country": ("Portugal", "Norway", "Austria"),
    "currency": ("EUR", "USD", "NOK"),
    "organisation": ("Alder & Finch", "Cobalt Labs", "Evergreen Foods"),
}
_FIRST_NAMES, _LAST_NAMES = ("first_name", "given_name"), ("last_name", "family_name", "surname")
_POOL_SIZE, _EXAMPLE_COUNT = 11, 3
_ENOUGH = 6
LEAST_ROWS = 4
_LONGEST_ADDRESS = 40
ADDRESS = "^[^@ ]+@[^@ ]+$"


@dataclass(frozen=True, slots=True)
class TextSample:
    """Where the values of a text field come from.

    Attributes:
        kind: What kind of text it is.
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
        if len(found) >= LEAST_ROWS:
            return tuple(dict.fromkeys(word.lower() for word in found))[:_EXAMPLE_COUNT]
    if not any(is_coded(column, table) for column in texts):
        return ("an", "ar", "el")
    initial = table.entity[0].upper()
    return (f"{initial}1", f"{initial}12", f"{initial}14")


def is_coded(column: Column, table: Table) -> bool:
    """Return whether scenarios fill a field with codes like `K104`."""
    sample = text_sample(column, table)
    return sample.kind == "code" or (column.is_label and 0 < len(sample.drawn) < LEAST_ROWS)
