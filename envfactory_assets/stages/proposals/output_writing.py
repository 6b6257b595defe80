"""Results of a tool under the names that every proposal uses."""

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory_assets.records.proposals import ProposedField
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.entity_fields import field_schema
from envfactory_assets.stages.proposals.identifiers import plural_name, spoken
from envfactory_assets.stages.proposals.schema_shapes import written_schema
from envfactory_assets.stages.proposals.source_tools import SourceTool


def output_schema(tool: SourceTool, fields: Mapping[str, ProposedField]) -> JsonObject:
    """Return the schema of a tool's result: the entity, a list of them, or what the source says.

    Of what was deleted the id comes back.
    """
    if tool.entity is None or not fields or tool.operation == "other":
        return written_schema(tool.result)
    if tool.operation == "delete":
        fields = {}
    entity = _entity_schema(tool.entity, fields)
    if tool.operation not in ("list", "search"):
        return entity
    name = plural_name(tool.entity)
    listed: JsonObject = {
        "type": "array",
        "items": entity,
        "description": f"{spoken(name).capitalize()} found",
    }
    return {"type": "object", "properties": {name: listed}, "required": [name]}


def _entity_schema(entity: str, fields: Mapping[str, ProposedField]) -> JsonObject:
    key = f"{entity}_id"
    properties: JsonObject = {key: {"type": "string", "description": f"Id of the {spoken(entity)}"}}
    required: list[JsonValue] = [key]
    for name, field in fields.items():
        properties[name] = field_schema(field)
        if not field.is_optional:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}
