"""JSON schemas without references: followed, merged and cut to a bounded size."""

from collections.abc import Sequence
from urllib.parse import unquote

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.identifiers import plain_phrase
from envfactory_assets.stages.proposals.json_values import (
    list_of,
    number_of,
    object_of,
    text_of,
    texts_of,
)
from envfactory_assets.stages.proposals.open_points import OpenPoints

_DEEPEST = 5
_MOST_SCHEMAS = 3000
_LONGEST_CHAIN = 20
_TYPES = ("object", "array", "string", "integer", "number", "boolean")
_LENGTHS = ("minLength", "maxLength", "minItems", "maxItems")
_KEPT = ("format", "pattern")
_FLAGS = ("nullable", "readOnly", "writeOnly", "deprecated")
_MOST_EXAMPLES = 5


class SchemaInliner:
    """Inlines the schemas of one document.

    Every schema it returns is an object without `$ref`, `allOf`, `oneOf` and `anyOf`, with at most
    one `type`, and `nullable` where null is allowed.
    """

    def __init__(self, document: JsonValue, open_points: OpenPoints) -> None:
        """Remember what references point into, and where to note what is lost."""
        self._document = document
        self._open_points = open_points
        self._left = 0
        self._known: dict[tuple[str, int], JsonObject] = {}

    def target(self, value: JsonValue) -> JsonObject:
        """Follow the reference that a value is, if it is one; empty when it leads nowhere."""
        node = object_of(value)
        for _ in range(_LONGEST_CHAIN):
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return node
            followed = self._pointed(reference)
            beside = {key: item for key, item in node.items() if key != "$ref"}
            node = {**followed, **beside}
            if "$ref" in followed:
                node["$ref"] = followed["$ref"]
        self._open_points.add("References that lead to themselves are cut", text_of(node["$ref"]))
        return {}

    def inlined(self, schema: JsonValue) -> JsonObject:
        """Return a schema with everything that it refers to inside it."""
        self._left = _MOST_SCHEMAS
        return self._inlined(schema, 0, ())

    def _pointed(self, reference: str) -> JsonObject:
        if not reference.startswith("#"):
            self._open_points.add("References to other files are not followed", reference[:80])
            return {}
        value = self._document
        for part in unquote(reference[1:]).split("/")[1:]:
            step = part.replace("~1", "/").replace("~0", "~")
            value = _member(value, step)
        if not isinstance(value, dict):
            self._open_points.add("References that lead nowhere are ignored", reference[:80])
            return {}
        return value

    def _inlined(self, schema: JsonValue, depth: int, trail: tuple[str, ...]) -> JsonObject:
        reference = text_of(object_of(schema).get("$ref"))
        if not reference or reference in trail or len(object_of(schema)) > 1:
            return self._built(schema, reference, depth, trail)
        known = self._known.get((reference, depth))
        if known is None:
            known = self._built(schema, reference, depth, trail)
            if self._left >= 0:
                self._known[reference, depth] = known
        return known

    def _built(
        self, schema: JsonValue, reference: str, depth: int, trail: tuple[str, ...]
    ) -> JsonObject:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            self._open_points.add("Schemas are cut where they are very deep or wide")
            return {}
        if reference and reference in trail:
            self._open_points.add("Schemas that contain themselves are cut", _last(reference))
            return {"type": "object"}
        trail = (*trail, reference) if reference else trail
        node = self.target(schema)
        merged = self._own(node, depth, trail)
        for part in list_of(node.get("allOf")):
            merged = _merged(merged, self._inlined(part, depth, trail))
        for word in ("oneOf", "anyOf"):
            variants = list_of(node.get(word))
            if variants:
                merged = _merged(merged, self._chosen(variants, depth, trail))
        return merged

    def _own(self, node: JsonObject, depth: int, trail: tuple[str, ...]) -> JsonObject:
        """Return what a schema says itself, its children inlined."""
        own = _scalars(node)
        properties = object_of(node.get("properties"))
        if properties:
            own["type"] = "object"
            own["properties"] = {
                name: self._inlined(child, depth + 1, trail) for name, child in properties.items()
            }
            required = [name for name in texts_of(node.get("required")) if name in properties]
            if "required" in node:
                own["required"] = list[JsonValue](dict.fromkeys(required))
        elif isinstance(node.get("required"), list) and "allOf" in node:
            own["required"] = list[JsonValue](dict.fromkeys(texts_of(node.get("required"))))
        if "items" in node and own.get("type", "array") == "array":
            own["type"] = "array"
            own["items"] = self._inlined(node["items"], depth + 1, trail)
        if object_of(node.get("additionalProperties")) and not properties:
            own["type"] = "object"
            own["additionalProperties"] = self._inlined(
                node["additionalProperties"], depth + 1, trail
            )
        return own

    def _chosen(self, variants: list[JsonValue], depth: int, trail: tuple[str, ...]) -> JsonObject:
        """Return one schema for alternatives: their union where they are objects or choices."""
        inlined = [self._inlined(variant, depth, trail) for variant in variants]
        real = [schema for schema in inlined if schema.get("type") != "null"]
        chosen: JsonObject = {}
        if real and all(_is_text_choice(schema) for schema in real):
            values = [value for schema in real for value in list_of(schema.get("enum"))]
            chosen = {**real[0], "enum": list(dict.fromkeys(texts_of(values)))}
        elif len(real) > 1 and all("properties" in schema for schema in real):
            self._open_points.add("Alternatives of objects are one object with the fields of all")
            chosen = _union(real)
        elif real:
            if len(real) > 1:
                self._open_points.add("Of alternatives of other types, the simplest is taken")
            chosen = min(real, key=_complexity)
        if len(real) < len(inlined):
            chosen = {**chosen, "nullable": True}
        return chosen


def _member(value: JsonValue, step: str) -> JsonValue:
    if not isinstance(value, list):
        return object_of(value).get(step)
    index = int(step) if step.isdecimal() and len(step) < 9 else len(value)
    return value[index] if index < len(value) else None


def _last(reference: str) -> str:
    return reference.rsplit("/", 1)[-1][:80]


def _scalars(node: JsonObject) -> JsonObject:
    """Return the keywords of a schema that hold no schemas, of usable shape."""
    own: JsonObject = {}
    kind = node.get("type")
    kinds = [kind] if isinstance(kind, str) else texts_of(kind)
    if "null" in kinds:
        own["nullable"] = True
    known = [name for name in _TYPES if name in kinds]
    if known:
        own["type"] = "string" if "string" in known else known[0]
    elif kinds == ["null"]:
        own["type"] = "null"
    for word in ("description", "title"):
        phrase = plain_phrase(text_of(node.get(word)))
        if phrase:
            own[word] = phrase
    _add_choices(node, own)
    for word in _KEPT:
        if text_of(node.get(word)):
            own[word] = node[word]
    for word in _FLAGS:
        if node.get(word) is True:
            own[word] = True
    _add_bounds(node, own)
    _add_examples(node, own)
    return own


def _add_choices(node: JsonObject, own: JsonObject) -> None:
    choices = [node["const"]] if "const" in node else list_of(node.get("enum"))
    if None in choices:
        own["nullable"] = True
    choices = [choice for choice in choices if isinstance(choice, str | int | float)]
    if not choices:
        return
    own["enum"] = list[JsonValue](choices)
    if "type" not in own:
        is_text = all(isinstance(choice, str) for choice in choices)
        is_flag = all(isinstance(choice, bool) for choice in choices)
        own["type"] = "string" if is_text else "boolean" if is_flag else "number"


def _add_bounds(node: JsonObject, own: JsonObject) -> None:
    for word in _LENGTHS:
        length = number_of(node.get(word))
        if length is not None and length >= 0 and length.is_integer():
            own[word] = int(length)
    for word in ("minimum", "maximum"):
        if number_of(node.get(word)) is not None:
            own[word] = node[word]
    for word, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        bound = number_of(node.get(exclusive))
        if bound is None and node.get(exclusive) is True:
            bound = number_of(node.get(word))
        if bound is not None:
            step = (1 if word == "minimum" else -1) if own.get("type") == "integer" else 0
            own[word] = bound + step


def _add_examples(node: JsonObject, own: JsonObject) -> None:
    given = [node.get("example"), *list_of(node.get("examples")), node.get("default")]
    examples = [value for value in given if isinstance(value, str | int | float)]
    if isinstance(node.get("default"), str | int | float | bool):
        own["default"] = node["default"]
    if examples:
        own["examples"] = list[JsonValue](examples[:_MOST_EXAMPLES])


def _merged(first: JsonObject, second: JsonObject) -> JsonObject:
    """Return a schema that asks for both; what the first says of itself wins."""
    merged = {**second, **first}
    if "properties" in first and "properties" in second:
        merged["properties"] = _properties([first, second])
    if "items" in first and "items" in second:
        merged["items"] = _merged(object_of(first["items"]), object_of(second["items"]))
    if "required" in first or "required" in second:
        both = [*texts_of(second.get("required")), *texts_of(first.get("required"))]
        merged["required"] = list[JsonValue](dict.fromkeys(both))
    return merged


def _union(schemas: Sequence[JsonObject]) -> JsonObject:
    """Return an object with the properties of all, which requires what all require."""
    required = [
        name
        for name in texts_of(schemas[0].get("required"))
        if all(name in texts_of(schema.get("required")) for schema in schemas)
    ]
    return {
        **schemas[0],
        "type": "object",
        "properties": _properties(schemas),
        "required": list[JsonValue](required),
    }


def _properties(schemas: Sequence[JsonObject]) -> JsonObject:
    properties: JsonObject = {}
    for schema in schemas:
        for name, child in object_of(schema.get("properties")).items():
            before = object_of(properties.get(name))
            if _is_text_choice(before) and _is_text_choice(object_of(child)):
                both = [*list_of(before.get("enum")), *list_of(object_of(child).get("enum"))]
                properties[name] = {
                    **before,
                    **object_of(child),
                    "enum": list(dict.fromkeys(texts_of(both))),
                }
            else:
                properties[name] = _merged(before, object_of(child))
    return properties


def _is_text_choice(schema: JsonObject) -> bool:
    return schema.get("type") == "string" and bool(list_of(schema.get("enum")))


def _complexity(schema: JsonObject) -> int:
    kind = schema.get("type")
    if kind in ("string", "integer", "number", "boolean"):
        return 0 if kind == "string" else 1
    return 2 if kind == "array" else 3
