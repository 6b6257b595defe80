"""What an OpenAPI operation takes and gives: parameters, body, response."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.json_values import list_of, object_of, text_of, texts_of
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.schema_inlining import SchemaInliner
from envfactory_assets.stages.proposals.source_tools import Argument, Place

_PLACES: dict[str, Place] = {"path": "path", "query": "query"}
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True, slots=True)
class Message:
    """What an operation takes.

    Attributes:
        arguments: Parameters of path and query, then the members of the body.
        has_body: Whether a body of a kind that can be read is sent.
        is_whole: Whether nothing was lost that a call cannot do without.
    """

    arguments: tuple[Argument, ...]
    has_body: bool
    is_whole: bool


@dataclass(frozen=True, slots=True)
class MessageReader:
    """Reads messages of one document.

    Attributes:
        inliner: Of the document.
        open_points: Where to note what is lost.
    """

    inliner: SchemaInliner
    open_points: OpenPoints = field(repr=False)

    def message(self, operation: JsonObject, shared: JsonValue, source: str) -> Message:
        """Return what an operation takes; `shared` are the parameters of its path."""
        arguments: dict[tuple[str, str], Argument] = {}
        for value in [*list_of(shared), *list_of(operation.get("parameters"))]:
            argument = self._parameter(self.inliner.target(value), source)
            if argument is not None:
                arguments[argument.place, argument.name] = argument
        body = self.inliner.target(operation.get("requestBody"))
        members, has_body, is_whole = self._body(body, source)
        return Message((*arguments.values(), *members), has_body=has_body, is_whole=is_whole)

    def result(self, operation: JsonObject, source: str) -> JsonObject:
        """Return the schema of what comes back when all goes well; empty where nothing is said."""
        responses = object_of(operation.get("responses"))
        for status in sorted(responses):
            if not status.startswith("2"):
                continue
            content = object_of(self.inliner.target(responses[status]).get("content"))
            media = _json_media(content)
            if media:
                return self.inliner.inlined(object_of(content[media]).get("schema"))
            if content:
                self.open_points.add("Results that are no JSON are left open", source)
        return {}

    def _parameter(self, parameter: JsonObject, source: str) -> Argument | None:
        name = text_of(parameter.get("name"))
        place = _PLACES.get(text_of(parameter.get("in")))
        if not name:
            return None
        if place is None:
            self.open_points.add("Header and cookie parameters are left out", name[:60])
            return None
        if parameter.get("deprecated") is True:
            self.open_points.add("Deprecated parameters are left out", f"{source} {name[:60]}")
            return None
        content = object_of(parameter.get("content"))
        media = _json_media(content)
        described = object_of(content[media]) if media else parameter
        schema = self.inliner.inlined(described.get("schema"))
        extra = {key: parameter[key] for key in ("description", "example") if key in parameter}
        if extra:
            schema = {**schema, **_told(extra, schema)}
        is_required = parameter.get("required") is True or place == "path"
        return Argument(name, schema, is_required=is_required, place=place)

    def _body(self, body: JsonObject, source: str) -> tuple[tuple[Argument, ...], bool, bool]:
        content = object_of(body.get("content"))
        media = _json_media(content) or next((form for form in _FORMS if form in content), "")
        if not media:
            if content:
                self.open_points.add("Bodies that are neither JSON nor forms are left out", source)
            return (), False, not content
        schema = self.inliner.inlined(object_of(content[media]).get("schema"))
        inner = _unwrapped(schema)
        if inner is not schema:
            self.open_points.add("Envelopes around bodies are left out", source)
        properties = object_of(inner.get("properties"))
        if not properties:
            if not schema or schema == {"type": "object"}:
                self.open_points.add("Bodies without a described shape are left out", source)
                return (), bool(schema), False
            return (Argument("body", schema, is_required=True, place="body"),), True, False
        required = texts_of(inner.get("required"))
        members: list[Argument] = []
        is_whole = True
        for name, value in properties.items():
            child = object_of(value)
            if child.get("readOnly") is True or child.get("deprecated") is True:
                continue
            if child.get("format") in ("binary", "byte"):
                self.open_points.add("Files are left out", f"{source} {name[:60]}")
                is_whole = is_whole and name not in required
                continue
            members.append(Argument(name, child, is_required=name in required, place="body"))
        return tuple(members), True, is_whole


def _json_media(content: JsonObject) -> str:
    """Return the JSON media type among those on offer, if there is one."""
    for media in content:
        kind = media.split(";")[0].strip().lower()
        if kind in ("application/json", "*/*", "text/json") or kind.endswith("+json"):
            return media
    return ""


def _unwrapped(schema: JsonObject) -> JsonObject:
    properties = object_of(schema.get("properties"))
    if len(properties) == 1:
        inner = object_of(next(iter(properties.values())))
        if "properties" in inner:
            return inner
    return schema


def _told(extra: JsonObject, schema: JsonObject) -> JsonObject:
    """Return what a parameter says beside its schema, as a schema would say it."""
    told: JsonObject = {}
    if text_of(extra.get("description")):
        told["description"] = extra["description"]
    example = extra.get("example")
    if isinstance(example, str | int | float) and "examples" not in schema:
        told["examples"] = [example]
    return told
