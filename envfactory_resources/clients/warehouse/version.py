"""A version: what one commit says of itself."""

from pydantic import AwareDatetime, BaseModel, ConfigDict


class Version(BaseModel):
    """One immutable materialization of an asset partition.

    `is_new` is a fact about a write: True only in the answer of the write that made the version.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version_id: str
    asset: str
    partition: str | None
    run_id: str
    code_version: str
    data_version: str
    parents: tuple[str, ...]
    row_count: int
    created_at: AwareDatetime
    is_new: bool = False
