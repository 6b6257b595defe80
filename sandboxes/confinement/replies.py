"""Reading what a worker replied: by a strict model, or not at all."""

from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from sandboxes.confinement.messages import Fault
from sandboxes.core.errors import EnvironmentFaultError, WorkerOutputError

ReplyT = TypeVar("ReplyT", bound=BaseModel)


def read_reply(message: dict[str, JsonValue], kind: type[ReplyT]) -> ReplyT:
    """Return a reply.

    Raises:
        EnvironmentFaultError: If the worker reports a fault instead.
        WorkerOutputError: If it is of another shape.
    """
    try:
        if message.keys() == {"fault"}:
            raise EnvironmentFaultError(Fault.model_validate(message).fault)
        return kind.model_validate(message)
    except (ValidationError, RecursionError) as error:
        raise WorkerOutputError(
            f"The worker's reply is no {kind.__name__}: {_first_fault(error)}"
        ) from error


def _first_fault(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the reply"
    return f"{where}: {first['msg']}"[:500]
