"""What is wrong with a proposal that a model hands in, in sentences that it can act on."""

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.proposal_draft import (
    DraftEntity,
    DraftField,
    DraftTool,
    ProposalDraft,
)

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST_NAME = 40
_FEWEST_TOOLS, _MOST_TOOLS = 4, 24
_READING = frozenset({"read", "list", "search"})
_BY_ID = frozenset({"read", "update", "delete"})
_ONE_WRITES_IN = 3
_VARIANTS = ("anyOf", "oneOf", "allOf")


def draft_faults(draft: ProposalDraft) -> list[str]:
    """Return everything that is wrong with a draft, one sentence each; none if it will do."""
    names = [draft.name, *(entity.name for entity in draft.entities)]
    names += [tool.name for tool in draft.tools]
    faults = [*_name_faults(names), *_size_faults(draft)]
    entities = {entity.name for entity in draft.entities}
    for entity in draft.entities:
        faults += _entity_faults(entity, entities)
    for tool in draft.tools:
        faults += _tool_faults(tool, entities)
    return faults


def _name_faults(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME or keyword.iskeyword(name):
            yield f"Name {name[:60]!r} is not snake case of at most {_LONGEST_NAME} characters."


def _size_faults(draft: ProposalDraft) -> Iterator[str]:
    if not _FEWEST_TOOLS <= len(draft.tools) <= _MOST_TOOLS:
        yield f"There are {len(draft.tools)} tools; propose {_FEWEST_TOOLS} to {_MOST_TOOLS}."
    writes = sum(tool.effect == "write" for tool in draft.tools)
    if writes * _ONE_WRITES_IN < len(draft.tools):
        yield f"Only {writes} of {len(draft.tools)} tools write; at least one in three must."
    if not draft.entities:
        yield "There is no entity; name what the service keeps."
    if not [rule for rule in draft.rules if rule.strip()]:
        yield "There is no rule; state at least one business rule."
    for what, text in (("service", draft.service), ("rationale", draft.rationale)):
        if not text.strip():
            yield f"The {what} is empty."
    for what, found in (("Entity", draft.entities), ("Tool", draft.tools)):
        twice = [name for name, count in Counter(item.name for item in found).items() if count > 1]
        yield from (f"{what} {name!r} is there twice." for name in twice)


def _entity_faults(entity: DraftEntity, entities: set[str]) -> Iterator[str]:
    where = f"Entity {entity.name!r}"
    names = [field.name for field in entity.fields]
    yield from _name_faults(names)
    if not names:
        yield f"{where} has no fields."
    if len(names) != len(set(names)):
        yield f"{where} has two fields of one name."
    if {"id", f"{entity.name}_id"} & set(names):
        yield f"{where} lists its own id as a field; leave it out, it is understood."
    if entity.label is not None and entity.label not in names:
        yield f"{where} has the label {entity.label!r}, which is none of its fields {names}."
    for field in entity.fields:
        yield from _field_faults(f"{where}, field {field.name!r}", field, entities)


def _field_faults(where: str, field: DraftField, entities: set[str]) -> Iterator[str]:
    if (field.type == "choice") != bool(field.choices):
        yield f"{where}: a choice has choices, and nothing else has."
    if field.references is None:
        return
    if field.references not in entities:
        yield f"{where} references {field.references!r}, which is none of {sorted(entities)}."
    elif not field.name.endswith((f"{field.references}_id", f"{field.references}_ids")):
        yield f"{where} holds an id and must be named {field.references}_id."


def _tool_faults(tool: DraftTool, entities: set[str]) -> Iterator[str]:
    where = f"Tool {tool.name!r}"
    if not tool.description.strip():
        yield f"{where} has no description."
    if tool.entity is not None and tool.entity not in entities:
        yield f"{where} works on {tool.entity!r}, which is none of {sorted(entities)}."
    if tool.operation != "other":
        if tool.entity is None:
            yield f"{where} does {tool.operation!r} to no entity."
        if (tool.operation in _READING) != (tool.effect == "read"):
            yield f"{where}: operation {tool.operation!r} does not go with {tool.effect!r}."
    yield from _schema_faults(f"{where}, input schema", tool.input_schema, entities)
    yield from _schema_faults(f"{where}, output schema", tool.output_schema, entities)
    if not tool.output_schema.get("properties"):
        yield f"{where} returns nothing; its output schema needs properties."
    required = cast("list[JsonValue]", tool.input_schema.get("required") or [])
    if tool.operation in _BY_ID and tool.entity and f"{tool.entity}_id" not in required:
        yield f"{where} must require {tool.entity}_id, to say which one it means."


def _schema_faults(where: str, schema: JsonObject, entities: set[str]) -> Iterator[str]:
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"{where} is no JSON schema: {error.message} at {error.json_path}."
        return
    if schema.get("type") != "object" or not isinstance(schema.get("properties", {}), dict):
        yield f"{where} must be of type object with properties."
        return
    required = {str(name) for name in cast("list[JsonValue]", schema.get("required", []))}
    absent = required - set(cast("JsonObject", schema.get("properties", {})))
    if absent:
        yield f"{where} requires {sorted(absent)}, which it does not describe."
    yield from _node_faults(where, schema, entities)


def _node_faults(where: str, node: JsonValue, entities: set[str]) -> Iterator[str]:
    """Walk a schema: no references, every property described, ids named after entities."""
    if not isinstance(node, dict):
        return
    if "$ref" in node or "$defs" in node:
        yield f"{where} has a reference; write it out."
        return
    for name, part in cast("JsonObject", node.get("properties") or {}).items():
        inside = f"{where}, property {name!r}"
        if not (isinstance(part, dict) and part.get("description")):
            yield f"{inside} has no description."
        if name == "id" or (name.endswith("_id") and not _names_entity(name, entities)):
            yield f"{inside} is an id and must end with <entity>_id of {sorted(entities)}."
        yield from _node_faults(inside, part, entities)
    variants = [part for key in _VARIANTS for part in cast("list[JsonValue]", node.get(key) or [])]
    for part in (node.get("items"), *variants):
        yield from _node_faults(where, part, entities)


def _names_entity(name: str, entities: set[str]) -> bool:
    return any(f"_{name}".endswith(f"_{entity}_id") for entity in entities)
