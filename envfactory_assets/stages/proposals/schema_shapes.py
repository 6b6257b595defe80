"""What a schema holds: one entity or a list of them, out of the envelopes they come in."""

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.identifiers import entity_name, name_words, word_set
from envfactory_assets.stages.proposals.json_values import list_of, object_of

ID_WORDS = frozenset({"id", "gid", "uuid", "guid", "sid"})

_PLUMBING = word_set(
    "etag href html_url links node_id object permalink_url resource_type self uri url"
)
_PLUMBING_ENDS = ("_url", "_href", "_uri", "_urls", "_links")
_LISTS = ("data", "items", "results", "values", "records", "entries", "content", "list")
_DEEPEST = 2
_MOST_MEMBERS = 16
_DROPPED = ("title", "examples", "readOnly", "writeOnly", "deprecated", "nullable", "pattern")


def listed_schema(result: JsonObject, entity: str = "", depth: int = 0) -> JsonObject | None:
    """Return the schema of the entities in a list result; None when the result is no list."""
    if result.get("type") == "array":
        items = object_of(result.get("items"))
        return items if "properties" in items else None
    properties = object_of(result.get("properties"))
    if not properties or depth > _DEEPEST or _has_id(properties):
        return None
    lists = {name: found for name in properties if (found := _items(properties, name)) is not None}
    for name in lists:
        if name in _LISTS or (entity and entity_name(name_words(name)) == entity):
            return lists[name]
    if len(lists) == 1:
        return next(iter(lists.values()))
    inner = [name for name in properties if "properties" in object_of(properties[name])]
    if len(inner) == 1:
        return listed_schema(object_of(properties[inner[0]]), entity, depth + 1)
    return None


def single_schema(result: JsonObject, entity: str = "") -> JsonObject:
    """Return the schema of the one entity that a result is; empty when it is none."""
    properties = object_of(result.get("properties"))
    if not properties:
        return {}
    if not _has_id(properties):
        for name in ("data", entity):
            inner = object_of(properties.get(name))
            if "properties" in inner:
                return inner
        real = [name for name in properties if not is_plumbing(name)]
        if len(real) == 1 and "properties" in object_of(properties[real[0]]):
            return object_of(properties[real[0]])
    return result


def written_schema(schema: JsonObject, depth: int = 0) -> JsonObject:
    """Return an inlined schema as plain JSON schema, shortened to what a reader needs."""
    written: JsonObject = {key: item for key, item in schema.items() if key not in _DROPPED}
    properties = object_of(schema.get("properties"))
    if properties:
        kept = {} if depth > _DEEPEST else dict(list(properties.items())[:_MOST_MEMBERS])
        written["properties"] = {
            name: {"description": _title(name), **written_schema(object_of(child), depth + 1)}
            for name, child in kept.items()
        }
        if "required" in schema:
            written["required"] = [name for name in list_of(schema["required"]) if name in kept]
    for word in ("items", "additionalProperties"):
        if word in schema:
            written[word] = written_schema(object_of(schema[word]), depth + 1)
    if schema.get("nullable") is True and isinstance(schema.get("type"), str):
        written["type"] = [schema["type"], "null"]
        if "enum" in written:
            written["enum"] = [*list_of(written["enum"]), None]
    return written


def is_plumbing(name: str) -> bool:
    """Whether a property serves programs that follow links, and says nothing of the entity."""
    snake = "_".join(name_words(name))
    return (
        snake in _PLUMBING or snake.endswith(_PLUMBING_ENDS) or name.startswith(("_", "$", "html_"))
    )


def _title(name: str) -> str:
    return " ".join(name_words(name)).capitalize() or name


def _has_id(properties: JsonObject) -> bool:
    return any(name in ID_WORDS for name in properties)


def _items(properties: JsonObject, name: str) -> JsonObject | None:
    child = object_of(properties[name])
    items = object_of(child.get("items"))
    return items if child.get("type") == "array" and "properties" in items else None
