"""Lists of tools with a name, a description and JSON schemas, and no paths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from envfactory_assets.records.proposals import Operation
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.identifiers import (
    plain_sentence,
    snake_name,
    spoken,
    unique_name,
)
from envfactory_assets.stages.proposals.json_values import object_of, texts_of
from envfactory_assets.stages.proposals.keys import key_of
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.schema_inlining import SchemaInliner
from envfactory_assets.stages.proposals.schema_shapes import listed_schema
from envfactory_assets.stages.proposals.source_tools import Argument, SourceTool
from envfactory_assets.stages.proposals.verbs import (
    Reading,
    read_name,
    reads_by_name,
    shared_prefix,
)

_SWITCHES = frozenset({"action", "command", "method", "mode", "operation"})


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One entry of a list.

    Attributes:
        name: As the list calls it.
        description: In the list's words.
        input_schema: As the list has it.
        output_schema: As the list has it; empty when it is silent.
        is_read_only: What the list says of its effect; None when it is silent.
    """

    name: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject
    is_read_only: bool | None = None


def source_tools(listed: Sequence[ListedTool], open_points: OpenPoints) -> tuple[SourceTool, ...]:
    """Return the tools of a list, with what their names and schemas say that they do."""
    names: set[str] = set()
    tools: list[SourceTool] = []
    skipped = shared_prefix([tool.name for tool in listed])
    for tool in listed:
        if snake_name(tool.name):
            tools.append(_source_tool(tool, skipped, names, open_points))
        else:
            open_points.add("Tools without a usable name are left out", repr(tool.name[:40]))
    return tuple(tools)


def schema_of_members(value: JsonValue) -> JsonObject:
    """Return a JSON schema, whether the value is one or a mere map of members."""
    schema = object_of(value)
    if "properties" in schema or "$ref" in schema or isinstance(schema.get("type"), str):
        return schema
    members = {name: child for name, child in schema.items() if isinstance(child, dict)}
    required: list[JsonValue] = [
        name for name, child in members.items() if child.get("required") is True
    ]
    return {"type": "object", "properties": {**members}, "required": required} if members else {}


def _source_tool(
    tool: ListedTool, skipped: int, names: set[str], open_points: OpenPoints
) -> SourceTool:
    schema = SchemaInliner(tool.input_schema, open_points).inlined(tool.input_schema)
    result = SchemaInliner(tool.output_schema, open_points).inlined(tool.output_schema)
    arguments = tuple(_arguments(schema))
    reading = read_name(tool.name, skipped)
    operation, key = _settled(reading, arguments, result)
    effect = _effect(tool, operation, skipped)
    if (operation in ("read", "list", "search")) != (effect == "read") and operation != "other":
        open_points.add("Names and annotations disagree on the effect of", tool.name[:60])
        operation = "other"
    return SourceTool(
        source=tool.name[:120],
        name=unique_name(snake_name(tool.name), names),
        description=plain_sentence(tool.description)
        or f"{spoken(snake_name(tool.name)).capitalize()}.",
        operation=operation,
        entity=reading.entity or None,
        effect=effect,
        arguments=arguments,
        result=result,
        key=key,
    )


def _arguments(schema: JsonObject) -> Iterator[Argument]:
    required = texts_of(schema.get("required"))
    for name, child in object_of(schema.get("properties")).items():
        yield Argument(name, object_of(child), is_required=name in required, place="input")


def _settled(
    reading: Reading, arguments: Sequence[Argument], result: JsonObject
) -> tuple[Operation, str | None]:
    """Return the operation and its key; what does not fit one of ours is of no known kind."""
    operation = reading.operation
    if not reading.entity or any(_is_switch(argument) for argument in arguments):
        return "other", None
    if operation in ("create", "update", "delete") and (
        reading.has_rest or any(_is_of_many(argument) for argument in arguments)
    ):
        return "other", None
    if operation in ("read", "list", "search") and result:
        is_list = listed_schema(result, reading.entity) is not None
        if is_list != (operation != "read"):
            return "other", None
    if operation in ("read", "update", "delete"):
        key = key_of(arguments, reading.entity)
        return (operation, key) if key else ("other", None)
    if operation == "create" and not arguments:
        return "other", None
    return operation, None


def _is_switch(argument: Argument) -> bool:
    """Whether an input chooses among several tools in one."""
    is_choice = bool(argument.schema.get("enum"))
    return argument.is_required and is_choice and argument.name.lower() in _SWITCHES


def _is_of_many(argument: Argument) -> bool:
    items = object_of(argument.schema.get("items"))
    return argument.is_required and items.get("type") == "object"


def _effect(tool: ListedTool, operation: Operation, skipped: int) -> Literal["read", "write"]:
    if tool.is_read_only is not None:
        return "read" if tool.is_read_only else "write"
    if operation == "other":
        return "read" if reads_by_name(tool.name, skipped) else "write"
    return "read" if operation in ("read", "list", "search") else "write"
