"""The fields of an entity as they can be built: types that hold, bounds that tools state."""

from collections.abc import Iterator, Sequence
from typing import cast

from envfactory_assets.records.proposals import ProposedEntity, ProposedField, ProposedTool
from envfactory_assets.stages.attempts.builder.layout import tidy
from sandboxes.core.parameters import JsonObject, without_null

_LOWER = ("minimum", "minLength", "minItems")
_UPPER = ("maximum", "maxLength", "maxItems")
_ABSENT_TYPES = ("text", "list")


def settled_fields(
    entity: ProposedEntity, tools: Sequence[ProposedTool]
) -> Iterator[ProposedField]:
    """Yield the fields of an entity as they can be built.

    Args:
        entity: The entity.
        tools: Every proposed tool. What they say of an argument fills in what the field leaves
            open, and a text or an id that new entities need not be given may be absent.
    """
    own = [tool for tool in tools if tool.entity == entity.name]
    for field in entity.fields:
        nodes = [node for tool in own for node in _nodes(tool, field.name)]
        creating = [tool for tool in own if tool.operation == "create"]
        is_always_given = all(_is_given(tool, field.name) for tool in creating)
        can_be_empty = field.type not in ("text",) and not field.references
        yield _typed(field).model_copy(
            update={
                "minimum": _bound(field.minimum, nodes, _LOWER),
                "maximum": _bound(field.maximum, nodes, _UPPER),
                "is_optional": field.is_optional or not (is_always_given or can_be_empty),
            }
        )


def _nodes(tool: ProposedTool, name: str) -> Iterator[JsonObject]:
    properties = tool.input_schema.get("properties")
    node = properties.get(name) if isinstance(properties, dict) else None
    if tool.operation in ("create", "update") and isinstance(node, dict):
        yield without_null(node)


def _is_given(tool: ProposedTool, name: str) -> bool:
    required = cast("Sequence[str]", tool.input_schema.get("required") or [])
    return name in required or any("default" in node for node in _nodes(tool, name))


def _bound(
    proposed: float | None, nodes: Sequence[JsonObject], keys: Sequence[str]
) -> float | None:
    if proposed is not None:
        return proposed
    values = [node.get(key) for node in nodes for key in keys]
    numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return float(numbers[0]) if numbers else None


def _typed(field: ProposedField) -> ProposedField:
    """Return a field whose type can hold: a choice that leaves none, or odd texts, is a text."""
    choices = tuple(dict.fromkeys(field.choices))
    is_plain = all(tidy(choice) == choice and choice for choice in choices)
    if field.references:
        kind = "list" if field.type == "list" else "text"
        return field.model_copy(update={"type": kind, "choices": ()})
    if field.type == "choice" and (len(choices) < 2 or not is_plain):
        return field.model_copy(update={"type": "text", "choices": (), "examples": choices})
    return field.model_copy(update={"choices": choices})
