"""What every record is: one frozen, strict row of one table."""

from pydantic import BaseModel, ConfigDict, JsonValue

JsonObject = dict[str, JsonValue]


class Record(BaseModel):
    """A row of the warehouse; values of variable shape are stored as canonical JSON text."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Part(BaseModel):
    """A value inside a record; it is stored as JSON, within its row."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
