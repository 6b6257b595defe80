"""How much of a document a proposal takes."""

from pydantic import BaseModel, ConfigDict, PositiveInt


class ImportSettings(BaseModel):
    """Bounds of an import; what lies beyond them is listed as left out.

    By default a proposal has about as much as one file of an environment can hold.

    Attributes:
        max_document_bytes: A larger file is refused.
        max_entities: Kinds of thing that a proposal keeps.
        max_tools: Tools that a proposal keeps.
        max_fields: Fields that an entity keeps.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    max_document_bytes: PositiveInt = 16 * 2**20
    max_entities: PositiveInt = 4
    max_tools: PositiveInt = 16
    max_fields: PositiveInt = 8
