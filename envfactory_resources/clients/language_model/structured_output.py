"""Structured output: how to ask for it, and how to read it."""

import json
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    OutputModelError,
)
from envfactory_resources.clients.language_model.reply import JsonObject, Reply
from envfactory_resources.clients.language_model.request import StructuredMode

FORCED_TOOL = "hand_in"
"""The name of the one tool whose arguments are the structured output."""

OutputT = TypeVar("OutputT", bound=BaseModel)

_MAX_FAULTS = 3
_MAX_EXCERPT = 200


def output_schema(output: type[BaseModel]) -> JsonObject:
    """Return the JSON schema of a structured output.

    Raises:
        OutputModelError: If its root is not an object.
    """
    schema: JsonObject = output.model_json_schema()
    if schema.get("type") != "object":
        raise OutputModelError(
            f"Structured output {output.__name__!r} is not an object at its root: "
            "wrap it in a model with one field."
        )
    return schema


def forced_tool(schema: JsonObject) -> JsonObject:
    """Return the tool whose arguments are the structured output."""
    return {
        "name": FORCED_TOOL,
        "description": "Hand in the result. Call this once, with the complete result.",
        "input_schema": schema,
    }


def choose_mode(schema: JsonObject, preferred: StructuredMode) -> StructuredMode:
    """Return the preferred mode, or the forced tool where native output cannot say the schema.

    Native output closes every object, so a free-form mapping would always come back empty; it
    knows no untyped values, no tuples and no recursion.
    """
    definitions = schema.get("$defs")
    known = definitions if isinstance(definitions, dict) else {}
    if preferred is StructuredMode.NATIVE and _is_closed(schema, known, frozenset()):
        return StructuredMode.NATIVE
    return StructuredMode.FORCED_TOOL


def read_output(reply: Reply, output: type[OutputT], mode: StructuredMode, *, role: str) -> OutputT:
    """Return the structured output that a reply holds.

    Raises:
        MalformedReplyError: If it holds none, or one that does not fit.
    """
    if mode is StructuredMode.NATIVE:
        text = reply.text
    else:
        calls = [call for call in reply.requested_calls if call.tool == FORCED_TOOL]
        if not calls:
            raise MalformedReplyError(
                f"Role {role!r}: the model answered in text where it must call the tool "
                f"{FORCED_TOOL!r}: {reply.text[:_MAX_EXCERPT]!r}. Use a model and server that "
                "honour a forced tool, or native structured output.",
                role=role,
                usage=reply.usage,
            )
        text = json.dumps(calls[0].arguments)
    try:
        return output.model_validate_json(text)
    except ValidationError as error:
        raise MalformedReplyError(
            f"Role {role!r}: the reply is no {output.__name__!r}: {_faults(error)}; got "
            f"{text[:_MAX_EXCERPT]!r}. State the fields in the prompt, or use a stronger model.",
            role=role,
            usage=reply.usage,
        ) from error


def _is_closed(schema: JsonValue, definitions: JsonObject, inside: frozenset[str]) -> bool:
    if not isinstance(schema, dict):
        return False
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rsplit("/", 1)[-1]
        return name not in inside and _is_closed(
            definitions.get(name), definitions, inside | {name}
        )
    if schema.get("additionalProperties") not in (None, False) or "prefixItems" in schema:
        return False
    if not schema.keys() & {"type", "anyOf", "oneOf", "allOf", "enum", "const"}:
        return False
    return all(_is_closed(part, definitions, inside) for part in _parts(schema))


def _parts(schema: JsonObject) -> list[JsonValue]:
    parts: list[JsonValue] = []
    for keyword in ("anyOf", "oneOf", "allOf"):
        variants = schema.get(keyword)
        parts += variants if isinstance(variants, list) else []
    properties = schema.get("properties")
    parts += properties.values() if isinstance(properties, dict) else []
    return [*parts, schema["items"]] if "items" in schema else parts


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    named = [
        f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {fault['msg']}" for fault in faults
    ]
    more = f" and {len(named) - _MAX_FAULTS} more" if len(named) > _MAX_FAULTS else ""
    return "; ".join(named[:_MAX_FAULTS]) + more
