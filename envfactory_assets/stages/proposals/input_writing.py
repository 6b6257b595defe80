"""Inputs of a tool under the names that every proposal uses.

`<entity>_id` addresses an entity; create and update take its fields; list and search take fields,
`min_<field>`, `max_<field>`, `query`, `limit` and `offset`.
"""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from envfactory_assets.records.proposals import ProposedField
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.entity_drafting import argument_fields, creation_arguments
from envfactory_assets.stages.proposals.entity_fields import FieldReader, field_schema, is_own_id
from envfactory_assets.stages.proposals.identifiers import (
    plain_phrase,
    snake_name,
    spoken,
    word_set,
)
from envfactory_assets.stages.proposals.input_roles import bound_of, role_of
from envfactory_assets.stages.proposals.json_values import number_of, text_of
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.schema_shapes import written_schema
from envfactory_assets.stages.proposals.source_tools import Argument, SourceTool

_MEASURED = ("integer", "number", "day", "moment")
_SCOPES = word_set(
    "account group namespace org organization owner project repo repository site team tenant "
    "workspace"
)
_TEXT: JsonObject = {"type": "string"}


@dataclass(slots=True)
class Inputs:
    """The inputs of one tool while they are written."""

    properties: JsonObject = dataclasses.field(default_factory=dict[str, JsonValue])
    required: list[str] = dataclasses.field(default_factory=list[str])

    def add(self, name: str, schema: JsonObject, *, is_required: bool) -> None:
        """Add an input; of two with one name the first stays."""
        if name in self.properties:
            return
        self.properties[name] = schema
        if is_required:
            self.required.append(name)

    def schema(self) -> JsonObject:
        """Return the JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": self.properties,
            "required": list[JsonValue](self.required),
            "additionalProperties": False,
        }


class InputWriter:
    """Writes the inputs of tools; lists may show that an entity has further fields."""

    def __init__(
        self,
        fields: Mapping[str, dict[str, ProposedField]],
        scopes: Mapping[str, frozenset[str]],
        creatable: Collection[str],
        reader: FieldReader,
        open_points: OpenPoints,
    ) -> None:
        """Know what the tools are written against.

        Args:
            fields: Of each kept entity, by name; they may grow.
            scopes: By entity, inputs that say where one is and not what it is.
            creatable: Entities that a tool creates.
            reader: Of the document.
            open_points: Where to note what is lost.
        """
        self._fields = fields
        self._scopes = scopes
        self._creatable = creatable
        self._reader = reader
        self._open_points = open_points

    def write(self, tool: SourceTool) -> JsonObject:
        """Return the input schema of a tool."""
        inputs = Inputs()
        fields = self._fields.get(tool.entity or "")
        if tool.entity is None or fields is None or tool.operation == "other":
            self._write_other(tool, inputs)
        elif tool.operation == "create":
            self._write_fields(tool, tool.entity, fields, inputs)
        elif tool.operation in ("list", "search"):
            for argument in tool.arguments:
                self._write_filter(tool, argument, tool.entity, fields, inputs)
        else:
            self._write_key(tool, tool.entity, inputs)
            if tool.operation == "update":
                self._write_fields(tool, tool.entity, fields, inputs)
            self._write_rest(tool, fields, inputs)
        return inputs.schema()

    def _write_key(self, tool: SourceTool, entity: str, inputs: Inputs) -> None:
        name = f"{entity}_id"
        key = next(one for one in tool.arguments if one.name == tool.key)
        if snake_name(key.name) not in (name, "id") or key.schema.get("type") != "string":
            self._open_points.add(
                "Things are addressed by an id that is text, which stands for",
                f"{entity}.{snake_name(key.name) or key.name[:40]}",
            )
        description = f"Id of the {spoken(entity)}"
        inputs.add(name, {**_TEXT, "description": description}, is_required=True)

    def _write_fields(
        self, tool: SourceTool, entity: str, fields: dict[str, ProposedField], inputs: Inputs
    ) -> None:
        for argument in creation_arguments(tool):
            known = [
                one for one in argument_fields(argument, self._reader, entity) if one.name in fields
            ]
            for one in known:
                if self._is_scope(tool, argument, one.name):
                    self._note_scope(tool, one.name)
                    continue
                is_required = argument.is_required and not one.is_optional
                schema = _described(fields[one.name], argument, is_only=len(known) == 1)
                inputs.add(one.name, schema, is_required=is_required)
            if not known and argument.is_required:
                self._write_raw(argument, inputs)
        for argument in tool.arguments:
            name = snake_name(argument.name)
            if argument.place != "query":
                continue
            if name in fields:
                schema = _described(fields[name], argument, is_only=True)
                inputs.add(name, schema, is_required=argument.is_required)
            elif tool.operation == "create":
                self._drop(tool, argument, inputs)

    def _is_scope(self, tool: SourceTool, argument: Argument, name: str) -> bool:
        """Whether an update asks for it to find the thing, not to change it."""
        if tool.operation != "update":
            return False
        is_place = argument.place == "input" and argument.is_required and name in _SCOPES
        return is_place or name in self._scopes.get(tool.entity or "", ())

    def _write_rest(
        self, tool: SourceTool, fields: dict[str, ProposedField], inputs: Inputs
    ) -> None:
        """Whatever else addresses the entity is dropped: its id is enough."""
        written = (
            {one.name for one in creation_arguments(tool)} if tool.operation == "update" else ()
        )
        for argument in tool.arguments:
            name = snake_name(argument.name)
            if argument.name == tool.key or argument.name in written or name in inputs.properties:
                continue
            if not argument.is_required and is_own_id(argument.name, tool.entity or ""):
                continue
            is_scope = argument.refers is not None or name in fields or name in _SCOPES
            if argument.is_required and (is_scope or argument.place == "path"):
                self._note_scope(tool, name)
            else:
                self._drop(tool, argument, inputs)

    def _write_filter(
        self,
        tool: SourceTool,
        argument: Argument,
        entity: str,
        fields: dict[str, ProposedField],
        inputs: Inputs,
    ) -> None:
        name = snake_name(argument.name)
        found = self._filter_field(argument, name, entity, fields)
        measured = [one.name for one in fields.values() if one.type in _MEASURED]
        bound = bound_of(argument.name, measured)
        role = role_of(argument.name)
        if found is not None:
            schema = _described(found, argument, is_only=True)
            self._add_filter(tool, argument, found, schema, inputs)
        elif bound is not None:
            schema = _bound_schema(bound, fields[bound[4:]])
            inputs.add(bound, schema, is_required=argument.is_required)
        elif role in ("query", "limit", "offset"):
            schema = _role_schema(role, argument, entity)
            inputs.add(role, schema, is_required=argument.is_required and role == "query")
        elif role is not None:
            topic = "Paging, sorting and presentation are left out"
            self._open_points.add(topic, name)
        elif argument.is_required or (argument.schema.get("enum") and not tool.result):
            self._write_new_filter(tool, argument, entity, fields, inputs)
        else:
            self._open_points.add(
                "Filters by what is no field are left out", f"{tool.name}.{name or argument.name}"
            )

    def _filter_field(
        self, argument: Argument, name: str, entity: str, fields: dict[str, ProposedField]
    ) -> ProposedField | None:
        """Return the field that a filter compares with; None when there is none."""
        if argument.refers and argument.refers != entity:
            return fields.get(f"{argument.refers}_id")
        referred = self._reader.referred(name)
        for candidate in (name, f"{name}_id", referred[0] if referred else ""):
            if candidate in fields:
                return fields[candidate]
        longer = [one for one in fields.values() if name and one.name.startswith(f"{name}_")]
        is_same = len(longer) == 1 and field_schema(longer[0])["type"] == argument.schema.get(
            "type"
        )
        return longer[0] if is_same and role_of(argument.name) is None else None

    def _write_new_filter(
        self,
        tool: SourceTool,
        argument: Argument,
        entity: str,
        fields: dict[str, ProposedField],
        inputs: Inputs,
    ) -> None:
        """What a list cannot be asked without, or can choose by, the things on it differ by."""
        found = list(
            self._reader.of_property(
                argument.name, argument.schema, entity, is_optional=entity in self._creatable
            )
        )
        if len(found) != 1 or found[0].type == "list":
            if argument.is_required:
                self._write_raw(argument, inputs)
            return
        self._open_points.add(
            "Filters that no schema knows became fields", f"{entity}.{found[0].name}"
        )
        fields[found[0].name] = found[0]
        self._add_filter(tool, argument, found[0], field_schema(found[0]), inputs)

    def _add_filter(
        self,
        tool: SourceTool,
        argument: Argument,
        field: ProposedField,
        schema: JsonObject,
        inputs: Inputs,
    ) -> None:
        """One filter may have to be given, if no thing lacks its field; more would find nothing."""
        needed = [one for one in tool.arguments if one.is_required and role_of(one.name) is None]
        is_required = argument.is_required and len(needed) == 1 and not field.is_optional
        if argument.is_required and not is_required:
            topic = "Filters that had to be given are optional"
            self._open_points.add(topic, f"{tool.name}.{field.name}")
        inputs.add(field.name, schema, is_required=is_required)

    def _write_other(self, tool: SourceTool, inputs: Inputs) -> None:
        for argument in tool.arguments:
            name = snake_name(argument.name)
            referred = self._reader.referred(name)
            if argument.refers in self._fields:
                name = f"{argument.refers}_id"
            elif referred:
                name = referred[0]
            if not name or (role_of(name) == "presentation" and not argument.is_required):
                continue
            is_id = name.endswith("_id") and argument.schema.get("type") != "array"
            schema = _id_schema(name, argument) if is_id else _written(argument)
            inputs.add(name, schema, is_required=argument.is_required)

    def _write_raw(self, argument: Argument, inputs: Inputs) -> None:
        name = snake_name(argument.name)
        if name:
            inputs.add(name, _written(argument), is_required=True)

    def _note_scope(self, tool: SourceTool, name: str) -> None:
        topic = "Inputs that say where a thing is are dropped, for its id is enough"
        self._open_points.add(topic, f"{tool.name}.{name}")

    def _drop(self, tool: SourceTool, argument: Argument, inputs: Inputs) -> None:
        name = snake_name(argument.name)
        if argument.is_required:
            self._write_raw(argument, inputs)
        else:
            self._open_points.add(
                "Options beside the things themselves are left out", f"{tool.name}.{name}"
            )


def _described(found: ProposedField, argument: Argument, *, is_only: bool) -> JsonObject:
    schema = field_schema(found)
    phrase = plain_phrase(text_of(argument.schema.get("description")), 160)
    return {**schema, "description": phrase} if phrase and is_only else schema


def _bound_schema(bound: str, found: ProposedField) -> JsonObject:
    word = "Smallest" if bound.startswith("min_") else "Largest"
    if found.type in ("day", "moment"):
        word = "Earliest" if bound.startswith("min_") else "Latest"
    return {**field_schema(found), "description": f"{word} {spoken(found.name)}"}


def _role_schema(role: str, argument: Argument, entity: str) -> JsonObject:
    if role == "query":
        return {**_TEXT, "minLength": 1, "description": f"Text to find in a {spoken(entity)}"}
    lowest = 1 if role == "limit" else 0
    word = "How many to return at most" if role == "limit" else "How many to leave out first"
    schema: JsonObject = {"type": "integer", "minimum": lowest, "description": word}
    highest = number_of(argument.schema.get("maximum"))
    if highest is not None and highest >= lowest:
        schema["maximum"] = int(highest)
    return schema


def _id_schema(name: str, argument: Argument) -> JsonObject:
    phrase = plain_phrase(text_of(argument.schema.get("description")), 160)
    return {**_TEXT, "description": phrase or f"Id of the {spoken(name[:-3])}"}


def _written(argument: Argument) -> JsonObject:
    written = written_schema({**argument.schema, "nullable": False})
    if "description" not in written:
        written["description"] = spoken(snake_name(argument.name)).capitalize()
    return written
