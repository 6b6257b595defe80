"""How much a confined worker may use."""

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt

_MEBIBYTE = 1 << 20


class Limits(BaseModel):
    """What one worker process may use.

    Attributes:
        memory_bytes: Address space on top of what the interpreter and the host module take.
        cpu_seconds: Processor time over the whole life of the worker.
        wall_seconds: Time on the clock for one request, where the request names no other.
        output_bytes: Everything the worker writes while it answers one request.
        open_files: File descriptors open at once.
        start_seconds: Time on the clock until a new worker is confined and listens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    memory_bytes: PositiveInt = 512 * _MEBIBYTE
    cpu_seconds: PositiveInt = 3600
    wall_seconds: PositiveFloat = 30.0
    output_bytes: PositiveInt = 4 * _MEBIBYTE
    open_files: PositiveInt = 32
    start_seconds: PositiveFloat = 30.0
