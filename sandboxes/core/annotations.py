"""What an environment declares about a value beyond its type: identifiers and labels.

Both travel as `x-` keys of the internal JSON schema, which `Tool` strips from the schemas that a
model sees. They are the ground truth that the tool graph's matcher is scored against, so the
matcher must not read them.
"""

from dataclasses import dataclass

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

IDENTIFIER_KEY = "x-identifier"
SPEAKABLE_KEY = "x-speakable"
LABEL_KEY = "x-label"


@dataclass(frozen=True, slots=True)
class Identifier:
    """Marks a value as naming one thing: `HotelId = Annotated[str, Identifier("HotelId")]`.

    Attributes:
        name: The identifier type; an output of that type can feed every input of that type.
        speakable: Whether a person could say the value (an e-mail address) or only a tool can
            give it (a row id).
    """

    name: str
    speakable: bool = False

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Add the identifier type to the internal JSON schema."""
        return {**handler(core_schema), IDENTIFIER_KEY: self.name, SPEAKABLE_KEY: self.speakable}


@dataclass(frozen=True, slots=True)
class Label:
    """Marks the result leaf by which a person tells one entity from another (a name, a title)."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Add the label mark to the internal JSON schema."""
        return {**handler(core_schema), LABEL_KEY: True}
