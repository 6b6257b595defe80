"""Fields of an entity, from the schemas of what is sent and what comes back."""

import re
from collections.abc import Collection, Iterator

from pydantic import JsonValue

from envfactory_assets.records.proposals import FieldType, ProposedField
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.identifiers import (
    entity_name,
    name_words,
    plain_phrase,
    snake_name,
    spoken,
)
from envfactory_assets.stages.proposals.json_values import (
    list_of,
    number_of,
    object_of,
    spoken_text,
    text_of,
    texts_of,
)
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.schema_shapes import ID_WORDS, is_plumbing, listed_schema

_LABELS = (
    "name",
    "title",
    "display_name",
    "full_name",
    "label",
    "subject",
    "username",
    "filename",
    "summary",
    "email",
    "code",
)
_ID_PROSE = re.compile(r"\b(?:g?id|uuid|identifier)s?\b", re.IGNORECASE)
_MOST_CHOICES = 20
_LONGEST_EXAMPLE = 80
_MOST_FLATTENED = 4
_TYPES: dict[str, FieldType] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
_FORMATS: dict[str, FieldType] = {"date": "day", "date-time": "moment"}


class FieldReader:
    """Turns properties of schemas into fields.

    Properties that a field cannot hold are noted, and so are those that were turned into
    something simpler.
    """

    def __init__(
        self,
        entities: Collection[str],
        open_points: OpenPoints,
        owners: Collection[str] = (),
    ) -> None:
        """Know what a field may refer to.

        Args:
            entities: Those that the proposal keeps.
            open_points: Where to note what is lost.
            owners: Those that paths name, kept or not.
        """
        self._entities = frozenset(entities)
        self._owners = frozenset(owners)
        self._open_points = open_points

    def fields(
        self, schema: JsonObject, entity: str, known: Collection[str] = ()
    ) -> Iterator[ProposedField]:
        """Yield the fields of an object's schema, its own id and its plumbing left out.

        An object whose name is one of the known fields is left out too: there it is an id.
        """
        required = texts_of(schema.get("required"))
        says_required = "required" in schema
        for name, child in object_of(schema.get("properties")).items():
            is_optional = says_required and name not in required
            if is_own_id(name, entity) or is_plumbing(name):
                continue
            if "properties" in object_of(child) and snake_name(name) in known:
                continue
            yield from self.of_property(name, object_of(child), entity, is_optional=is_optional)

    def of_property(
        self, name: str, schema: JsonObject, entity: str, *, is_optional: bool
    ) -> Iterator[ProposedField]:
        """Yield the field of one property; several when it is a small object, none when lost."""
        snake = snake_name(name)
        kind = schema.get("type")
        is_optional = is_optional or schema.get("nullable") is True
        if snake == f"{entity}_id" or self._is_itself(snake, schema, entity):
            return
        if not snake:
            self._open_points.add("Names without Latin letters are left out", repr(name[:40]))
        elif kind in _TYPES:
            yield from self._scalar(snake, schema, entity, is_optional=is_optional)
        elif kind == "array":
            yield from self._list(snake, schema, entity, is_optional=is_optional)
        elif kind == "object" and "properties" in schema:
            yield from self._object(snake, schema, entity, is_optional=is_optional)
        else:
            self._lost(entity, snake)

    def _scalar(
        self, name: str, schema: JsonObject, entity: str, *, is_optional: bool
    ) -> Iterator[ProposedField]:
        enum = list_of(schema.get("enum"))
        if len(enum) == 1:
            self._open_points.add("Fields of one possible value are left out", f"{entity}.{name}")
            return
        referred = self.referred(name) or self._named(name, schema)
        choices = tuple(choice for choice in dict.fromkeys(texts_of(enum)) if choice.strip())
        type_ = _TYPES[text_of(schema.get("type"))]
        if referred and type_ in ("text", "integer"):
            yield self._reference(referred, schema, entity, is_optional)
            return
        if type_ == "text" and 1 < len(choices) <= _MOST_CHOICES:
            field = _field(name, "choice", schema, entity, is_optional)
            yield field.model_copy(update={"choices": choices})
            return
        if choices and type_ == "text":
            self._open_points.add("Long lists of choices are free text", f"{entity}.{name}")
        if type_ == "text":
            type_ = _FORMATS.get(text_of(schema.get("format")), "text")
        yield _field(name, type_, schema, entity, is_optional)

    def _list(
        self, name: str, schema: JsonObject, entity: str, *, is_optional: bool
    ) -> Iterator[ProposedField]:
        items = object_of(schema.get("items"))
        kind = items.get("type")
        if kind == "string":
            field = _field(name, "list", schema, entity, is_optional)
            examples = tuple(_examples(items)) or tuple(texts_of(items.get("enum")))[:5]
            yield field.model_copy(update={"examples": examples}) if examples else field
        elif kind == "object" and _label_of(items):
            self._open_points.add(
                "Lists of objects keep their names only", f"{entity}.{name}.{_label_of(items)}"
            )
            yield _field(name, "list", schema, entity, is_optional)
        else:
            self._lost(entity, name)

    def _object(
        self, name: str, schema: JsonObject, entity: str, *, is_optional: bool
    ) -> Iterator[ProposedField]:
        properties = object_of(schema.get("properties"))
        has_id = any(name_words(child)[-1:] == ("id",) or child in ID_WORDS for child in properties)
        referred = self.referred(f"{name}_id")
        if has_id and referred:
            yield self._reference(referred, schema, entity, is_optional)
            return
        if listed_schema(schema) is not None:
            self._lost(entity, name)
            return
        flattened = list(self._flattened(name, schema, entity, has_id, is_optional))
        if has_id and not _label_of(schema):
            target = _field(f"{name}_id", "text", {}, entity, is_optional)
            flattened.insert(0, target)
        if not flattened:
            self._lost(entity, name)
            return
        self._open_points.add("Nested objects are flattened", f"{entity}.{name}")
        yield from flattened[:_MOST_FLATTENED]
        for field in flattened[_MOST_FLATTENED:]:
            self._lost(entity, field.name)

    def _flattened(
        self, name: str, schema: JsonObject, entity: str, has_id: bool, is_optional: bool
    ) -> Iterator[ProposedField]:
        properties = object_of(schema.get("properties"))
        label = _label_of(schema)
        required = texts_of(schema.get("required"))
        for child, value in properties.items():
            inner = object_of(value)
            snake = snake_name(f"{name}_{child}")
            is_wanted = inner.get("type") in _TYPES and not is_plumbing(child)
            if has_id and label:
                is_wanted = is_wanted and child == label
            if is_wanted and not is_own_id(child, name) and snake:
                optional = is_optional or child not in required or inner.get("nullable") is True
                yield from self._scalar(snake, inner, entity, is_optional=optional)

    def _is_itself(self, name: str, schema: JsonObject, entity: str) -> bool:
        """Whether a property is the entity once more, inside itself."""
        return name == entity and "properties" in schema

    def referred(self, name: str) -> tuple[str, str] | None:
        """Return the field and the entity that an id in snake case is of; None if of none known."""
        words = name.split("_")
        if len(words) < 2 or words[-1] not in ID_WORDS:
            return None
        for start in range(len(words) - 1):
            entity = entity_name(tuple(words[start:-1]))
            if entity in self._entities:
                return "_".join([*words[:-1], "id"]), entity
        owner = entity_name(tuple(words[:-1]))
        return (f"{owner}_id", owner) if owner in self._owners else None

    def _reference(
        self, referred: tuple[str, str], schema: JsonObject, entity: str, is_optional: bool
    ) -> ProposedField:
        name, other = referred
        field = _field(name, "text", schema, entity, is_optional, other)
        return field if other in self._entities else field.model_copy(update={"references": None})

    def _named(self, name: str, schema: JsonObject) -> tuple[str, str] | None:
        """Return the same for a field that is called like an entity and described as its id."""
        is_id = _ID_PROSE.search(text_of(schema.get("description"))) is not None
        return (f"{name}_id", name) if is_id and name in self._entities | self._owners else None

    def _lost(self, entity: str, name: str) -> None:
        self._open_points.add(
            "Fields of a shape that no field has are left out", f"{entity}.{name}"
        )


def is_own_id(name: str, entity: str) -> bool:
    """Whether a property is the id of the very entity that has it."""
    words = name_words(name)
    if not words or words[-1] not in ID_WORDS:
        return False
    return len(words) == 1 or "_".join(words[:-1]) == entity


def label_field(fields: Collection[ProposedField], entity: str) -> str | None:
    """Return the name of the field by which people tell entities apart, if there is one."""
    texts = [
        field
        for field in fields
        if field.type == "text" and field.references is None and not field.name.endswith("_id")
    ]
    names = [field.name for field in texts]
    for label in (*_LABELS[:2], f"{entity}_name", entity, *_LABELS[2:]):
        if label in names:
            return label
    required = [field.name for field in texts if not field.is_optional]
    endings = [name for name in (*required, *names[:1]) if name.endswith(("_name", "_title"))]
    return next(iter((*endings, *required)), None)


def field_schema(field: ProposedField) -> JsonObject:
    """Return the JSON schema of an input that carries a field."""
    schema: JsonObject = {"description": field.description}
    lower, upper = field.minimum, field.maximum
    if field.type == "choice":
        return {**schema, "type": "string", "enum": list[JsonValue](field.choices)}
    if field.type in ("integer", "number"):
        words, schema["type"] = ("minimum", "maximum"), field.type
    elif field.type == "list":
        words, schema["type"] = ("minItems", "maxItems"), "array"
        schema["items"] = {"type": "string"}
    else:
        words, schema["type"] = ("minLength", "maxLength"), "string"
    if field.type == "boolean":
        return {**schema, "type": "boolean"}
    if field.type in ("day", "moment"):
        return {**schema, "format": "date" if field.type == "day" else "date-time"}
    for word, bound in zip(words, (lower, upper), strict=True):
        if bound is not None:
            schema[word] = bound if field.type == "number" else int(bound)
    return schema


def _field(
    name: str,
    type_: FieldType,
    schema: JsonObject,
    entity: str,
    is_optional: bool,
    references: str | None = None,
) -> ProposedField:
    phrase = plain_phrase(text_of(schema.get("description")), 160)
    default = f"{spoken(name).capitalize()} of the {spoken(entity)}"
    if references:
        default = f"Id of the {spoken(references)}"
    low, high = (None, None) if references else _bounds(schema, type_)
    return ProposedField(
        name=name,
        type=type_,
        description=phrase if phrase and not references else default,
        references=references,
        is_optional=is_optional,
        minimum=low,
        maximum=high,
        examples=() if references else tuple(_examples(schema)),
    )


def _bounds(schema: JsonObject, type_: FieldType) -> tuple[float | None, float | None]:
    words = {
        "integer": ("minimum", "maximum"),
        "number": ("minimum", "maximum"),
        "text": ("minLength", "maxLength"),
        "list": ("minItems", "maxItems"),
    }.get(type_)
    if words is None:
        return None, None
    low, high = (number_of(schema.get(word)) for word in words)
    if type_ != "number":
        low = float(int(low)) if low is not None else None
        high = float(int(high)) if high is not None else None
    if low is not None and high is not None and low > high:
        return None, None
    return low, high


def _examples(schema: JsonObject) -> Iterator[str]:
    seen: set[str] = set()
    for value in list_of(schema.get("examples")):
        text = spoken_text(value)
        if text and text.strip() == text and len(text) <= _LONGEST_EXAMPLE and text not in seen:
            seen.add(text)
            yield text


def _label_of(schema: JsonObject) -> str:
    properties = object_of(schema.get("properties"))
    for label in _LABELS:
        if object_of(properties.get(label)).get("type") == "string":
            return label
    return ""
