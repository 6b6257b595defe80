"""JSON schemas: references inlined, annotations split off, leaves flattened."""

from collections.abc import Iterator
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from sandboxes.core.annotations import IDENTIFIER_KEY, LABEL_KEY, SPEAKABLE_KEY

JsonObject = dict[str, JsonValue]

_VALUE_KEYS = ("default", "examples", "const", "enum")


class Parameter(BaseModel):
    """One input or output leaf of a tool.

    Attributes:
        path: Where it stands: `guest.email`, `hotels[].hotel_id`; `{}` marks a mapping's values.
        name: The last named part of the path.
        type: JSON type of the leaf (`string`, `integer`, `number`, `boolean`), with `date` and
            `date-time` for formatted text.
        description: What the schema says it is; may be empty.
        required: Whether every part of its path is required (outputs: always present).
        enum: The allowed values, when the set is closed.
        default: JSON text of the default, or None.
        identifier: The declared identifier type, or None. Ground truth: the matcher must not
            read it.
        speakable: Whether the declared identifier can be said by a person.
        is_label: Whether people tell entities apart by this leaf.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    path: str
    name: str
    type: str
    description: str = ""
    required: bool = True
    enum: tuple[str, ...] = ()
    default: JsonValue = None
    examples: tuple[JsonValue, ...] = ()
    identifier: str | None = None
    speakable: bool = False
    is_label: bool = False

    @property
    def is_list(self) -> bool:
        """Whether the leaf stands inside a list or mapping."""
        return "[]" in self.path or "{}" in self.path


def inline_references(schema: JsonObject) -> JsonObject:
    """Return a schema with every `$ref` replaced by what it names, and without titles.

    Raises:
        RecursionError: If the schema refers to itself.
    """
    definitions = cast("dict[str, JsonValue]", schema.get("$defs", {}))

    def walk(node: JsonValue, *, in_properties: bool = False) -> JsonValue:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if isinstance(reference, str):
            target = definitions[reference.rsplit("/", 1)[1]]
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**cast("JsonObject", walk(target)), **cast("JsonObject", walk(rest))}
        return {
            key: value
            if key in _VALUE_KEYS and not in_properties
            else walk(value, in_properties=key == "properties" and not in_properties)
            for key, value in node.items()
            if in_properties or key not in ("$defs", "title")
        }

    return cast("JsonObject", walk(schema))


def strip_annotations(node: JsonValue) -> JsonValue:
    """Return a schema without the `x-` keys that only the runtime reads."""
    if isinstance(node, list):
        return [strip_annotations(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: strip_annotations(value) for key, value in node.items() if not key.startswith("x-")
    }


def flatten(schema: JsonObject, kind: Literal["input", "output"]) -> list[Parameter]:
    """Return the leaves of an inlined schema in order of declaration.

    Args:
        schema: A JSON schema without references (see `inline_references`).
        kind: For inputs a leaf is required when its whole path is; outputs are always there.
    """
    return list(_leaves(schema, "", "", required=True, kind=kind))


def _leaves(
    node: JsonObject, path: str, name: str, *, required: bool, kind: str
) -> Iterator[Parameter]:
    node = without_null(node)
    properties = node.get("properties")
    if isinstance(properties, dict):
        names = cast("list[str]", node.get("required", []))
        for key, child in properties.items():
            below = f"{path}.{key}" if path else key
            needed = required and (kind == "output" or key in names)
            yield from _leaves(cast("JsonObject", child), below, key, required=needed, kind=kind)
        return
    items = node.get("items")
    if isinstance(items, dict):
        merged: JsonObject = {**_described(node), **items}
        yield from _leaves(merged, f"{path}[]", name, required=required, kind=kind)
        return
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        merged = {**_described(node), **values}
        yield from _leaves(merged, f"{path}{{}}", name, required=required, kind=kind)
        return
    yield _leaf(node, path, name, required=required)


def _described(node: JsonObject) -> JsonObject:
    return {key: node[key] for key in ("description", "examples") if key in node}


def without_null(node: JsonObject) -> JsonObject:
    """Return the one schema that a nullable value has when it is not null."""
    options = node.get("anyOf")
    if not isinstance(options, list):
        return node
    real = [option for option in options if isinstance(option, dict) and option != {"type": "null"}]
    if len(real) != 1:
        return node
    return {**real[0], **{key: value for key, value in node.items() if key != "anyOf"}}


def _leaf(node: JsonObject, path: str, name: str, *, required: bool) -> Parameter:
    enum = cast("list[JsonValue]", node.get("enum", []))
    if "const" in node:
        enum = [node["const"]]
    text_format = node.get("format")
    kind = text_format if text_format in ("date", "date-time") else node.get("type", "string")
    return Parameter(
        path=path,
        name=name,
        type=str(kind),
        description=str(node.get("description", "")),
        required=required,
        enum=tuple(str(value) for value in enum),
        default=node.get("default"),
        examples=tuple(cast("list[JsonValue]", node.get("examples", []))),
        identifier=cast("str | None", node.get(IDENTIFIER_KEY)),
        speakable=bool(node.get(SPEAKABLE_KEY, False)),
        is_label=bool(node.get(LABEL_KEY, False)),
    )
