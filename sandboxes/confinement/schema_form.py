"""The form that a schema from a worker must have before anything here reads it.

Readers of schemas draw values from them: a length of a million million would be drawn. So every
keyword has its type, and a size that a description of a tool never needs is refused.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, JsonValue

from sandboxes.core.annotations import IDENTIFIER_KEY, LABEL_KEY, SPEAKABLE_KEY
from sandboxes.core.canonical import canonical_json
from sandboxes.core.parameters import JsonObject

_SCHEMA_CHARACTERS = 200_000
_LEAST_SIZE = 10_000

_Type = Literal["object", "array", "string", "integer", "number", "boolean", "null"]
_Length = Annotated[int, Field(ge=0, le=1_000_000)]
_Least = Annotated[int, Field(ge=0, le=1_000)]
_Count = Annotated[int, Field(ge=0, le=1_000_000)]
_Scalar = str | int | float | bool | None


class _Node(BaseModel):
    """One schema: the keywords that readers know; others may hold anything."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    type: _Type | None = None
    description: Annotated[str, Field(max_length=20_000)] = ""
    properties: dict[str, "_Node"] = Field(default_factory=dict[str, "_Node"])
    required: list[str] = Field(default_factory=list[str])
    items: "_Node | None" = None
    additional_properties: "bool | _Node" = Field(default=False, alias="additionalProperties")
    any_of: list["_Node"] = Field(default_factory=list["_Node"], alias="anyOf")
    enum: Annotated[list[_Scalar], Field(min_length=1, max_length=5_000)] | None = None
    examples: Annotated[list[JsonValue], Field(max_length=1_000)] | None = None
    format: str | None = None
    pattern: Annotated[str, Field(max_length=1_000)] | None = None
    minimum: FiniteFloat | None = None
    maximum: FiniteFloat | None = None
    exclusive_minimum: FiniteFloat | None = Field(default=None, alias="exclusiveMinimum")
    exclusive_maximum: FiniteFloat | None = Field(default=None, alias="exclusiveMaximum")
    multiple_of: Annotated[FiniteFloat, Field(gt=0)] | None = Field(
        default=None, alias="multipleOf"
    )
    min_length: _Least = Field(default=0, alias="minLength")
    max_length: _Length = Field(default=0, alias="maxLength")
    min_items: _Least = Field(default=0, alias="minItems")
    max_items: _Count = Field(default=0, alias="maxItems")
    unique_items: bool = Field(default=False, alias="uniqueItems")
    identifier: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, alias=IDENTIFIER_KEY
    )
    speakable: bool = Field(default=False, alias=SPEAKABLE_KEY)
    label: bool = Field(default=False, alias=LABEL_KEY)

    def least_size(self) -> int:
        """Return how many parts a value has at least, optional ones included."""
        parts = [*self.properties.values(), *self.any_of]
        if isinstance(self.additional_properties, _Node):
            parts.append(self.additional_properties)
        items = self.items.least_size() * max(1, self.min_items) if self.items else 0
        return 1 + items + sum(part.least_size() for part in parts)


def check_schema(schema: JsonObject) -> None:
    """Look whether something is the schema of an object, of a form and size that readers expect.

    Raises:
        ValueError: If it is not.
    """
    length = len(canonical_json(schema))
    if length > _SCHEMA_CHARACTERS:
        raise ValueError(f"a schema of {length} characters; at most {_SCHEMA_CHARACTERS}")
    if schema.get("type") != "object":
        raise ValueError(f"a schema of type {schema.get('type')!r}; arguments are an object")
    size = _Node.model_validate(schema).least_size()
    if size > _LEAST_SIZE:
        raise ValueError(f"the smallest value has {size} parts; at most {_LEAST_SIZE}")
