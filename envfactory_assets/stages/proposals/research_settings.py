"""How much a researcher may do for one proposal."""

from pydantic import BaseModel, ConfigDict, Field


class ResearchSettings(BaseModel):
    """Bounds of one conversation, which ends in one proposal or none.

    Attributes:
        max_steps: Most replies of the model; in the last two it must hand in.
        max_searches: Most searches (of the endpoint's own search: in one reply).
        max_reads: Most pages read (likewise).
        hits_per_search: Most documents that a search returns.
        page_tokens: About how much of a page the endpoint's own tool reads.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    max_steps: int = Field(default=12, ge=3)
    max_searches: int = Field(default=6, ge=1)
    max_reads: int = Field(default=6, ge=1)
    hits_per_search: int = Field(default=6, ge=1)
    page_tokens: int = Field(default=6000, ge=500)
