"""What a path, a method and the shape of the result say that an operation does, and to what."""

import itertools
import re
from dataclasses import dataclass
from typing import Literal

from envfactory_assets.records.proposals import Operation
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.identifiers import entity_name, is_plural, name_words
from envfactory_assets.stages.proposals.json_values import object_of
from envfactory_assets.stages.proposals.schema_shapes import listed_schema, single_schema
from envfactory_assets.stages.proposals.verbs import is_action, verb_operation

Method = Literal["get", "post", "put", "patch", "delete"]
METHODS: tuple[Method, ...] = ("get", "post", "put", "patch", "delete")

_PARAMETER = re.compile(r"\{([^{}]+)\}")
_ENDING = re.compile(r"\.(json|xml|\{format\})$")
_VERSION = re.compile(r"v?\d+(\.\d+)*")
_PREFIXES = frozenset({"api", "rest", "me", "v"})


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of a path: the words of a literal, or the name of a parameter."""

    text: str
    is_parameter: bool

    @property
    def entity(self) -> str:
        """The kind of thing that a literal names."""
        return "" if self.is_parameter else entity_name(name_words(self.text))


@dataclass(frozen=True, slots=True)
class PathReading:
    """What an operation does.

    Attributes:
        operation: The kind of operation.
        entity: What it works on; None when the path names nothing of the kind.
        key: The path parameter that addresses one entity.
        owners: The entity that each path parameter addresses, where the path says so.
    """

    operation: Operation
    entity: str | None
    key: str | None
    owners: dict[str, str]


def segments_of(path: str) -> tuple[Segment, ...]:
    """Return the steps of a path, versions and a file ending left out."""
    steps: list[Segment] = []
    for part in _ENDING.sub("", path).split("/"):
        found = _PARAMETER.fullmatch(part)
        if found:
            steps.append(Segment(found.group(1), is_parameter=True))
        elif part and not _VERSION.fullmatch(part):
            steps.append(Segment(part, is_parameter=False))
    return tuple(steps)


def read_path(
    method: Method, path: str, operation_id: str, result: JsonObject, *, has_body: bool
) -> PathReading:
    """Return what an operation does, and to what."""
    steps = segments_of(path)
    owners = _owners(steps)
    if not steps or _PARAMETER.search(steps[-1].text):
        return PathReading("other", None, None, owners)
    last = steps[-1]
    if last.is_parameter:
        entity = owners.get(last.text) or _nearest_literal(steps)
        is_list = method == "get" and result.get("type") == "array"
        operation = _of_item(method) if entity and not is_list else "other"
        return PathReading(operation, entity or None, last.text, {**owners, last.text: entity})
    operation, entity = _of_literal(method, steps, operation_id, result, has_body)
    return PathReading(operation, entity or None, None, owners)


def _owners(steps: tuple[Segment, ...]) -> dict[str, str]:
    owners: dict[str, str] = {}
    for before, step in itertools.pairwise(steps):
        if step.is_parameter and not before.is_parameter and before.entity:
            owners[step.text] = before.entity
    return owners


def _nearest_literal(steps: tuple[Segment, ...]) -> str:
    return next((step.entity for step in reversed(steps) if step.entity), "")


def _of_item(method: Method) -> Operation:
    match method:
        case "get":
            return "read"
        case "delete":
            return "delete"
        case _:
            return "update"


def _of_literal(
    method: Method,
    steps: tuple[Segment, ...],
    operation_id: str,
    result: JsonObject,
    has_body: bool,
) -> tuple[Operation, str]:
    words = name_words(steps[-1].text)
    above = next((step.entity for step in reversed(steps[:-1]) if step.entity), "")
    if ":" in steps[-1].text:
        return "other", entity_name(name_words(steps[-1].text.split(":", 1)[0])) or above
    if is_action(words):
        return _of_action(method, words, above, result)
    entity = entity_name(words)
    if not entity or entity in _PREFIXES:
        return "other", above
    says = verb_operation(next(iter(name_words(operation_id.rsplit("/", 1)[-1])), ""))
    match method:
        case "get":
            if listed_schema(result, entity) is not None:
                return ("search" if says == "search" else "list"), entity
            return "other", above
        case "post":
            is_of_many = is_plural(words[-1]) or says == "create"
            returned = single_schema(result, entity)
            if (
                has_body
                and (is_of_many or not _follows_parameter(steps))
                and (_is_entity(returned) or (not returned and says == "create"))
            ):
                return "create", entity
            return "other", above or entity
        case "put" | "patch":
            return ("update" if has_body and not _follows_parameter(steps) else "other"), entity
        case "delete":
            return "other", entity


def _of_action(
    method: Method, words: tuple[str, ...], above: str, result: JsonObject
) -> tuple[Operation, str]:
    """An act at the end of a path: a search, or something that no entity's life is made of."""
    is_search = verb_operation(words[0]) in ("search", "list")
    is_known = method in ("get", "post") and above not in _PREFIXES | {""}
    if is_search and is_known and listed_schema(result, above) is not None:
        return "search", above
    return "other", above


def _is_entity(schema: JsonObject) -> bool:
    """Whether what a creation returns looks like the thing that it made."""
    properties = object_of(schema.get("properties"))
    return len(properties) > 2 or any(name_words(name)[-1:] == ("id",) for name in properties)


def _follows_parameter(steps: tuple[Segment, ...]) -> bool:
    return len(steps) > 1 and steps[-2].is_parameter
